"""The doctor on Slack: what is well, what is not, and what mends it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import pytest
from pydantic import ValidationError

from bot.api import Finding
from bot.testing.recording import RecordingInbox, WatchedClock, running
from bot.testing.slack_http import free_port
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build
from channels.slack.manifest import SCOPES

ALL = tuple(SCOPES)
NOTHING: Mapping[str, object] = {}
SECRET = "0123456789abcdef" * 2


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as slack:
        slack.scopes = ALL
        yield slack


async def see(
    slack: PretendedSlack, *, is_running: bool = False, given: Mapping[str, object] = NOTHING
) -> dict[str, list[Finding]]:
    channel = build(Settings.model_validate({**slack.settings, **given}), WatchedClock())
    try:
        found: dict[str, list[Finding]] = {}
        for each in await channel.examine(is_running=is_running):
            found.setdefault(each.check, []).append(each)
        return found
    finally:
        await channel.close()


async def see_one(
    slack: PretendedSlack,
    check: str,
    *,
    is_running: bool = False,
    given: Mapping[str, object] = NOTHING,
) -> Finding:
    (finding,) = (await see(slack, is_running=is_running, given=given))[check]
    return finding


async def test_all_is_well(slack: PretendedSlack) -> None:
    found = await see(slack)

    assert ["bot_token", "scopes", "events", "clock", "app_token"] == list(found)
    assert (
        "the bot token is that of @daybook in the workspace Example" == found["bot_token"][0].seen
    )
    graded = {check: found[check][0].grade for check in found if check != "clock"}
    assert {"ok"} == set(graded.values())
    assert "slack-manifest" in found["events"][0].mend
    assert 0 == slack.connections


@pytest.mark.parametrize(("scope", "grade"), [("files:read", "warning"), ("chat:write", "broken")])
async def test_a_scope_is_missing(slack: PretendedSlack, scope: str, grade: str) -> None:
    slack.scopes = tuple(each for each in ALL if each != scope)
    found = await see(slack)
    (finding,) = found["scopes"]

    assert (grade, f"the bot token lacks {scope} ({SCOPES[scope]})") == (
        finding.grade,
        finding.seen,
    )
    assert "slack-manifest" in finding.mend
    assert "events" not in found


async def test_this_clock_is_not_slacks(slack: PretendedSlack) -> None:
    """The pretended server lives by the machine's clock, the channel by a fake one."""
    finding = await see_one(slack, "clock")

    assert "warning" == finding.grade
    assert "behind the platform's" in finding.seen


async def test_tokens_are_refused(slack: PretendedSlack) -> None:
    slack.fail("auth.test", "token_revoked")
    slack.fail("apps.connections.open", "not_allowed_token_type")
    found = await see(slack, given={"channels": ("C1ROOM",)})

    assert ["broken", "broken"] == [found[check][0].grade for check in ("bot_token", "app_token")]
    assert "Bot User OAuth Token" in found["bot_token"][0].mend
    assert "connections:write" in found["app_token"][0].mend
    assert ["bot_token", "app_token"] == list(found)


@pytest.mark.parametrize(
    ("key", "prefix", "line"),
    [
        ("bot_token", "xapp-", r"holds an app token \(xapp-…\); here belongs one with xoxb-…"),
        ("app_token", "xoxb-", r"holds a bot token \(xoxb-…\); here belongs one with xapp-…"),
        ("bot_token", "xoxp-", r"holds a person's token \(xoxp-…\); here belongs one with xoxb-…"),
    ],
)
def test_a_token_in_the_place_of_another_is_told_by_its_beginning(
    key: str, prefix: str, line: str
) -> None:
    tokens = {"bot_token": "xoxb-1", "app_token": "xapp-1"}
    with pytest.raises(ValidationError, match=line) as refused:
        Settings.model_validate({**tokens, key: f"{prefix}fake"})

    assert "fake" not in str(refused.value)
    assert "xoxb-1" == Settings.model_validate(tokens).bot_token.get_secret_value()


async def test_slack_cannot_be_reached(slack: PretendedSlack) -> None:
    found = await see(slack, given={"base_url": "http://127.0.0.1:9/api/"})

    assert {"https_proxy"} == {
        word for each in found.values() for word in ("https_proxy",) if word in each[0].mend
    }
    assert {"broken"} == {each[0].grade for each in found.values()}


async def test_channels_that_it_is_not_in(slack: PretendedSlack) -> None:
    slack.state.channels |= {"C1ROOM": "channel"}
    found = await see(slack, given={"channels": ("C1ROOM", "C2GONE")})

    assert ["the bot is not in the channel C2GONE"] == [each.seen for each in found["channels"]]
    assert "/invite" in found["channels"][0].mend


async def test_over_http_the_secret_is_one(slack: PretendedSlack) -> None:
    finding = await see_one(
        slack, "signing_secret", given={"mode": "http", "signing_secret": "no secret"}
    )

    assert "broken" == finding.grade
    assert "Signing Secret" in finding.mend
    assert "no secret" not in finding.seen + finding.mend


async def test_over_http_the_running_bot_is_asked(slack: PretendedSlack) -> None:
    http: dict[str, object] = {"mode": "http", "signing_secret": SECRET, "http_port": free_port()}
    off = await see_one(slack, "requests", given=http)
    nobody = await see_one(slack, "requests", is_running=True, given=http)
    settings = Settings.model_validate({**slack.settings, **http})
    async with running(build(settings, WatchedClock()), RecordingInbox()):
        there = await see_one(slack, "requests", is_running=True, given=http)
        http["signing_secret"] = "f" * 32
        other = await see_one(slack, "requests", is_running=True, given=http)

    assert ["ok", "broken", "ok", "broken"] == [each.grade for each in (off, nobody, there, other)]
    assert f"nobody answers at http://127.0.0.1:{http['http_port']}/slack/events" in nobody.seen
    assert "does not take requests signed by these settings" in other.seen
