"""What doctor sees of a Telegram bot: each finding once, and never the token."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from aiohttp import web

from bot.adapters.clock import SystemClock
from bot.api import Clock, Finding, Grade
from bot.testing.clock import FakeClock
from bot.testing.telegram_rules import Json
from bot.testing.telegram_server import Fault, PretendedTelegram
from channels.telegram import examine as examining
from channels.telegram.examine import MOST_GROUPS, Subject, examine
from channels.telegram.plain_request import ask

WEBHOOK = "https://bot.example/telegram/hook"
NOW = SystemClock().now()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a poll come back at once, but where a test is about waiting."""
    monkeypatch.setattr(examining, "WATCH_S", 0)


async def look(
    telegram: PretendedTelegram,
    *,
    webhook_url: str | None = None,
    groups: frozenset[int] | None = None,
    is_running: bool = False,
    clock: Clock | None = None,
) -> dict[str, Finding]:
    """Give the findings by their checks."""
    subject = Subject(
        address=f"{telegram.base_url}/bot{telegram.token}",
        webhook_url=webhook_url,
        groups=groups,
        is_running=is_running,
    )
    found = await examine(subject, clock or SystemClock())
    assert telegram.token not in repr((subject, found))
    assert {"telegram"} == {each.area for each in found}
    return {each.check: each for each in found}


def grades(found: dict[str, Finding]) -> dict[str, Grade]:
    return {check: finding.grade for check, finding in found.items()}


async def test_a_bot_that_is_set_up_well(telegram: PretendedTelegram) -> None:
    telegram.state.methods["setmycommands"]({"commands": [{"command": "help"}]})
    telegram.bot["can_read_all_group_messages"] = True

    found = await look(telegram)

    checks = ("token", "clock", "joining", "privacy", "polling", "menu")
    assert dict.fromkeys(checks, "ok") == grades(found)
    assert "the token is that of @daybook_bot, https://t.me/daybook_bot" == found["token"].seen
    assert "privacy mode is off" in found["privacy"].seen
    assert "/setprivacy, @daybook_bot, Enable" in found["privacy"].mend


async def test_nothing_is_changed_and_no_update_is_taken_from_anybody(
    telegram: PretendedTelegram,
) -> None:
    telegram.says(1001, "still here")

    assert "nobody else fetches; 1 update waiting" == (await look(telegram))["polling"].seen
    assert [{}] == [
        {key: call.params[key] for key in ("offset", "allowed_updates") if key in call.params}
        for call in telegram.polls
    ]
    assert {"getUpdates"} == {call.method for call in telegram.state.calls}


async def test_privacy_mode_keeps_mentions_from_the_bot(telegram: PretendedTelegram) -> None:
    found = (await look(telegram))["privacy"]

    assert "warning" == found.grade
    assert "commands for it and replies to it; a mere mention of @daybook_bot" in found.seen
    assert "/setprivacy, @daybook_bot, Disable; then remove it" in found.mend


async def test_a_bot_that_cannot_join_groups(telegram: PretendedTelegram) -> None:
    telegram.bot["can_join_groups"] = False

    found = (await look(telegram))["joining"]

    assert "warning" == found.grade
    assert "/setjoingroups, @daybook_bot, Enable" in found.mend


async def test_a_menu_that_nobody_set(telegram: PretendedTelegram) -> None:
    stopped, running = await look(telegram), await look(telegram, is_running=True)

    assert ("warning", "start the bot") == (stopped["menu"].grade, stopped["menu"].mend[:13])
    assert ("warning", "restart the bot") == (running["menu"].grade, running["menu"].mend[:15])


@pytest.mark.parametrize(("fault", "check", "grade"), [
    ("unauthorised", "token", "broken"),
    ("not_found", "token", "broken"),
    ("rate_limited", "reach", "warning"),
    ("server_error", "reach", "broken"),
    ("garbage", "reach", "broken"),
    ("drop_before", "reach", "broken"),
])  # fmt: skip
async def test_a_telegram_that_does_not_answer_well(
    telegram: PretendedTelegram, fault: Fault, check: str, grade: Grade
) -> None:
    telegram.fail("getMe", fault)

    found = await look(telegram)

    assert {check: grade} == grades(found)
    assert found[check].mend


@pytest.mark.parametrize(("method", "seen"), [
    ("getWebhookInfo", ["token", "clock", "joining", "privacy", "reach"]),
    ("getMyCommands", ["token", "clock", "joining", "privacy", "polling", "reach"]),
])  # fmt: skip
@pytest.mark.parametrize("fault", ["drop_before", "server_error"])
async def test_what_was_seen_before_telegram_failed_is_told(
    telegram: PretendedTelegram, method: str, fault: Fault, seen: list[str]
) -> None:
    telegram.fail(method, fault)

    found = await look(telegram)

    assert set(seen) <= found.keys()
    assert "broken" == found["reach"].grade


async def test_a_place_where_nobody_listens(telegram: PretendedTelegram) -> None:
    await telegram.__aexit__()

    found = await look(telegram)

    assert {"reach": "broken"} == grades(found)
    assert "Telegram cannot be reached ([Errno" in found["reach"].seen
    assert "https_proxy" in found["reach"].mend


async def test_an_address_of_another_server() -> None:
    async def refuse(request: web.Request) -> web.Response:
        return web.Response(status=403, text=f"<html>{request.path}: no entry</html>")

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", refuse)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/bot1:x"
    try:
        (found,) = await examine(Subject(address=address), SystemClock())
    finally:
        await runner.cleanup()

    assert ("reach", "broken") == (found.check, found.grade)
    assert "(403)" in found.seen


@pytest.mark.parametrize(("days", "way"), [(1, "ahead of"), (-1, "behind")])
async def test_a_clock_that_is_off(telegram: PretendedTelegram, days: int, way: str) -> None:
    found = (await look(telegram, clock=FakeClock(NOW + timedelta(days=days))))["clock"]

    assert "warning" == found.grade
    assert f"s {way} the platform's" in found.seen


async def test_groups_that_the_bot_is_not_in(telegram: PretendedTelegram) -> None:
    telegram.state.chat(-100, "supergroup")
    telegram.state.chat(-101, "supergroup")
    telegram.state.methods["getchatmember"] = left_from(telegram, -101)

    found = await look(telegram, groups=frozenset((-100, -101, -102)))
    alone = await look(telegram, groups=frozenset((-100,)))

    assert "warning" == found["groups"].grade
    assert "take -101 out of channels.telegram.groups" in found["groups"].mend
    assert "groups" not in alone


def left_from(telegram: PretendedTelegram, group: int) -> Callable[[Json], object]:
    member = telegram.state.methods["getchatmember"]

    def answer(params: Json) -> object:
        return {"status": "left"} if int(str(params["chat_id"])) == group else member(params)

    return answer


async def test_another_program_that_fetches(
    telegram: PretendedTelegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two push each other out, as two bots with one token do."""
    monkeypatch.setattr(examining, "WATCH_S", 5)
    address = f"{telegram.base_url}/bot{telegram.token}"

    async def fetch_for_ever() -> None:
        while True:
            await asyncio.to_thread(ask, address, "getUpdates", {"timeout": 9}, timeout_s=10)

    rival = asyncio.create_task(fetch_for_ever())
    await telegram.wait_for_polls(1)

    found = (await look(telegram))["polling"]

    rival.cancel()
    assert "broken" == found.grade
    assert "another program fetches the messages of @daybook_bot" == found.seen
    assert "/revoke" in found.mend


async def test_a_running_bot_is_not_pushed_out(telegram: PretendedTelegram) -> None:
    assert "polling" not in await look(telegram, is_running=True)
    assert () == telegram.polls


async def test_a_webhook_in_the_way(telegram: PretendedTelegram) -> None:
    telegram.state.webhook.url = f"https://other.example/{telegram.token}"

    stopped, running = await look(telegram), await look(telegram, is_running=True)

    assert ("warning", "broken") == (stopped["webhook"].grade, running["webhook"].grade)
    assert "a webhook is set, to other.example: nothing can be fetched" in stopped["webhook"].seen
    assert "start the bot" in stopped["webhook"].mend
    assert "stop the program that sets it" in running["webhook"].mend
    assert "polling" not in stopped


def told(telegram: PretendedTelegram, **facts: object) -> None:
    """Let Telegram say this of the webhook."""
    whole = {"url": WEBHOOK, "pending_update_count": 0} | facts
    telegram.state.methods["getwebhookinfo"] = lambda _: whole


def seconds(at: datetime) -> int:
    return int(at.timestamp())


@pytest.mark.parametrize(("facts", "is_running", "grade", "words"), [
    ({}, True, "ok", "the webhook is set; 0 updates waiting"),
    ({"url": ""}, False, "warning", "no webhook is set"),
    ({"url": ""}, True, "broken", "no webhook is set, though the bot runs"),
    ({"url": "https://other.example/x"}, True, "broken", "leads to other.example"),
    ({"last_error_date": seconds(NOW), "pending_update_count": 1,
      "last_error_message": "Wrong response from the webhook: 502 Bad Gateway"},
     True, "broken", "502 Bad Gateway; 1 update waiting"),
    ({"last_error_date": seconds(NOW), "last_error_message": "Connection timed out"},
     True, "warning", "Telegram cannot deliver: Connection timed out"),
    ({"last_error_date": seconds(NOW), "last_error_message": "502", "pending_update_count": 2},
     False, "warning", "Telegram cannot deliver: 502; 2 updates waiting"),
    ({"last_error_date": seconds(NOW - timedelta(hours=2)), "last_error_message": "long ago"},
     True, "ok", "the webhook is set"),
])  # fmt: skip
async def test_a_bot_that_is_called(
    telegram: PretendedTelegram, facts: Json, is_running: bool, grade: Grade, words: str
) -> None:
    told(telegram, **facts)

    found = (await look(telegram, webhook_url=WEBHOOK, is_running=is_running))["webhook"]

    assert grade == found.grade
    assert words in found.seen
    assert "/telegram/hook" not in found.seen + found.mend


async def test_an_answer_without_sense_about_the_webhook(telegram: PretendedTelegram) -> None:
    telegram.state.methods["getwebhookinfo"] = lambda _: []

    assert "broken" == (await look(telegram))["reach"].grade


async def test_no_more_groups_are_looked_up_than_doctor_has_time_for(
    telegram: PretendedTelegram,
) -> None:
    await look(telegram, groups=frozenset(range(-1 - 2 * MOST_GROUPS, -1)))

    assert MOST_GROUPS == len(telegram.state.called("getChatMember"))
