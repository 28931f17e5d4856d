"""The set-up from its first line to its last; the files are written at the end of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bot.adapters import control_client
from bot.adapters.clock import SystemClock
from bot.app.channels import wanted_channels
from bot.app.operating import EXIT_FAILED
from bot.app.setup.channel_step import PLATFORMS, fill_platform, tell_of_owner
from bot.app.setup.form import Form
from bot.app.setup.model_step import fill_model
from bot.app.setup.questions import Questions
from bot.app.way_out import led_out, secrets_on_the_way
from bot.config import (
    Config,
    OwnFiles,
    check_place,
    load,
    read_own_files,
    settings_file,
    write_own_files,
)
from bot.errors import BotError, ConfigError, NotRunning
from bot.runtime.log import set_up as set_up_log

_FIRST_LINES = '{\n  "//": "Your own settings; what there is to set: docs/config.md."\n}\n'


def hold_setup(path: Path | None, environ: Mapping[str, str]) -> int:
    """Go through all steps and write what was settled; return the exit code.

    Args:
        path: The settings file; None for ``config.json`` beside ``run.py``.
        environ: The process's environment.

    Raises:
        ConfigError: The settings that are there cannot be read, or the files not be written.
    """
    config = load(path, environ)
    before = read_own_files(settings_file(path))
    check_place(before)
    form = _form(path, environ, before, config)
    with led_out(config):
        if not _is_filled_in(form):
            return EXIT_FAILED
    _write(form, before)
    form.questions.say(_how_to_start(config))
    if form.left_out:
        sys.stderr.write(f"Not kept, see above: {', '.join(form.left_out)}.\n")
        return EXIT_FAILED
    return 0


def offer_setup(path: Path | None, environ: Mapping[str, str], config: Config) -> int | None:
    """Offer the set-up where nothing was ever set up; None when the start may go on.

    Whoever says no is not asked again.

    Raises:
        ConfigError: The files cannot be read or written.
    """
    before = read_own_files(settings_file(path))
    is_configured = config.anthropic.api_key or config.anthropic.base_url or wanted_channels(config)
    if is_configured or before.local is not None or before.dotenv is not None:
        return None
    try:
        check_place(before)
    except ConfigError:
        return None  # a checkout that is only read has its settings elsewhere
    form = _form(path, environ, replace(before, local=_FIRST_LINES), config)
    with led_out(config):
        if not _is_filled_in(form, is_offered=True):
            return EXIT_FAILED
    _write(form, before)
    return None


def _form(path: Path | None, environ: Mapping[str, str], files: OwnFiles, config: Config) -> Form:
    secrets = set_up_log("error", sys.stderr, as_json=not sys.stderr.isatty())
    secrets.add(secrets_on_the_way(config, environ))
    questions = Questions(sys.stdin, sys.stdout, hide=secrets.hide_in)
    return Form(path, environ, files, questions, clock=SystemClock(), hide=secrets.add)


def _is_filled_in(form: Form, *, is_offered: bool = False) -> bool:
    """Go through the steps; False, and one line, when somebody broke it off."""
    try:
        if is_offered:
            form.questions.say("Nothing is set up yet: no model, no chat platform.")
            if not form.questions.confirm("Do that now? It takes two minutes.", default=True):
                return True
        _fill_in(form)
    except (KeyboardInterrupt, EOFError):
        sys.stderr.write("\nSet-up stopped; everything is as it was.\n")
        return False
    return True


def _fill_in(form: Form) -> None:
    file = form.files.settings_file
    form.questions.say(
        "",
        "Enter skips a step, or leaves it as it is. Ctrl-C leaves everything as it was.",
        f"Secrets go to {file.with_name('.env')}, all else beside it; {file.name} is not touched.",
    )
    fill_model(form)
    for platform in PLATFORMS:
        fill_platform(form, platform)
    tell_of_owner(form)


def _write(form: Form, before: OwnFiles) -> None:
    """Write what was settled, and say what that was."""
    written = write_own_files(form.files, instead_of=before)
    form.questions.head("Done")
    form.questions.say(
        *([f"Written: {path}" for path in written] or ["Nothing was changed."]),
        "To change it: python3 run.py setup. To have all of it looked at: python3 run.py doctor.",
    )


def _how_to_start(config: Config) -> str:
    """Say what makes the bot take the settings, which it reads once."""
    try:
        control_client.ask(config.data_dir, "/status")
    except NotRunning:
        return "Start it: python3 run.py"
    except BotError:
        pass  # it runs, and cannot say how it is
    return "The bot is running: restart it, so that it takes this."
