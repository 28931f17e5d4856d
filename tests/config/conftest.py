"""A folder with settings in it, written by the test."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.config import Config, load
from bot.errors import ConfigError


class SettingsFolder:
    """Where ``config.json`` stands, and what may stand beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "config.json"

    def write(self, values: object, name: str = "config.json") -> None:
        text = values if isinstance(values, str) else json.dumps(values)
        (self.folder / name).write_text(text, encoding="utf-8")

    def load(self, environ: Mapping[str, str] | None = None) -> Config:
        return load(self.file, environ or {})

    def refusal(self, environ: Mapping[str, str] | None = None) -> str:
        """What is said about settings that cannot be used, without the path of the folder."""
        with pytest.raises(ConfigError) as caught:
            self.load(environ)
        return str(caught.value).replace(f"{self.folder}/", "")


@pytest.fixture
def settings_folder(tmp_path: Path) -> SettingsFolder:
    folder = SettingsFolder(tmp_path)
    folder.write({})
    return folder
