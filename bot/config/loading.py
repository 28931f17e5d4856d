"""Reading the settings: all sources laid over each other, then looked at as a whole."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from bot.config.keys import CHECKOUT, Config
from bot.config.layers import read_layers
from bot.config.sections import sections_of
from bot.config.wording import Findings
from bot.errors import ConfigError


def settings_file(path: Path | None) -> Path:
    """Name the file that :func:`load` reads when it is given ``path``."""
    return path if path is not None else CHECKOUT / "config.json"


def load(
    path: Path | None,
    environ: Mapping[str, str],
    instead: Mapping[Path, str | None] = MappingProxyType({}),
) -> Config:
    """Read the settings.

    Args:
        path: The settings file; None for ``config.json`` beside ``run.py``, which may be absent.
        environ: The process's environment.
        instead: What files beside it are going to say, by path; None for a file that is not there.

    Raises:
        ConfigError: Something is wrong with them; the text is one line that names the place.
    """
    is_required = path is not None
    file = settings_file(path)
    merged = read_layers(file, environ, is_required=is_required, instead=instead)
    values = {**merged.values, "channels": sections_of(merged)}
    folder = Path(os.path.abspath(file)).parent  # noqa: PTH100 - resolve() would follow a link
    try:
        return Config.model_validate(values, context={"folder": folder})
    except ValidationError as error:
        raise ConfigError(Findings(model=Config, merged=merged).worded(error)) from None
