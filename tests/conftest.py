"""What every test may count on: no way to the outside, a clock of its own, the same examples."""

import ipaddress
import logging
import socket
from collections.abc import Iterator

import pytest
from hypothesis import settings

from bot.testing.clock import FakeClock
from bot.testing.log_watch import LogWatch

settings.register_profile(
    "daybook", derandomize=True, deadline=None, database=None, print_blob=False
)
settings.load_profile("daybook")

Address = tuple[object, ...] | str | bytes
"""What ``connect`` takes: host and port, or the path of a Unix socket."""

LOCAL_NAMES = ("localhost", "")


class SocketFuse:
    """Blows when something is connected to that is not this machine."""

    def __init__(self) -> None:
        self.blown: list[str] = []

    def check(self, address: Address) -> None:
        """Let a connection pass to this machine only."""
        if isinstance(address, tuple):
            host = str(address[0])
            found = _literal(host)
            if host not in LOCAL_NAMES and not (found and found.is_loopback):
                self.blown.append(host)
                raise OSError(f"a test may not connect to {host}")

    def check_name(self, host: str | bytes | None) -> None:
        """Let a name pass that is found without asking a name server."""
        name = host.decode() if isinstance(host, bytes) else host or ""
        if name not in LOCAL_NAMES and not _literal(name):
            self.blown.append(name)
            raise socket.gaierror(f"a test may not ask for {name}")


def _literal(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


@pytest.fixture(scope="session", autouse=True)
def socket_fuse() -> Iterator[SocketFuse]:
    """Let every connection pass the fuse, by whatever library it is made."""
    fuse = SocketFuse()
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
    getaddrinfo = socket.getaddrinfo

    def fused_connect(self: socket.socket, address: Address) -> None:
        fuse.check(address)
        connect(self, address)

    def fused_connect_ex(self: socket.socket, address: Address) -> int:
        fuse.check(address)
        return connect_ex(self, address)

    def fused_getaddrinfo(host: str | bytes | None, *rest: int, **named: int) -> object:
        fuse.check_name(host)
        return getaddrinfo(host, *rest, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", fused_getaddrinfo)
        patch.setattr(socket.socket, "connect", fused_connect)
        patch.setattr(socket.socket, "connect_ex", fused_connect_ex)
        yield fuse


@pytest.fixture(autouse=True)
def no_way_out(socket_fuse: SocketFuse) -> Iterator[None]:
    """Fail the test that tried, even if its code took the failure for a broken network."""
    yield
    blown, socket_fuse.blown = socket_fuse.blown, []

    assert blown == []


@pytest.fixture(scope="session", autouse=True)
def log_watch() -> Iterator[LogWatch]:
    """Look at every line that any test has the product log."""
    watch = LogWatch()
    with watch.watching():
        yield watch


@pytest.fixture(autouse=True)
def no_secret_is_logged(log_watch: LogWatch) -> Iterator[None]:
    """Fail the test that had a token, a key or a planted secret logged, at whatever level."""
    yield
    leaks, log_watch.leaks = log_watch.leaks, []

    assert leaks == []


@pytest.fixture(autouse=True)
def log_level_as_before() -> Iterator[None]:
    """Undo what a verb that ran in this process made of its logging, which others look at."""
    root = logging.getLogger()
    level = root.level
    yield
    root.setLevel(level)


@pytest.fixture
def clock() -> FakeClock:
    """A clock that only the test moves."""
    return FakeClock()
