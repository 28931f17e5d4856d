"""The fuse of ``tests/conftest.py``: no test gets past this machine unnoticed."""

import socket

import pytest

from bot.testing.patience import PATIENCE_S
from tests.conftest import SocketFuse


def test_another_machine_is_out_of_reach(socket_fuse: SocketFuse) -> None:
    with pytest.raises(OSError, match=r"may not connect to 192\.0\.2\.1"):
        socket.create_connection(("192.0.2.1", 80), timeout=PATIENCE_S)

    assert socket_fuse.blown == ["192.0.2.1"]
    socket_fuse.blown.clear()


def test_no_name_server_is_asked(socket_fuse: SocketFuse) -> None:
    with pytest.raises(socket.gaierror, match=r"may not ask for example\.org"):
        socket.create_connection(("example.org", 80), timeout=PATIENCE_S)

    assert socket_fuse.blown == ["example.org"]
    socket_fuse.blown.clear()


def test_this_machine_is_within_reach() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(
            ("localhost", server.getsockname()[1]), timeout=PATIENCE_S
        ) as client,
    ):
        assert client.getpeername() == server.getsockname()
