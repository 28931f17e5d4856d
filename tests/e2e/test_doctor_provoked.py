"""Every finding of ``doctor`` about the bot itself was made by it once, and says how to mend it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bot.core.findings import Finding, Grade
from tests.e2e.doctor_provoking import PROVOKED, asking
from tests.e2e.doctoring import Machine, Provoke
from tests.repo.findings import ANYWHERE, ids_in_code


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="modes and zones are a system's own")
@pytest.mark.parametrize(
    ("id_", "grade", "provoke"),
    PROVOKED,
    ids=[f"{id_}-{provoke.__name__}" for id_, _, provoke in PROVOKED],
)
async def test_it_is_found_and_says_how_to_mend_it(
    machine: Machine, id_: str, grade: Grade, provoke: Provoke
) -> None:
    await provoke(machine)
    found = [each for each in machine.found if fits(each, id_)]

    assert [grade] == [each.grade for each in found][:1], machine.found
    assert found[0].mend or grade == "ok"


def fits(finding: Finding, id_: str) -> bool:
    area, _, check = id_.partition(".")
    return finding.check == check and area in (finding.area, ANYWHERE)


def test_each_finding_is_provoked() -> None:
    others = {each for each in ids_in_code() if each.partition(".")[0] not in ("telegram", "slack")}

    assert others == {id_ for id_, _, _ in PROVOKED}


async def test_what_is_well_is_said_to_be(machine: Machine) -> None:
    """A finding that would always warn says nothing."""
    await machine.begin()
    await asking(machine, "claude-sonnet-5-5")

    unwell = {each.id for each in machine.found if each.grade != "ok"}
    assert unwell <= {"bot.channels", "bot.packages"}
