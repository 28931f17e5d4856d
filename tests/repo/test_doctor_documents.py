"""What ``doctor`` finds stands in the documents, all of it and nothing else."""

import ast
import re

import pytest

from tests.repo.findings import ANYWHERE, PLACES, ids_in_code
from tests.repo.tree import PRODUCT, ROOT, python_files

PLATFORMS = {"telegram": "docs/telegram.md", "slack": "docs/slack.md"}


def rows_of(page: str, heading: str) -> list[str]:
    """Give the first cells of the tables below a heading, without their quotes."""
    text = (ROOT / page).read_text(encoding="utf-8")
    section = re.split(r"^## ", text.partition(f"\n{heading}\n")[2], maxsplit=1, flags=re.M)[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.M)


def test_findings_are_made_where_their_ids_are_read() -> None:
    makers = {
        name
        for name, tree in python_files(*PRODUCT)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Area", "Finding")
    }

    elsewhere = {name for name in makers if not name.startswith((*PLACES, "bot/testing/"))}
    assert elsewhere == {"bot/core/findings.py"}


def test_every_finding_has_a_row_and_every_row_a_finding() -> None:
    found = {each for each in ids_in_code() if each.partition(".")[0] not in PLATFORMS}
    rows = rows_of("docs/doctor.md", "## All findings")

    assert f"{ANYWHERE}.reach" in found
    assert sorted(found) == sorted(rows)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_so_it_is_with_those_of_a_platform(platform: str) -> None:
    found = {each for each in ids_in_code() if each.partition(".")[0] == platform}
    rows = rows_of(PLATFORMS[platform], "## What doctor finds")

    assert found
    assert sorted(found) == sorted(f"{platform}.{row}" for row in rows)
