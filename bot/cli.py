"""The command line: ``python3 run.py [--config FILE] [serve|chat]``."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from bot import __version__
from bot.adapters.clock import SystemClock
from bot.adapters.models import ChosenModel, choose_model
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import App, Outside, build_channels
from bot.config import Config, load, secrets_of
from bot.errors import BotError, ConfigError, DataError
from bot.ports import Clock
from bot.runtime.access_gate import LOCAL_CHANNEL
from bot.runtime.log import set_up

EXIT_FAILED = 1
EXIT_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb; return the process's exit code.

    0 fine, 1 failed, 2 bad usage or configuration (one line on stderr that names the place).
    """
    options = _parser().parse_args(arguments)
    try:
        config = load(options.config, os.environ)
        return asyncio.run(_serve(config, only_local=options.verb == "chat"))
    except (ConfigError, DataError) as error:
        _say(f"daybook: {error}")
        return EXIT_USAGE
    except BotError as error:
        _say(f"daybook: {error}")
        return EXIT_FAILED
    except KeyboardInterrupt:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="run.py",
        description="Daybook: a chat bot for Telegram, Slack and the terminal.",
    )
    parser.add_argument("--version", action="version", version=f"Daybook {__version__}")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings (config.json)")
    parser.add_argument(
        "verb",
        nargs="?",
        default="serve",
        choices=("serve", "chat"),
        help="serve: every configured channel, or the terminal; chat: the terminal only",
    )
    return parser


async def _serve(config: Config, *, only_local: bool) -> int:
    clock = SystemClock()
    secrets = set_up(config.log_level, sys.stderr, as_json=not sys.stderr.isatty())
    secrets.add(secrets_of(config.anthropic))
    channels = build_channels(config, clock, _say, secrets.add, only_local=only_local)
    if LOCAL_CHANNEL in channels and config.log_level == "info":
        logging.getLogger().setLevel(logging.WARNING)  # the log would stand between the answers
    with lock_data_folder(config.data_dir):
        store = SqliteStore.open(config.data_dir / "daybook.db")
        try:
            model = await _choose_model(config, clock)
            if LOCAL_CHANNEL in channels:
                _say(model.about)
            outside = Outside(
                store=store,
                model=model.client,
                model_name=model.name,
                channels=channels,
                clock=clock,
                announce=_say,
            )
            app = App(config, outside)
            _stop_on_signals(app)
            return await app.run()
        finally:
            await store.close()


async def _choose_model(config: Config, clock: Clock) -> ChosenModel:
    keys = config.anthropic
    key = keys.api_key.get_secret_value() if keys.api_key else None
    return await choose_model(api_key=key, base_url=keys.base_url, name=config.model, clock=clock)


def _stop_on_signals(app: App) -> None:
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(name, app.stop)
        except NotImplementedError:  # Windows: its event loop knows no signal handlers
            signal.signal(name, lambda *_: loop.call_soon_threadsafe(app.stop))


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
