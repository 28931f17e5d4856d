"""The manifest names what the bot uses, no more and no less, and the manual says so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot import cli
from bot.app import slack_manifest
from channels.slack.commands import COMMAND_FOR_ALL
from channels.slack.events import SUBSCRIPTIONS
from channels.slack.manifest import SCOPES, manifest

ROOT = Path(__file__).parent.parent.parent
URL = "https://bot.example.org/slack/events"
SCOPE_OF = {
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "app_mention": "app_mentions:read",
    "assistant_thread_started": "assistant:write",
    "assistant_thread_context_changed": "assistant:write",
    "agent_session_stopped": "assistant:write",
    "app_home_opened": None,
}
"""Source: docs.slack.dev, Events, "Required scopes" of each, read 2026-11-30."""


def test_every_event_has_its_scope() -> None:
    assert set(SUBSCRIPTIONS) == set(SCOPE_OF)
    assert {scope for scope in SCOPE_OF.values() if scope} <= set(SCOPES)


def test_the_manual_says_what_each_scope_is_for() -> None:
    page = (ROOT / "docs" / "slack.md").read_text(encoding="utf-8")
    section = page.partition("## The manifest")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `([a-z_:]+)` \| (.+) \|$", section, re.MULTILINE))

    assert rows == SCOPES


def test_over_sockets_no_address_is_named() -> None:
    text = json.dumps(manifest())

    assert manifest()["settings"]["socket_mode_enabled"] is True  # type: ignore[index]  # JSON
    assert "url" not in text


def test_over_http_everything_goes_to_one_address() -> None:
    app = manifest(http_url=URL)
    commands = app["features"]["slash_commands"]  # type: ignore[index]  # JSON
    settings = app["settings"]
    assert isinstance(settings, dict)

    assert settings["socket_mode_enabled"] is False
    assert {URL} == {each["url"] for each in commands}
    assert {URL} == {
        settings[part]["request_url"] for part in ("event_subscriptions", "interactivity")
    }
    assert set(manifest()["settings"]) == set(settings)  # type: ignore[call-overload]  # JSON


def test_short_names_are_commands_of_the_bot() -> None:
    names = {each["command"] for each in manifest()["features"]["slash_commands"]}  # type: ignore[index]  # JSON

    known = ("context", "memory", "usage", "config", "stop")
    assert names - {COMMAND_FOR_ALL} == {f"/{name}" for name in known}


@pytest.mark.parametrize("address", ["", URL])
def test_the_command_line_prints_it(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.main(["slack-manifest", *(["--http", address] if address else [])])

    assert code == 0
    assert json.loads(capsys.readouterr().out) == manifest(http_url=address)


def test_slack_calls_nothing_that_is_not_encrypted(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.EXIT_USAGE == cli.main(["slack-manifest", "--http", "http://bot.example.org"])
    assert "--http takes the https:// address" in capsys.readouterr().err


def test_the_page_in_the_manual_is_the_one_over_sockets() -> None:
    page = (ROOT / "docs" / "slack-manifest.json").read_text(encoding="utf-8")

    assert page == f"{slack_manifest()}\n"
