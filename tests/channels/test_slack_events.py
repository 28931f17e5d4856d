"""The manual says of each event what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

from channels.slack.events import FATES, GREETED_TYPE, READ_TYPES, SUBSCRIPTIONS, manual
from channels.slack.inbound import Identity, to_inbound

ROOT = Path(__file__).parent.parent.parent
RECORDED = ROOT / "tests" / "data" / "channels" / "slack"
ME = Identity(team_id="T0TEAM", user_id="U0BOT")


def types_in(text: str) -> set[str]:
    return set(re.findall(r"`([a-z_]+)`", text))


def test_the_manual_has_the_table() -> None:
    assert manual() in (ROOT / "docs" / "slack.md").read_text(encoding="utf-8")


def test_every_type_that_is_read_is_in_the_table() -> None:
    told = types_in("".join(fate.event for fate in FATES))
    subtypes = {"message_changed", "message_deleted"}
    assert {*READ_TYPES, GREETED_TYPE, *subtypes} <= told
    assert {each.partition(".")[0] for each in SUBSCRIPTIONS} == told - subtypes


def test_what_is_recorded_has_the_fate_that_the_table_says() -> None:
    """Each type of event that was recorded is in the table, or is any other."""
    told = types_in("".join(fate.event for fate in FATES))
    others = set()
    for file in RECORDED.glob("*.json"):
        payload = json.loads(file.read_text(encoding="utf-8"))
        event = payload.get("event")
        if isinstance(event, dict) and event["type"] not in told:
            others.add(event["type"])
            assert to_inbound(payload, ME) is None
    assert {"channel_created"} == others


def test_the_manifest_subscribes_to_what_the_table_needs() -> None:
    manifest = json.loads((ROOT / "docs" / "slack-manifest.json").read_text(encoding="utf-8"))
    subscribed = manifest["settings"]["event_subscriptions"]["bot_events"]
    assert set(SUBSCRIPTIONS) <= set(subscribed)
