"""The log begun: what its lines look like, what they never show, and what is told first."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from bot.app.way_out import secrets_on_the_way
from bot.config import Config, settings_file
from bot.config.examining import unset_variables
from bot.runtime.log import Secrets, set_up

logger = logging.getLogger(__name__)


def begin_log(
    config: Config, path: Path | None, environ: Mapping[str, str], stream: TextIO
) -> Secrets:
    """Send the log to a stream, and tell of settings that have no effect for want of a variable.

    Args:
        config: The settings.
        path: The file that they were read from, as for :func:`~bot.config.load`.
        environ: The process's environment, which they were read from too.
        stream: A terminal has lines for people, if nothing else was decided.

    Returns:
        The secrets that it hides, for whoever learns of more.

    Raises:
        ConfigError: A source of the settings can no longer be read.
    """
    is_auto = config.log_format == "auto"
    as_json = not stream.isatty() if is_auto else config.log_format == "json"
    secrets = set_up(config.log_level, stream, as_json=as_json)
    secrets.add(secrets_on_the_way(config, environ))
    unset = unset_variables(settings_file(path), environ)
    if unset:
        asking = ", ".join(f"{each.key}: {each.variable}" for each in unset)
        logger.warning("settings.variable_unset", extra={"settings": asking})
    return secrets
