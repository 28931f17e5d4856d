"""Where a model's key is wrong, doctor names what the settings really read it from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.adapters.clock import SystemClock
from bot.app import model_check
from bot.app.model_check import KEY, KEY_VARIABLE, check_model
from bot.config import load, read_own_files
from bot.core.findings import Finding
from bot.testing.anthropic_server import PretendedAnthropic

TAKEN = "the-key-" + "that-is-taken"
WRONG = "another-" + "key-altogether"
NONE: Mapping[str, str] = {}


async def found(
    folder: Path,
    vendor: PretendedAnthropic | None,
    api_key: str | None,
    *,
    environ: Mapping[str, str] = NONE,
    dotenv: str = "",
) -> Finding:
    """Look with these settings, whose ``config.local.json`` says what the key is."""
    file = folder / "config.json"
    file.write_text(json.dumps({"anthropic": {"api_key": "${ANTHROPIC_API_KEY}"}}))
    keys = {"base_url": vendor.base_url} if vendor else {}
    own = {"anthropic": {"api_key": api_key, **keys}} if api_key != "unsaid" else {}
    (folder / "config.local.json").write_text(json.dumps(own))
    (folder / ".env").write_text(dotenv)
    held = read_own_files(file).look_up(environ, KEY, KEY_VARIABLE)
    return (await check_model(load(file, environ), SystemClock(), held))[0]


@pytest.mark.parametrize(
    ("api_key", "environ", "dotenv", "place"),
    [
        ("${MODEL_API_KEY}", NONE, f"MODEL_API_KEY={WRONG}\n", "MODEL_API_KEY"),
        (
            "${MODEL_API_KEY}",
            {"MODEL_API_KEY": WRONG},
            f"MODEL_API_KEY={TAKEN}\n",
            "MODEL_API_KEY of the environment",
        ),
        (
            "${MODEL_API_KEY}",
            {"DAYBOOK_ANTHROPIC__API_KEY": WRONG},
            "",
            "DAYBOOK_ANTHROPIC__API_KEY of the environment",
        ),
        (WRONG, NONE, "", "anthropic.api_key of config.local.json"),
    ],
)
async def test_a_key_that_another_server_refuses(
    tmp_path: Path, api_key: str, environ: Mapping[str, str], dotenv: str, place: str
) -> None:
    async with PretendedAnthropic(api_key=TAKEN) as vendor:
        finding = await found(tmp_path, vendor, api_key, environ=environ, dotenv=dotenv)

    assert ("broken", f"put a key that server takes into {place}") == (finding.grade, finding.mend)
    assert WRONG not in finding.seen


async def test_the_vendors_page_is_named_for_the_vendors_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with PretendedAnthropic(api_key=TAKEN) as vendor:
        monkeypatch.setattr(model_check, "VENDOR_URL", vendor.base_url)
        finding = await found(tmp_path, vendor, "${A_KEY}", dotenv=f"A_KEY={WRONG}\n")

    page = "https://console.anthropic.com, API Keys"
    assert f"put a key that works ({page}) into A_KEY" == finding.mend


@pytest.mark.parametrize(
    ("api_key", "mend"),
    [("${MODEL_API_KEY}", "put MODEL_API_KEY=… into .env"), (None, "let `python3 run.py setup`")],
)
async def test_a_server_that_wants_a_key_where_none_is_set(
    tmp_path: Path, api_key: str | None, mend: str
) -> None:
    async with PretendedAnthropic(api_key=TAKEN) as vendor:
        finding = await found(tmp_path, vendor, api_key)

    assert "broken" == finding.grade
    assert finding.seen.endswith("the server at 127.0.0.1 wants a key, and none is set")
    assert finding.mend.startswith(mend)
    assert "console.anthropic.com" not in finding.mend


async def test_a_server_that_wants_no_key_is_not_said_to_have_taken_one(tmp_path: Path) -> None:
    async with PretendedAnthropic() as vendor:
        finding = await found(tmp_path, vendor, None)

    assert "claude-sonnet-5-5 is there at 127.0.0.1" == finding.seen


@pytest.mark.parametrize(
    ("api_key", "mend"),
    [("unsaid", "put ANTHROPIC_API_KEY=… into .env"), (None, "let `python3 run.py setup`")],
)
async def test_no_model_at_all(
    tmp_path: Path, api_key: str | None, mend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key in ``.env`` has no effect where the settings were told to do without."""

    async def none_here() -> None:
        return None

    monkeypatch.setattr(model_check, "find_local_model", none_here)

    finding = await found(tmp_path, None, api_key)

    assert "warning" == finding.grade
    assert finding.mend.startswith(mend)
    assert "https://console.anthropic.com" in finding.mend
