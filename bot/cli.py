"""The command line: ``python3 run.py [--config FILE] [VERB]``; :data:`VERBS` lists the verbs.

Exit codes: 0 fine, 1 failed, 2 bad usage, configuration or data (one line on stderr that names the
place).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol
from zoneinfo import ZoneInfo

from bot import __version__
from bot.adapters import control_client
from bot.adapters.clock import SystemClock
from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.models import ChosenModel, choose_model
from bot.adapters.redactor import RuleRedactor
from bot.adapters.start_log import StartLog
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.adapters.timer import SchedulerTimer
from bot.app import App, Outside, StopSignals, build_channels, slack_manifest
from bot.app.clean_up import clean_up_alone, word_clean_up
from bot.config import Config, load, secrets_of, settings_file
from bot.core.findings import gravest
from bot.errors import BotError, ConfigError, DataError, DataFolderBusy, NotRunning
from bot.ports import Clock
from bot.runtime.access_gate import LOCAL_CHANNEL
from bot.runtime.health import StoreWatch, duration
from bot.runtime.log import set_up

EXIT_FAILED = 1
EXIT_USAGE = 2

DEFAULT_VERB = "serve"

CLEAN_UP_TIMEOUT_S = 600.0

Wrap = Callable[[Outside], Outside]
"""Puts something around the parts that the bot is built on."""


class Run(Protocol):
    """Carries a verb out; ``options`` holds its own arguments."""

    def __call__(self, config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
        """Return the exit code."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One word of the command line; ``add_arguments`` declares what may stand behind it."""

    help: str
    run: Run
    add_arguments: Callable[[argparse.ArgumentParser], object] = lambda parser: None


def run() -> NoReturn:
    """Run the command line, then end the process without taking the interpreter apart.

    That would take 0.7 s of processor time once the SDKs are imported, and wait for threads that
    hang; whatever is to be kept is closed by then.
    """
    code = main()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None, *, wrap: Wrap = lambda outside: outside) -> int:
    """Run a verb; return the process's exit code."""
    options = _parser().parse_args(arguments)
    try:
        config = load(options.config, os.environ)
        return VERBS[options.verb or DEFAULT_VERB].run(config, options, wrap)
    except (ConfigError, DataError) as error:
        _say(f"daybook: {error}")
        return EXIT_USAGE
    except BotError as error:
        _say(f"daybook: {error}")
        return EXIT_FAILED
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 0


def _serve(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    return asyncio.run(_run_bot(config, wrap, only_local=options.verb == "chat"))


def _status(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    """Ask the running bot how it is; 0 when it is well."""
    match control_client.ask(config.data_dir, "/status"):
        case {
            "version": str(version),
            "pid": int(pid),
            "up_s": int() | float() as up_s,
            "model": str(model),
            "channels": dict(channels),
            "running_turns": int(turns),
            "set_aside": int(aside),
            "health": {"condition": str(condition), "reasons": list(reasons)},
        }:
            lines = [
                f"Daybook {version}, process {pid}, up {duration(up_s)}: {condition}",
                *(f"  {name}: {how}" for name, how in channels.items()),
                f"  model: {model}",
                f"  answers being written: {turns}\n  set aside in the last day: {aside}",
                *(f"  trouble: {reason}" for reason in reasons),
            ]
            sys.stdout.write("\n".join(lines) + "\n")
            return 0 if condition == "ok" else EXIT_FAILED
    raise BotError(f"the bot that works on {config.data_dir} is of another version")


def _pair(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    """Let somebody in: by the running bot, which alone knows the codes it gave."""
    answer = control_client.ask(config.data_dir, "/pair", method="POST", text=options.code)
    match answer:
        case {"is_done": bool(is_done), "text": str(text)}:
            sys.stdout.write(text.replace("`", "") + "\n")
            return 0 if is_done else EXIT_FAILED
    raise BotError(f"the bot that works on {config.data_dir} is of another version")


def _clean_up(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    """Remove silent chats, or only say which: by the running bot, without one by itself."""
    is_dry_run: bool = options.dry_run
    answer: Mapping[str, object]
    try:
        answer = control_client.ask(
            config.data_dir,
            "/cleanup",
            method="GET" if is_dry_run else "POST",
            timeout_s=CLEAN_UP_TIMEOUT_S,
        )
    except NotRunning as silent:
        try:
            answer = asyncio.run(clean_up_alone(config, SystemClock(), is_dry_run=is_dry_run))
        except DataFolderBusy as busy:
            raise NotRunning(f"{busy} It cannot be asked: {silent}") from busy
    lines = word_clean_up(answer, ZoneInfo(config.timezone), is_dry_run=is_dry_run)
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _doctor(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    """Examine everything that an operator can get wrong; 1 when something is broken."""
    from bot.app.doctor import Patient, examine  # here: else every start would pay for it
    from bot.app.findings_shown import page_for

    secrets = set_up("error", sys.stderr, as_json=not sys.stderr.isatty())
    secrets.add(secrets_of(config.anthropic))
    patient = Patient(
        config=config,
        settings_file=settings_file(options.config),
        clock=SystemClock(),
        hide=secrets.add,
    )
    page = page_for(sys.stdout, as_json=options.json)

    def show(lines: list[str]) -> None:
        sys.stdout.write(secrets.hide_in("".join(f"{line}\n" for line in lines)))
        sys.stdout.flush()

    found = asyncio.run(examine(patient, lambda part: show(page.lines(part))))
    show(page.verdict(found))
    return EXIT_FAILED if gravest(found) == "broken" else 0


def _slack_manifest(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    """Print what the Slack app is made from."""
    sys.stdout.write(f"{slack_manifest(options.http or '')}\n")
    return 0


VERBS = {
    "serve": Verb(help="run every configured channel, or the terminal", run=_serve),
    "chat": Verb(help="run the terminal only", run=_serve),
    "status": Verb(help="ask the running bot how it is", run=_status),
    "doctor": Verb(
        help="look at settings, data, model and channels, and say how to mend what is wrong",
        run=_doctor,
        add_arguments=lambda parser: parser.add_argument(
            "--json", action="store_true", help="give one JSON object"
        ),
    ),
    "pair": Verb(
        help="let somebody talk to the running bot",
        run=_pair,
        add_arguments=lambda parser: parser.add_argument(
            "code", metavar="CODE", help="the code it gave them, or channel:user id"
        ),
    ),
    "slack-manifest": Verb(
        help="print what a Slack app for the bot is made from",
        run=_slack_manifest,
        add_arguments=lambda parser: parser.add_argument(
            "--http", metavar="URL", help="let Slack call the bot there, instead of Socket Mode"
        ),
    ),
    "cleanup": Verb(
        help="remove chats that have been silent for long; memory files stay",
        run=_clean_up,
        add_arguments=lambda parser: parser.add_argument(
            "--dry-run", action="store_true", help="only say what would go"
        ),
    ),
}
"""All verbs; without one it is :data:`DEFAULT_VERB`."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="run.py",
        description="Daybook: a chat bot for Telegram, Slack and the terminal.",
    )
    parser.add_argument("--version", action="version", version=f"Daybook {__version__}")
    config = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    for each in (parser, config):  # it may stand before the verb or behind it
        each.add_argument("--config", type=Path, metavar="FILE", help="settings (config.json)")
    words = parser.add_subparsers(dest="verb", metavar="VERB", help=f"default: {DEFAULT_VERB}")
    for name, verb in VERBS.items():
        verb.add_arguments(words.add_parser(name, help=verb.help, parents=[config]))
    return parser


async def _run_bot(config: Config, wrap: Wrap, *, only_local: bool) -> int:
    clock, signals = SystemClock(), StopSignals(config.shutdown_deadline_s)
    signals.listen()
    secrets = set_up(config.log_level, sys.stderr, as_json=not sys.stderr.isatty())
    secrets.add(secrets_of(config.anthropic))
    channels = build_channels(config, clock, _say, secrets.add, only_local=only_local)
    is_terminal = LOCAL_CHANNEL in channels
    if is_terminal and config.log_level == "info":
        logging.getLogger().setLevel(logging.WARNING)  # the log would stand between the answers
    with lock_data_folder(config.data_dir):
        starts = StartLog(config.data_dir)
        if not is_terminal and (pause_s := starts.begin(clock.now())):
            _say(f"the last starts came to a bad end; this one waits for {pause_s:g} s")
            await clock.sleep(pause_s)
        watch = StoreWatch()
        store = SqliteStore.open(config.data_dir / "daybook.db", tell=watch.tell)
        try:
            model = await _choose_model(config, clock)
            if is_terminal:
                _say(model.about)
                if sys.stdin is not None and sys.stdin.isatty():
                    _say("/help shows what there is; Ctrl-D ends")
            redactor = RuleRedactor()
            outside = Outside(
                store=store,
                model=model.client,
                model_name=model.name,
                channels=channels,
                clock=clock,
                announce=_say,
                store_watch=watch,
                data_dir=None if is_terminal else config.data_dir,
                follows_bad_end=starts.follows_bad_end,
                redactor=redactor,
                warm_up=redactor.load,  # the vocabulary, 36 MiB, is loaded by the first question
                memory_files=MarkdownMemoryFiles(config.data_dir / "memory"),
                timer=SchedulerTimer(),
            )
            app = App(config, wrap(outside))
            signals.aim(app.stop)
            code = await app.run()
        finally:
            await store.close()
        if code == 0:
            starts.end_well()
        return code


async def _choose_model(config: Config, clock: Clock) -> ChosenModel:
    keys = config.anthropic
    key = keys.api_key.get_secret_value() if keys.api_key else None
    return await choose_model(api_key=key, base_url=keys.base_url, name=config.model, clock=clock)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    run()
