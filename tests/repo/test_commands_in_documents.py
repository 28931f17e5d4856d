"""What documents tell people to enter is something that can be entered."""

import argparse
import ast
import json
import re
import shlex
import subprocess
from collections.abc import Iterator

import jsonschema  # type: ignore[import-untyped]  # ships none
import pytest

from bot.cli import VERBS
from tests.repo.tree import ROOT, files, name_of, python_files

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
RUN = re.compile(
    r"(?:python3? (?:/\S+/)?run\.py\b|docker compose run(?: --?\S+)* daybook\b)"
    r"((?: (?![#&|;<>2-]|\\$)\S+| --?[a-z]\S*| -(?=\s|$))*)"
)
CRON = re.compile(r"(?:[\d*/,-]+ ){5}(?:daybook )?")
PROMPT = re.compile(rf"[$#] |{CRON.pattern}")
PLACEHOLDER = re.compile(r"<[a-z][a-z ]*>")
SCRIPT = re.compile(r"python3? ((?:scripts|benchmarks)/\w+\.py)((?: [^\s`|#;&]+)*)")
WORKED_OUT = re.compile(r"\$\([^)]*\)")
COMMAND = re.compile(r"/([a-z][a-z_-]*)(?: [^/]*)?")
OTHERS = {
    *("newbot", "mybots", "revoke", "setprivacy", "setjoingroups"),  # BotFather's
    *("daybook", "invite"),  # Slack's
    *("healthz", "readyz", "metrics"),  # pages
    *("data", "backups", "tmp"),  # folders
    *("command", "name"),  # any
}


def entered() -> Iterator[tuple[str, str]]:
    """Give each line of each block, and each piece of code in a sentence, with its page."""
    for page in files(".md"):
        text = page.read_text(encoding="utf-8")
        for _, block in BLOCK.findall(text):
            lines = WORKED_OUT.sub("x", block).splitlines()
            yield from ((name_of(page), line) for line in lines)
        for span in SPAN.findall(BLOCK.sub("", text)):
            yield name_of(page), span


def test_every_start_of_the_program_can_be_understood() -> None:
    found = [(page, words) for page, line in entered() for words in RUN.findall(line)]

    assert len({words for _, words in found}) > len(VERBS)
    assert [(page, words) for page, words in found if not _is_understood(words)] == []


def shell_lines() -> Iterator[tuple[str, str]]:
    """Give each line that a page tells to enter into a shell, or to have cron enter."""
    for page in files(".md"):
        for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for line in PLACEHOLDER.sub("x", block).replace("\\\n", " ").splitlines():
                if not language and (entered := PROMPT.match(line)):
                    yield name_of(page), line[entered.end() :]


def test_every_line_for_a_shell_can_be_read_by_one() -> None:
    lines = list(shell_lines())
    wrong = [
        (page, line, done.stderr)
        for page, line in lines
        if (done := subprocess.run(["sh", "-nc", line], capture_output=True, text=True)).returncode
    ]

    assert {"docs/backup.md", "docs/deploy.md", "docs/running.md"} <= {page for page, _ in lines}
    assert wrong == []


def test_cron_is_given_no_bare_percent_sign() -> None:
    """It would take it for the end of the line."""
    found = [line for _, line in entered() if CRON.match(line)]

    assert len(found) > 1
    assert [line for line in found if re.search(r"(?<!\\)%", line)] == []


def test_every_verb_is_explained() -> None:
    told = {words.split()[0] for _, line in entered() for words in RUN.findall(line) if words}

    assert set(VERBS) - told - {"serve"} == set()


def _is_understood(words: str) -> bool:
    """Parse what stands behind ``run.py``; what stands in brackets may be given."""
    given = shlex.split(re.sub(r"[\[\]]", "", words))
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("--config")
    parser.add_argument("--version", action="store_true")
    if given and not given[0].startswith("-"):
        if given[0] not in VERBS:
            return False
        VERBS[given.pop(0)].add_arguments(parser)
    try:
        return not parser.parse_known_args(given)[1]
    except (argparse.ArgumentError, SystemExit):
        return False


@pytest.mark.parametrize("words", [" frobnicate", " status --now", " pair", " export"])
def test_what_is_no_start_of_the_program_is_noticed(words: str) -> None:
    assert not _is_understood(words)


def test_every_script_is_there_and_has_the_options_that_it_is_given() -> None:
    wrong = []
    for page, line in entered():
        for script, words in SCRIPT.findall(line):
            path = ROOT / script
            source = path.read_text(encoding="utf-8") if path.exists() else ""
            options = re.findall(r" (--[a-z][a-z-]*)", words)
            if not source or not all(f'"{option}"' in source for option in options):
                wrong.append(f"{page}: {script}{words}")

    assert wrong == []


def test_every_command_that_is_named_can_be_given() -> None:
    known = _commands() | OTHERS
    named = {
        (page, command[1])
        for page, code in entered()
        if (command := COMMAND.fullmatch(code)) is not None
    }

    assert {name for _, name in named} >= {"new", "status", "remind"}
    assert {(page, name) for page, name in named if name not in known} == set()


def test_every_heading_of_a_command_is_one() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")

    assert set(re.findall(r"^## /(\w+)", text, re.MULTILINE)) == _commands()


def _commands() -> set[str]:
    """Name every command of the bot's own and of the plugins that come along."""
    calls = [
        node
        for _, tree in python_files("bot/runtime/", "plugins/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    ]
    names = [
        *(_named(call) for call in calls if ast.unparse(call.func) == "Command"),
        *(call.args[0] for call in calls if ast.unparse(call.func) == "api.command"),
    ]
    return {str(name.value) for name in names if isinstance(name, ast.Constant)}


def _named(call: ast.Call) -> ast.expr | None:
    return next((each.value for each in call.keywords if each.arg == "name"), None)


def test_settings_that_are_shown_obey_the_schema() -> None:
    schema = json.loads((ROOT / "docs" / "config.schema.json").read_text(encoding="utf-8"))
    shown = [
        (name_of(page), block)
        for page in files(".md")
        for language, block in BLOCK.findall(page.read_text(encoding="utf-8"))
        if language == "json"
    ]

    assert len(shown) > 3
    for page, block in shown:
        whole = block if block.startswith("{") else f"{{{block}}}"
        jsonschema.validate(json.loads(whole), schema), page
