"""The form of settings as Block Kit, and as the commands that it becomes."""

from datetime import UTC, datetime

import pytest

from bot.api import ChatAddress, ChatKind, SettingField
from bot.testing.slack_blocks import faults_in_view
from bot.testing.slack_views import submit
from channels.slack.commands import Who
from channels.slack.inbound import Identity
from channels.slack.modal import Filled, read, view_of

DIRECT = ChatAddress(channel="slack", account="T0TEAM", chat="D1ADA", thread="5.5")
ROOM = ChatAddress(channel="slack", account="T0TEAM", chat="C1ROOM")
AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
WHO = Who(identity=Identity(team_id="T0TEAM", user_id="U0BOT"))
FORM = (
    SettingField(
        key="agent_max_steps",
        description="How many steps.",
        kind="number",
        value="15",
        source="the default",
        left_empty="15",
        least=1,
        most=100,
    ),
    SettingField(
        key="max_tokens",
        description="How long an answer may be.",
        kind="number",
        value="",
        source="not set",
        left_empty="not set",
        least=1,
    ),
    SettingField(
        key="model",
        description="Who answers.",
        kind="word",
        value="claude-sonnet-5-5",
        source="the operator's",
        left_empty="claude-sonnet-5-5",
    ),
    SettingField(
        key="group_mode",
        description="What is heard.",
        kind="choice",
        value="mention",
        source="the default",
        left_empty="mention",
        choices=("mention", "all", "off"),
        is_of_groups=True,
    ),
)


def filled_in(kind: ChatKind = "private", **values: str | None) -> Filled:
    address = DIRECT if kind == "private" else ROOM
    filled = read(submit(view_of(FORM, address, kind), filled=values), WHO, AT)
    assert filled is not None
    return filled


@pytest.mark.parametrize("kind", ["private", "group"])
def test_the_form_is_one_that_slack_takes(kind: ChatKind) -> None:
    view = view_of(FORM, DIRECT, kind)

    assert () == faults_in_view(view)
    fields = [each["block_id"] for each in view["blocks"] if "block_id" in each]  # type: ignore[attr-defined]  # JSON
    assert [each.key for each in FORM] == [each for each in fields if each != "scope"]
    assert ("scope" in fields) == (kind == "private")


def test_what_was_not_touched_is_not_set() -> None:
    assert () == filled_in().commands


@pytest.mark.parametrize(
    ("kind", "values", "texts"),
    [
        ("private", {"agent_max_steps": "7"}, ["/config agent_max_steps 7"]),
        (
            "private",
            {"agent_max_steps": "7", "scope": "here"},
            ["/config agent_max_steps 7 --here"],
        ),
        ("private", {"agent_max_steps": None}, ["/config agent_max_steps default"]),
        ("private", {"group_mode": "default"}, ["/config group_mode default"]),
        ("group", {"group_mode": "off"}, ["/config group_mode off --here"]),
        (
            "group",
            {"model": " claude-haiku-5-5 ", "max_tokens": "300"},
            ["/config max_tokens 300", "/config model claude-haiku-5-5"],
        ),
    ],
)
def test_what_was_changed_is_a_command(
    kind: ChatKind, values: dict[str, str | None], texts: list[str]
) -> None:
    commands = filled_in(kind, **values).commands

    assert texts == [each.text for each in commands]
    assert {"U1ADA"} == {each.sender.user_id for each in commands}
    assert {DIRECT if kind == "private" else ROOM} == {each.address for each in commands}


def test_sent_off_again_it_is_the_same_and_corrected_another() -> None:
    seven, again, eight = (filled_in(agent_max_steps=value).commands[0] for value in "778")

    assert seven == again
    assert seven.event_id != eight.event_id


def test_the_form_of_somebody_else_is_left_alone() -> None:
    payload = submit(view_of(FORM, DIRECT, "private"), filled={"agent_max_steps": "7"})
    view = payload["view"]
    assert isinstance(view, dict)
    view["callback_id"] = "other"

    assert read(payload, WHO, AT) is None
