"""The README's commands as they stand, with the packages of these tests instead of fresh ones."""

import shlex
import sys
import sysconfig
from pathlib import Path

import pytest

from scripts.first_start import WAYS, Machine, commands_of_readme


def test_the_readme_says_how_to_get_start_and_ask_it() -> None:
    get, start, ask = commands_of_readme()

    assert get.startswith("git clone ")
    assert "python3 run.py" == start
    assert ask.startswith("printf ")


@pytest.mark.parametrize("way", WAYS)
def test_a_first_start_answers(way: str, tmp_path: Path) -> None:
    packages = shlex.quote(f"PYTHONPATH={sysconfig.get_path('purelib')}")
    bare = shlex.quote(str(Path(sys.executable).resolve()))

    took_s = WAYS[way](Machine(tmp_path, f"env {packages} {bare}"))

    assert took_s > 0
    assert not (tmp_path / "home" / "daybook" / ".venv").exists()
