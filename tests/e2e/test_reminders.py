"""Reminders as people and models keep them, list them and take them back."""

from dataclasses import replace
from datetime import timedelta

from bot.config import Config
from bot.core.chat import (
    Capabilities,
    PersonKey,
)
from bot.core.reminders import MOST_OPEN, ZoneName
from bot.ports import Granted
from bot.testing.clock import START, FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel, calling
from tests.e2e.conftest import OpenStore, passes, told
from tests.e2e.reminding import (
    ANN,
    BREAD,
    CONFIG,
    DAILY,
    DAY_S,
    HOME,
    HOUR_S,
    keep,
    talking,
    times_told,
)

IN_LISBON = Config(access="open", plugins=("reminders",), timezone="Europe/Lisbon")
BUTTONS = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True)


async def test_the_model_keeps_a_reminder_in_the_time_of_the_person(open_store: OpenStore) -> None:
    store = open_store()
    await store.choose_zone(PersonKey("loopback::1001"), ZoneName("Asia/Tokyo"))
    call = calling("remind", text="call Ann", at_local="2026-01-06T09:00")
    model = ScriptedModel([call, "I will."])
    async with Dialogue(model, config=IN_LISBON, store=store) as dialogue:
        await dialogue.says("remind me tomorrow at 9 to call Ann")
        assert "It is Monday, 2026-01-05 18:00 (Asia/Tokyo)." in told(model.requests[0])
        listed = await dialogue.says("/reminders")
        await passes(dialogue, 15 * HOUR_S - 1)
        assert not any("⏰" in text for text in dialogue.channel.texts())
        await passes(dialogue, 1)

        assert "Tuesday, 2026-01-06 09:00 (Asia/Tokyo): call Ann" in listed[0]
        assert "⏰ Reminder: call Ann" == dialogue.channel.texts()[-1]
        await passes(dialogue, DAY_S)
        assert 1 == times_told(dialogue, "call Ann")
        assert (await dialogue.says("/reminders"))[0].startswith("No reminder is open here.")


async def test_people_write_them_list_them_and_cancel_by_button_or_number() -> None:
    channel = LoopbackChannel(capabilities=BUTTONS)
    async with Dialogue(ScriptedModel(), config=CONFIG, channel=channel) as dialogue:
        (kept,) = await dialogue.says("/remind tomorrow 9:00 call Ann")
        await dialogue.says("/remind every weekday 8:00 stand up")
        (listed,) = await dialogue.says("/reminders")
        await dialogue.presses("Cancel 1")
        (cancelled,) = await dialogue.says("/reminders cancel 2")
        (again,) = await dialogue.says("/reminders cancel 2")

    assert "Reminder 1: I will remind you on Tuesday, 2026-01-06 09:00 (UTC): call Ann" == kept
    assert "- **1**: Tuesday, 2026-01-06 09:00 (UTC): call Ann" in listed
    assert "- **2**: Tuesday, 2026-01-06 08:00 (UTC), every weekday: stand up" in listed
    assert any(text.startswith("Cancelled: **1**") for text in channel.texts())
    assert cancelled.startswith("Cancelled: **2**")
    assert again.startswith("There is no open reminder 2 here.")


async def test_who_was_refused_is_told_nothing_until_they_are_let_in_again(
    open_store: OpenStore,
) -> None:
    store = open_store()
    await keep(store, DAILY)
    await keep(store, replace(DAILY, kind="prompt", text="news?", origin="test 2"))
    await keep(store, replace(BREAD, text="once", origin="test 3"))
    refused = Granted(person_key=ANN.person_key, grant="refused", name="Ann")
    await store.decide_on(refused, by="test", at=START)
    channel, clock, closed = LoopbackChannel(), FakeClock(), Config(plugins=("reminders",))
    async with talking(store, channel, clock, config=closed):
        await clock.advance(HOUR_S)
        assert [] == channel.texts()
        assert 2 == len(await store.reminders_of(ANN.person_key))
    await store.decide_on(replace(refused, grant="allowed"), by="test", at=START)
    model = ScriptedModel(["The news."])
    async with talking(store, channel, clock, model=model, config=closed):
        await clock.advance(DAY_S)

        scheduled = "⏰ Scheduled for Tuesday, 2026-01-06 10:00 (UTC): news?"
        assert {"⏰ Reminder: bread", scheduled, "The news."} == set(channel.texts())


async def test_a_scheduled_prompt_is_a_turn_of_its_author(open_store: OpenStore) -> None:
    store = open_store()
    model = ScriptedModel(["Two are open.", "One is open."])
    async with Dialogue(model, config=CONFIG, store=store) as dialogue:
        (kept,) = await dialogue.says("/remind every weekday 8:00 prompt: what is open?")
        await passes(dialogue, 2 * DAY_S)

        assert "I will ask the model this on Tuesday, 2026-01-06 08:00 (UTC)" in kept
        assert [
            kept,
            "⏰ Scheduled for Tuesday, 2026-01-06 08:00 (UTC): what is open?",
            "Two are open.",
            "⏰ Scheduled for Wednesday, 2026-01-07 08:00 (UTC): what is open?",
            "One is open.",
        ] == dialogue.channel.texts()
        assert (
            "[Scheduled for Tuesday, 2026-01-06 08:00 (UTC), every weekday; nobody wrote just "
            "now.]\nwhat is open?"
        ) in told(model.requests[0])
        (spent,) = await store.spent_in(
            ((START, START + timedelta(days=9)),), person_key=PersonKey("loopback::1001")
        )
        assert 2 == spent.calls


async def test_a_group_sees_its_own_reminders_alone(open_store: OpenStore) -> None:
    store = open_store()
    config = Config(access="open", plugins=("reminders",), admins=("loopback:1",))
    await keep(store, replace(BREAD, text="a secret"))
    async with Dialogue(ScriptedModel(), config=config, store=store) as dialogue:
        channel = dialogue.channel

        async def says(text: str, user: str) -> str:
            message = channel.message(text, user=user, chat="-4002", kind="group")
            await dialogue.together(message)
            return channel.texts("-4002")[-1]

        await says("/remind 18:00 pizza", "1001")
        own, others = await says("/reminders", "1001"), await says("/reminders", "2002")
        refused = await says("/reminders cancel 2", "2002")
        of_admin = await says("/reminders", "1")
        private = (await dialogue.says("/reminders"))[0]
        by_admin = await says("/reminders cancel 2", "1")

    assert "pizza" in own
    assert "a secret" not in own
    assert others.startswith("No reminder is open here.")
    assert refused.startswith("There is no open reminder 2 here.")
    assert "for Person 1001" in of_admin
    assert "a secret" in private
    assert "pizza" in private
    assert by_admin.startswith("Cancelled: **2**")


async def test_nobody_has_more_than_fifty() -> None:
    async with Dialogue(ScriptedModel(), config=CONFIG) as dialogue:
        for number in range(MOST_OPEN):
            await dialogue.says(f"/remind tomorrow 9:00 thing {number}")
        (refused,) = await dialogue.says("/remind tomorrow 9:00 one more")

    assert "50 reminders are open, which is the most. Cancel some first." == refused


async def test_the_time_zone_is_said_chosen_and_given_up(open_store: OpenStore) -> None:
    store, channel = open_store(), LoopbackChannel()
    async with talking(store, channel, FakeClock(), config=IN_LISBON) as dialogue:
        (before,) = await dialogue.says("/timezone")
        (unknown,) = await dialogue.says("/timezone toyko")
        (chosen,) = await dialogue.says("/timezone asia/tokyo")
        (kept,) = await dialogue.says("/remind tomorrow 9:00 x")
    async with talking(store, channel, FakeClock(), config=IN_LISBON) as dialogue:
        (after,) = await dialogue.says("/timezone")
        (given_up,) = await dialogue.says("/timezone default")

    assert before.startswith(
        "Your time zone is Europe/Lisbon, where it is Monday, 2026-01-05 09:00"
    )
    assert "Asia/Tokyo" in unknown
    assert chosen.startswith("Your time zone is Asia/Tokyo, where it is Monday, 2026-01-05 18:00")
    assert "Tuesday, 2026-01-06 09:00 (Asia/Tokyo)" in kept
    assert after.startswith("Your time zone is Asia/Tokyo")
    assert given_up.startswith("Your time zone is Europe/Lisbon")


async def test_a_time_zone_by_its_offset_is_shown_as_it_was_meant() -> None:
    async with Dialogue(ScriptedModel(), config=CONFIG) as dialogue:
        (chosen,) = await dialogue.says("/timezone UTC+2")
        (kept,) = await dialogue.says("/remind 18:00 x")
        (half,) = await dialogue.says("/timezone utc+5:30")
        (far,) = await dialogue.says("/timezone GMT+20")
        (machines,) = await dialogue.says("/timezone localtime")
        (after,) = await dialogue.says("/timezone")

    assert chosen.startswith("Your time zone is UTC+2, where it is Monday, 2026-01-05 11:00")
    assert "Monday, 2026-01-05 18:00 (UTC+2)" in kept
    assert half == "There is no time zone 'utc+5:30'. Name a city of yours, such as Asia/Kolkata."
    assert all("Etc/GMT" not in each for each in (chosen, kept, half, far, machines, after))
    assert machines.startswith("There is no time zone 'localtime'.")
    assert after.startswith("Your time zone is UTC+2")


async def test_a_time_zone_by_what_people_call_it() -> None:
    async with Dialogue(ScriptedModel(), config=CONFIG) as dialogue:
        (by_letters,) = await dialogue.says("/timezone JST")
        (by_city,) = await dialogue.says("/timezone 北京时间")
        (without_plus,) = await dialogue.says("/timezone UTC 9")
        (mistakable,) = await dialogue.says("/timezone CST")
        (unknown,) = await dialogue.says("/timezone no such place")

    assert by_letters.startswith("Your time zone is Asia/Tokyo, where it is")
    assert by_city.startswith("Your time zone is Asia/Shanghai, where it is")
    assert without_plus.startswith("Your time zone is UTC+9, where it is")
    assert mistakable == (
        "Several countries call their time 'CST'. Name a city: America/Chicago, Asia/Shanghai."
    )
    assert unknown.startswith("There is no time zone 'no such place'.")


async def test_the_platforms_time_zone_holds_where_nobody_chose(open_store: OpenStore) -> None:
    model = ScriptedModel(["Good.", "Fine."])
    async with Dialogue(model, config=CONFIG, store=open_store()) as dialogue:
        message = dialogue.channel.message("hello")
        sender = replace(message.sender, timezone="America/New_York")
        await dialogue.together(replace(message, sender=sender))
        group = dialogue.channel.message("hello", chat="-4002", kind="group")
        await dialogue.together(replace(group, sender=sender))

    assert "It is Monday, 2026-01-05 04:00 (America/New_York)." in told(model.requests[0])
    assert "It is Monday, 2026-01-05 09:00 (UTC)." in told(model.requests[1])
    assert "For Person 1001#1001 it is Monday, 2026-01-05 04:00 (America/New_York)." in told(
        model.requests[1]
    )


async def test_a_chat_with_a_reminder_outlasts_the_clean_up(open_store: OpenStore) -> None:
    config = Config(access="open", plugins=("reminders",), conversation_max_age_days=1)
    model, store = ScriptedModel(["Hello."] * 2), open_store()
    async with Dialogue(model, config=config, store=store) as dialogue:
        await dialogue.says("hello")
        await dialogue.says("/remind 2026-01-09 9:00 renew the passport")
        await dialogue.says("hello", chat="2002", user="2002")
        await passes(dialogue, 4 * DAY_S)

        assert "⏰ Reminder: renew the passport" == dialogue.channel.texts()[-1]
        assert 1 == len((await store.load(HOME.session_key)).turns)
