"""Documents say what is so: made from the code where that can be, checked against it elsewhere."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # ships none
import pytest

from bot.app.plugins import BUILT_IN_COMMANDS
from bot.config import Config
from scripts.generate_docs import PAGES
from tests.repo.tree import PRODUCT, ROOT, files, name_of, python_files

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2`*\s*$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ +(.+?) *#*$", re.MULTILINE)
MAX_README_LINES = 120


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def headings_of(path: Path) -> list[str]:
    return HEADING.findall(FENCE.sub("", path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", PAGES)
def test_what_is_made_from_the_code_is_as_the_code_says(name: str) -> None:
    """Run scripts/generate_docs.py when this fails."""
    assert text_of(name) == PAGES[name]()


def test_every_key_of_the_settings_is_explained() -> None:
    page = text_of("docs/config.md")
    missing = [key for key in Config.model_fields if not re.search(rf"^\| `{key}[`.]", page, re.M)]

    assert missing == []


def test_the_tracked_settings_obey_the_schema() -> None:
    schema = json.loads(text_of("docs/config.schema.json"))
    jsonschema.Draft202012Validator.check_schema(schema)

    jsonschema.validate(json.loads(text_of("config.json")), schema)


def test_every_command_has_a_heading() -> None:
    names = {f"/{name}" for name in _commands()}
    headings = set(headings_of(ROOT / "docs" / "commands.md"))

    assert names
    assert names - headings == set()


def test_no_plugin_may_take_the_name_of_a_command() -> None:
    assert set(_commands()) - BUILT_IN_COMMANDS == set()


def _commands() -> Iterator[str]:
    for _, tree in python_files("bot/runtime/commands/"):
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id != "Command":
                continue
            for keyword in node.keywords:
                if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                    yield str(keyword.value.value)


def test_every_tool_has_a_heading() -> None:
    tools = set(_tools())
    headings = " ".join(headings_of(ROOT / "docs" / "plugins.md"))

    assert tools
    assert {tool for tool in tools if not re.search(rf"\b{tool}\b", headings)} == set()


def _tools() -> Iterator[str]:
    for _, tree in python_files("plugins/"):
        for node in ast.walk(tree):
            if isinstance(node, ast.AsyncFunctionDef) and any(
                ast.unparse(decorator).startswith("api.tool") for decorator in node.decorator_list
            ):
                yield node.name


def test_every_line_of_the_log_is_explained() -> None:
    events = set(_events())
    page = text_of("docs/running.md")

    assert events
    assert {event for event in events if f"`{event}`" not in page} == set()


def _events() -> Iterator[str]:
    for _, tree in python_files(*PRODUCT):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                is_log = ast.unparse(node.func.value) == "logger" and node.func.attr != "debug"
                names = [each.value for each in node.args if isinstance(each, ast.Constant)]
                yield from (str(name) for name in names if is_log)


def test_the_readme_stays_short() -> None:
    assert len(text_of("README.md").splitlines()) <= MAX_README_LINES


def test_links_lead_somewhere() -> None:
    broken = []
    for page in files(".md"):
        prose = CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
        for link in LINK.findall(prose):
            if not re.match(r"[a-z]+:", link) and not _leads_somewhere(page, link):
                broken.append(f"{name_of(page)}: {link}")

    assert broken == []


def _leads_somewhere(page: Path, link: str) -> bool:
    place, _, anchor = link.partition("#")
    target = page.parent / place if place else page
    if not target.exists():
        return False
    return not anchor or anchor in {_anchor_of(heading) for heading in headings_of(target)}


def _anchor_of(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.replace(" ", "-")
