"""What must stand in no file, and what must stand in the lists of requirements."""

import re
from importlib.metadata import packages_distributions

import pytest

import run
from tests.repo.tree import ROOT, files, name_of

FORBIDDEN = {
    "the path of one machine": r"(?<![\w.~])/(?:root|home|Users)/\w",
    "the address of a package index": r"pypi\.org|pythonhosted\.org|registry\.npmjs",
    "a key of Anthropic": r"sk-ant-[\w-]{20,}",
    "a token of Telegram": r"\b\d{8,10}:[A-Za-z0-9_-]{35}\b",
    "a token of Slack": r"\bxox[abeprs]-\d{6,}|\bxapp-\d-[A-Z0-9]{6,}",
    "a key of a cloud": r"\bAKIA[0-9A-Z]{16}\b",
    "a token of GitHub": r"\bgh[opsu]_[A-Za-z0-9]{30,}",
    "a private key": r"-{5}BEGIN [A-Z ]*PRIVATE KEY-{5}",
    "work put off": r"\b(?:TO" r"DO|FIX" r"ME)\b",
}
PINNED = re.compile(r"^([a-z0-9._-]+)==(\S+).*?\\\n((?:    --hash=sha256:[0-9a-f]{64}.*\n)+)", re.M)
ASKED = re.compile(r"^([a-z0-9][a-z0-9._-]*)", re.M)
EVERYWHERE = re.compile(r"^([a-z0-9][a-z0-9._-]*)(?![^#\n]*;)[^\w.-]", re.M)
"""Asked for on every platform: what a marker leaves out somewhere, the product can do without."""


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    found = [
        f"{name_of(path)}:{number}"
        for path in files()
        for number, line in enumerate(_lines(path.read_bytes()), start=1)
        if pattern.search(line)
    ]

    assert found == []


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()


@pytest.mark.parametrize("name", ["requirements", "requirements-dev"])
def test_every_requirement_is_pinned_with_its_hashes(name: str) -> None:
    pinned = _pins(f"{name}.txt")
    text = (ROOT / f"{name}.txt").read_text(encoding="utf-8")
    asked = ASKED.findall((ROOT / f"{name}.in").read_text(encoding="utf-8"))

    assert len(re.findall(r"^[a-z0-9._-]+==", text, re.M)) == len(PINNED.findall(text))
    assert set(asked) - set(pinned) == set()


def test_what_is_forced_is_pinned_with_its_hash() -> None:
    text = (ROOT / "requirements-dev-forced.txt").read_text(encoding="utf-8")

    assert set(ASKED.findall(text)) == set(_pins("requirements-dev-forced.txt")) == {"ctok"}


def _pins(name: str) -> dict[str, str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return {match[1]: match[2] for match in PINNED.finditer(text)}


def test_checks_run_on_what_the_product_runs_on() -> None:
    product, checks = _pins("requirements.txt"), _pins("requirements-dev.txt")

    assert product == {name: checks.get(name) for name in product}


def test_run_py_looks_for_every_requirement() -> None:
    asked = set(EVERYWHERE.findall((ROOT / "requirements.in").read_text(encoding="utf-8")))
    provided = packages_distributions()
    found = {each.lower().replace("_", "-") for name in run.NEEDED for each in provided[name]}

    assert found == asked
