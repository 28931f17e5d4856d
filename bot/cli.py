"""The command line: ``python3 run.py [--config FILE] [VERB]``; :data:`VERBS` lists the verbs.

Exit codes: 0 fine, 1 failed, 2 bad usage, configuration or data (one line on stderr that names the
place), 130 broken off by Ctrl-C.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol
from zoneinfo import ZoneInfo

from bot import __version__
from bot.adapters.backup_making import BackupSource
from bot.adapters.clock import SystemClock
from bot.adapters.disk import DataDisk
from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.models import ChosenModel, choose_model
from bot.adapters.raw_search import DiskSearch
from bot.adapters.recall_files import RecallFiles
from bot.adapters.redactor import RuleRedactor
from bot.adapters.start_log import StartLog
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.adapters.timer import SchedulerTimer
from bot.app import App, Outside, StopSignals, build_channels, operating, slack_manifest, way_out
from bot.app.logging_begun import begin_log
from bot.config import Config, load
from bot.errors import BotError, ConfigError, DataError
from bot.ports import Clock, SearchIndex
from bot.runtime.access_gate import LOCAL_CHANNEL
from bot.runtime.health import StoreWatch

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
"""What was to be done is not done. Source: shells count 128 and the number of the signal."""

DEFAULT_VERB = "serve"

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
        return operating.EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except asyncio.CancelledError:  # a signal told the bot to end before it had begun
        return 0


def _serve(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    if options.verb is None and all(each and each.isatty() for each in (sys.stdin, sys.stdout)):
        from bot.app.setup import offer_setup  # here: a service would pay for it at each start

        code = offer_setup(options.config, os.environ, config)
        if code is not None:
            return code
        config = load(options.config, os.environ)
    return asyncio.run(_run_bot(config, options, wrap))


def _setup(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    """Ask for keys and tokens, check them, write them down."""
    from bot.app.setup import hold_setup

    return hold_setup(options.config, os.environ)


def _asked(verb: Callable[[Config, argparse.Namespace], int]) -> Run:
    """Make a verb of what asks a running bot, or works on the data of one that does not run."""
    return lambda config, options, wrap: verb(config, options)


def _slack_manifest(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    """Print what the Slack app is made from."""
    sys.stdout.write(f"{slack_manifest(options.http or '')}\n")
    return 0


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--person", required=True, metavar="ID", help="telegram:1001, or slack:team:user"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="a new file; else standard output")


VERBS = {
    "serve": Verb(help="run every configured channel, or the terminal", run=_serve),
    "chat": Verb(help="run the terminal only", run=_serve),
    "setup": Verb(help="ask for keys and tokens, check them, and write them down", run=_setup),
    "status": Verb(help="ask the running bot how it is", run=_asked(operating.status)),
    "doctor": Verb(
        help="look at settings, data, model and channels, and say how to mend what is wrong",
        run=_asked(operating.doctor),
        add_arguments=lambda parser: parser.add_argument(
            "--json", action="store_true", help="give one JSON object a finding"
        ),
    ),
    "pair": Verb(
        help="let somebody talk to the running bot",
        run=_asked(operating.pair),
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
    "export": Verb(
        help="write down all that is kept of a person, as JSON",
        run=_asked(operating.export),
        add_arguments=_export_arguments,
    ),
    "scrub": Verb(
        help="replace secrets that were stored earlier; the bot must not run",
        run=_asked(operating.scrub),
        add_arguments=lambda parser: parser.add_argument(
            "--dry-run", action="store_true", help="only count what would be replaced"
        ),
    ),
    "cleanup": Verb(
        help="remove chats that have been silent for long; memory files stay",
        run=_asked(operating.clean_up),
        add_arguments=lambda parser: parser.add_argument(
            "--dry-run", action="store_true", help="only say what would go"
        ),
    ),
    "backup": Verb(
        help="write all data into one file, of the running bot too",
        run=_asked(operating.backup),
        add_arguments=lambda parser: parser.add_argument("file", type=Path, metavar="FILE"),
    ),
    "restore": Verb(
        help="put a backup in the place of the data; the bot must not run",
        run=_asked(operating.restore),
        add_arguments=lambda parser: parser.add_argument(
            "file", type=Path, metavar="FILE", help="a backup; - reads it from standard input"
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


def _search_index(config: Config) -> SearchIndex:
    from bot.adapters.search.sqlite_index import SqliteSearchIndex  # brings numpy
    from bot.adapters.search.use_embedder import embedder_named

    return SqliteSearchIndex(config.data_dir / "search.db", embedder_named(config.embedder))


async def _run_bot(config: Config, options: argparse.Namespace, wrap: Wrap) -> int:
    clock, signals = SystemClock(), StopSignals(config.shutdown_deadline_s)
    signals.listen()
    secrets = begin_log(config, options.config, os.environ, sys.stderr)
    only_local = options.verb == "chat"
    channels = build_channels(config, clock, _say, secrets.add, only_local=only_local)
    is_terminal = LOCAL_CHANNEL in channels
    if is_terminal and config.log_level == "info":
        logging.getLogger().setLevel(logging.WARNING)  # the log would stand between the answers
    with lock_data_folder(config.data_dir):
        way_out.lead_out(config, os.environ, config.data_dir)
        starts = StartLog(config.data_dir)
        if not is_terminal and (pause_s := starts.begin(clock.now())):
            _say(f"the last starts came to a bad end; this one waits for {pause_s:g} s")
            await clock.sleep(pause_s)
        watch = StoreWatch()
        store = SqliteStore.open(config.data_dir / "daybook.db", tell=watch.tell)
        store.zone = ZoneInfo(config.timezone)
        try:
            model = await _choose_model(config, clock)
            if is_terminal:
                _say(model.about)
                if sys.stdin is not None and sys.stdin.isatty():
                    _say("/help shows what there is; Ctrl-D ends")
            redactor = RuleRedactor()
            memory_files = MarkdownMemoryFiles(config.data_dir / "memory", redact=redactor.redact)
            outside = Outside(
                store=store,
                model=model.client,
                model_name=model.name,
                model_directory=model.directory,
                channels=channels,
                clock=clock,
                announce=_say,
                store_watch=watch,
                data_dir=None if is_terminal else config.data_dir,
                follows_bad_end=starts.follows_bad_end,
                redactor=redactor,
                warm_up=redactor.load,  # the vocabulary, 36 MiB, is loaded by the first question
                memory_files=memory_files,
                search_index=_search_index(config),
                recalled_files=RecallFiles(config.data_dir / "memory", config.knowledge_dir),
                raw_search=DiskSearch(config.data_dir),
                backup_source=BackupSource(
                    data_dir=config.data_dir,
                    knowledge_dir=config.knowledge_dir,
                    hold_files=memory_files.held,
                ),
                timer=SchedulerTimer(),
                disk=DataDisk(config.data_dir),
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
