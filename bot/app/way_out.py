"""The way that connections to the outside take: ``proxy`` and ``ca_file`` put into effect."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from bot.config import Config, ProxyPlace, is_own_machine, secrets_of
from bot.errors import ConfigError
from bot.network import CERTIFICATES, lead_through


def lead_out(config: Config, environ: MutableMapping[str, str], folder: Path) -> None:
    """Have every connection go out as the settings say; before the first client is made.

    Args:
        config: The settings.
        environ: The process's environment, which all clients read.
        folder: Is there for as long as connections are made, and can be written to.

    Raises:
        ConfigError: The file with all certificates cannot be made.
    """
    proxy = None if config.proxy is None else config.proxy.address
    lead_through(environ, proxy, _hosts_of_own_machine(config))
    if config.ca_file is None:
        return
    from bot.adapters.trust import write_trusted  # certifi, for whoever has a CA of their own

    try:
        environ[CERTIFICATES] = str(write_trusted(config.ca_file, folder))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError(
            f"ca_file: what is trusted beside {config.ca_file} cannot be written down in {folder}"
            f" ({reason}); mend that, or remove ca_file"
        ) from error


@contextmanager
def led_out(config: Config) -> Iterator[None]:
    """Have connections of this process go out as the settings say, for as long as the block lasts.

    Raises:
        ConfigError: As :func:`lead_out`.
    """
    before = dict(os.environ)
    try:
        with TemporaryDirectory(prefix="daybook-") as folder:
            lead_out(config, os.environ, Path(folder))
            yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


def secrets_on_the_way(config: Config, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Collect the secrets of the settings, and of proxies that the environment alone names."""
    named = (value for name, value in environ.items() if name.lower().endswith("_proxy"))
    return secrets_of(config, *(place for each in named if (place := proxy_at(each)) is not None))


def proxy_at(address: str) -> ProxyPlace | None:
    """Read a proxy's address; None where it is none that speaks HTTP."""
    try:
        return ProxyPlace.model_validate(address)
    except ValueError:
        return None


def _hosts_of_own_machine(config: Config) -> Iterator[str]:
    """Find the names that the settings have for this machine, such as 127.0.0.2."""
    values = (value for section in config.channels for value in section.values.values())
    for value in (config.anthropic.base_url, *values):
        host = _host_of(value) if isinstance(value, str) else ""
        if is_own_machine(host):
            yield host


def _host_of(text: str) -> str:
    try:
        return urlsplit(text).hostname or ""
    except ValueError:  # no address, or none that its channel will take
        return ""
