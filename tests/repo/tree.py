"""What is in the repository: its files, as the tests about it look at them."""

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PRODUCT = ("run.py", "bot/", "channels/", "plugins/", "scripts/")

_VISIBLE = (".ci", ".gitignore")
_PASSING = ("__pycache__", "config.local.json")
_DATA = ROOT / "data"


def files(*suffixes: str) -> Iterator[Path]:
    """Give every file that belongs to the repository, of these suffixes or of all."""
    return (path for path in _all_files() if not suffixes or path.suffix in suffixes)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def python_files(*beginnings: str) -> Iterator[tuple[str, ast.Module]]:
    """Give name and syntax tree of every Python file below these folders, or of all."""
    for path in files(".py"):
        name = name_of(path)
        if not beginnings or name.startswith(beginnings):
            yield name, _tree_of(path)


@cache
def _all_files() -> tuple[Path, ...]:
    found: list[Path] = []
    for folder, inner, names in os.walk(ROOT):
        here = Path(folder)
        inner[:] = [name for name in inner if _belongs(name) and here / name != _DATA]
        found += [here / name for name in names if _belongs(name)]
    return tuple(sorted(found))


def _belongs(name: str) -> bool:
    return name in _VISIBLE or not (name.startswith(".") or name in _PASSING)


@cache
def _tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
