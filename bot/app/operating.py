"""What an operator asks of the bot that runs, by loopback, or of its data, under their lock."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.adapters import control_client
from bot.adapters.clock import SystemClock
from bot.app.asking import asked_or_alone
from bot.app.clean_up import clean_up_alone, word_clean_up
from bot.config import Config, settings_file
from bot.core.findings import gravest
from bot.errors import BotError, DataError
from bot.runtime.durations import duration
from bot.runtime.log import set_up

EXIT_FAILED = 1

CLEAN_UP_TIMEOUT_S = 600.0
EXPORT_TIMEOUT_S = 600.0


def status(config: Config, options: argparse.Namespace) -> int:
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


def pair(config: Config, options: argparse.Namespace) -> int:
    """Let somebody in: by the running bot, which alone knows the codes it gave."""
    answer = control_client.ask(config.data_dir, "/pair", method="POST", text=options.code)
    match answer:
        case {"is_done": bool(is_done), "text": str(text)}:
            sys.stdout.write(text.replace("`", "") + "\n")
            return 0 if is_done else EXIT_FAILED
    raise BotError(f"the bot that works on {config.data_dir} is of another version")


def clean_up(config: Config, options: argparse.Namespace) -> int:
    """Remove silent chats, or only say which: by the running bot, without one by itself."""
    is_dry_run: bool = options.dry_run
    answer = asked_or_alone(
        lambda: control_client.ask(
            config.data_dir,
            "/cleanup",
            method="GET" if is_dry_run else "POST",
            timeout_s=CLEAN_UP_TIMEOUT_S,
        ),
        lambda: asyncio.run(clean_up_alone(config, SystemClock(), is_dry_run=is_dry_run)),
    )
    lines = word_clean_up(answer, ZoneInfo(config.timezone), is_dry_run=is_dry_run)
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def export(config: Config, options: argparse.Namespace) -> int:
    """Write down all that is kept of a person: by the running bot, without one by itself."""
    from bot.app.export import export_alone, person_named, text_of, write_export

    person_key = person_named(options.person)
    answer = asked_or_alone(
        lambda: control_client.ask(
            config.data_dir,
            "/export",
            method="POST",
            text=person_key,
            timeout_s=EXPORT_TIMEOUT_S,
        ),
        lambda: asyncio.run(export_alone(config, SystemClock(), person_key)),
    )
    text = text_of(answer)
    if options.out is None:
        sys.stdout.write(text)
    else:
        write_export(text, options.out)
        sys.stdout.write(f"written to {options.out}\n")
    return 0


def doctor(config: Config, options: argparse.Namespace) -> int:
    """Examine everything that an operator can get wrong; 1 when something is broken."""
    from bot.app.doctor import Patient, examine  # here: else every start would pay for it
    from bot.app.findings_shown import page_for
    from bot.app.way_out import led_out, secrets_on_the_way

    secrets = set_up("error", sys.stderr, as_json=not sys.stderr.isatty())
    secrets.add(secrets_on_the_way(config, os.environ))
    patient = Patient(
        config=config,
        settings_file=settings_file(options.config),
        clock=SystemClock(),
        hide=secrets.add,
        environ=os.environ,
    )
    page = page_for(sys.stdout, as_json=options.json)

    def show(lines: list[str]) -> None:
        with suppress(BrokenPipeError):  # who read has seen enough; the exit code still tells
            sys.stdout.write(secrets.hide_in("".join(f"{line}\n" for line in lines)))
            sys.stdout.flush()

    with led_out(config):
        found = asyncio.run(examine(patient, lambda part: show(page.lines(part))))
    show(page.verdict(found))
    return EXIT_FAILED if gravest(found) == "broken" else 0


def backup(config: Config, options: argparse.Namespace) -> int:
    """Write all data into one file: by the running bot, without one by itself."""
    from bot.adapters.backup_making import BackupSource
    from bot.app.backup import Backups
    from bot.app.backup import backup as back_up
    from bot.app.progress_shown import ShowProgress

    source = BackupSource(data_dir=config.data_dir, knowledge_dir=config.knowledge_dir)
    backups = Backups(source, SystemClock(), ZoneInfo(config.timezone))
    try:
        said = back_up(backups, config.data_dir, options.file, ShowProgress(sys.stderr))
    except KeyboardInterrupt:
        raise BotError("the backup was broken off; nothing is left of it") from None
    sys.stdout.write("\n".join(said) + "\n")
    return 0


def restore(config: Config, options: argparse.Namespace) -> int:
    """Put a backup in the place of the data there is; the bot must not run."""
    from bot.app.progress_shown import ShowProgress
    from bot.app.restore import restore as restore_data

    is_piped = options.file == Path("-")
    if is_piped and sys.stdin.isatty():
        raise DataError("restore - reads a backup from its input: restore - < FILE")
    source = sys.stdin.buffer if is_piped else options.file
    try:
        said = restore_data(config, source, SystemClock(), ShowProgress(sys.stderr))
    except KeyboardInterrupt:
        raise BotError("the restore was broken off; the next start has the data whole") from None
    sys.stdout.write("\n".join(said) + "\n")
    return 0


def scrub(config: Config, options: argparse.Namespace) -> int:
    """Replace secrets that were stored before they were known as such, or only count them."""
    from bot.app.scrub import scrub as scrub_data
    from bot.app.scrub import word_scrubbed

    is_dry_run: bool = options.dry_run
    done = asyncio.run(scrub_data(config, is_dry_run=is_dry_run))
    sys.stdout.write("\n".join(word_scrubbed(done, is_dry_run=is_dry_run)) + "\n")
    return 0
