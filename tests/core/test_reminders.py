"""When something is due, how often, how people say so, and what they read."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.calendar import CronCalendar
from bot.core.chat import ChatAddress, Sender
from bot.core.memory.said import own_words
from bot.core.reminders import (
    FARTHEST,
    MOST_TEXT_CHARS,
    SHORTEST_GAP,
    Reminder,
    ReminderId,
    Rhythm,
    ZoneName,
    announced,
    confirmation,
    due_slot,
    in_list,
    is_seen_in,
    local_moment,
    read_local,
    require_in_reach,
    rhythm_of,
    slot_message,
    told,
)
from bot.core.reminders.wording import without_lead
from bot.errors import ToolError

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour
    "Africa/Casablanca",  # put back for Ramadan
    "America/Santiago",  # at midnight
    "Pacific/Apia",
    "Asia/Kathmandu",
)
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
MONDAY = NOW.replace(tzinfo=None)
ANN = Sender(channel="telegram", user_id="1001", name="Ann")
BOB = Sender(channel="telegram", user_id="1002", name="Bob")
HOME = ChatAddress(channel="telegram", account="77", chat="1001")
GROUP = ChatAddress(channel="telegram", account="77", chat="-4002", thread="5")
BREAD = Reminder(
    id=ReminderId(7),
    author=ANN,
    address=HOME,
    chat_kind="private",
    kind="words",
    text="take the bread out",
    zone=ZoneName("Europe/Berlin"),
    due_at=NOW,
    created_at=NOW,
    origin="turn 1 a",
)


@given(
    st.integers(0, 6 * 366 * 1_440).map(lambda minutes: MONDAY + timedelta(minutes=minutes)),
    st.sampled_from(ZONES).map(ZoneInfo),
)
@settings(max_examples=100)
def test_a_moment_shows_its_local_time_or_is_where_the_clock_is_put_forward(
    local: datetime, zone: ZoneInfo
) -> None:
    moment = local_moment(local, zone)
    shown = moment.astimezone(zone)

    if shown.replace(tzinfo=None, fold=0) == local:
        assert shown.fold == 0
        return
    just_before = (moment - timedelta(seconds=1)).astimezone(zone).replace(tzinfo=None)
    assert just_before < local < shown.replace(tzinfo=None)


@pytest.mark.parametrize(
    ("local", "zone", "moment"),
    [
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:00"),
        ("2026-03-29T02:00", "Europe/Berlin", "2026-03-29T01:00"),
        ("2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00"),
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30"),
        ("2026-03-08T02:30", "America/New_York", "2026-03-08T07:00"),
        ("2026-11-01T01:30", "America/New_York", "2026-11-01T05:30"),
        ("2026-10-04T02:10", "Australia/Lord_Howe", "2026-10-03T15:30"),
        ("2026-09-06T00:20", "America/Santiago", "2026-09-06T04:00"),
        ("2026-03-29T02:30+02:00", "Europe/Berlin", "2026-03-29T00:30"),
    ],
)
def test_moments_by_name(local: str, zone: str, moment: str) -> None:
    expected = datetime.fromisoformat(moment).replace(tzinfo=UTC)

    assert expected == local_moment(read_local(local), ZoneInfo(zone))


@given(
    st.sampled_from(
        (
            *("daily", "weekdays", "weekends", "weekly", "monthly", "yearly", "hourly"),
            *("every 15 minutes", "20 minutes", "30 minutes", "every 2 hours", "mon, wed"),
        )
    ),
    st.integers(0, 366 * 1_440).map(lambda minutes: MONDAY + timedelta(minutes=minutes)),
    st.sampled_from(ZONES).map(ZoneInfo),
)
@settings(max_examples=100)
def test_nothing_comes_more_often_than_allowed(
    repeat: str, local: datetime, zone: ZoneInfo
) -> None:
    rhythm = rhythm_of(repeat, local)
    assert rhythm is not None
    calendar, moment = CronCalendar(), local.replace(tzinfo=UTC)

    for _ in range(6):
        following = calendar.next_after(rhythm.cron, moment, zone)
        after = calendar.next_after(rhythm.cron, following, zone)
        assert after - following >= SHORTEST_GAP
        moment = after


@pytest.mark.parametrize(
    ("repeat", "words", "cron"),
    [
        ("daily", "every day", "0 9 * * *"),
        ("Every Day", "every day", "0 9 * * *"),
        ("every 24 hours", "every day", "0 9 * * *"),
        ("weekdays", "every weekday", "0 9 * * 1-5"),
        ("weekends", "every Saturday and Sunday", "0 9 * * 0,6"),
        ("weekly", "every Monday", "0 9 * * 1"),
        ("sunday", "every Sunday", "0 9 * * 0"),
        ("mon, wed and FRIDAYS", "every Monday, Wednesday and Friday", "0 9 * * 1,3,5"),
        ("sunday monday", "every Monday and Sunday", "0 9 * * 0,1"),
        ("monthly", "every month on the 5th", "0 9 5 * *"),
        ("yearly", "every year", "0 9 5 1 *"),
        ("hourly", "every hour", "0 * * * *"),
        ("60 minutes", "every hour", "0 * * * *"),
        ("1 hour", "every hour", "0 * * * *"),
        ("every 20 minutes", "every 20 minutes", "0,20,40 * * * *"),
        ("every 8 hours", "every 8 hours", "0 1,9,17 * * *"),
    ],
)
def test_rhythms(repeat: str, words: str, cron: str) -> None:
    assert Rhythm(words=words, cron=cron) == rhythm_of(repeat, MONDAY)


@pytest.mark.parametrize(("repeat", "words"), [("", None), ("once", None)])
def test_once_has_no_rhythm(repeat: str, words: None) -> None:
    assert words is rhythm_of(repeat, MONDAY)


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (1, "every month on the 1st"),
        (12, "every month on the 12th"),
        (22, "every month on the 22nd"),
        (31, "every month on the 31st (in months that have one)"),
    ],
)
def test_days_of_the_month_by_their_ordinal(day: int, words: str) -> None:
    rhythm = rhythm_of("monthly", MONDAY.replace(day=day))

    assert rhythm is not None
    assert words == rhythm.words


@pytest.mark.parametrize(
    ("repeat", "why"),
    [
        ("every 5 minutes", "more often than every 15 minutes"),
        ("every 45 minutes", "no rhythm I know"),
        ("every 5 hours", "no rhythm I know"),
        ("every second week", "no rhythm I know"),
        ("* * * * *", "no rhythm I know"),
        ("\0", "no rhythm I know"),
        ("x" * 100_000, "no rhythm I know"),
    ],
)
def test_other_rhythms_are_refused(repeat: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        rhythm_of(repeat, MONDAY)


@pytest.mark.parametrize("text", ["tomorrow", "2026-13-01T00:00", ""])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="is no moment"):
        read_local(text)


@pytest.mark.parametrize("local", ["0001-01-01T00:00", "9999-12-31T23:59"])
def test_moments_at_the_ends_of_time_are_refused(local: str) -> None:
    for zone in ("Asia/Tokyo", "America/New_York"):
        try:
            moment = local_moment(read_local(local), ZoneInfo(zone))
        except ToolError:
            continue
        with pytest.raises(ToolError):
            require_in_reach(moment, NOW, BERLIN)


def test_only_what_is_to_come_and_not_too_far_is_in_reach() -> None:
    require_in_reach(NOW + timedelta(seconds=1), NOW, BERLIN)
    require_in_reach(NOW + FARTHEST, NOW, BERLIN)

    with pytest.raises(ToolError, match=r"past: it is Monday, 2026-01-05 10:00 \(Europe/Berlin\)"):
        require_in_reach(NOW, NOW, BERLIN)
    with pytest.raises(ToolError, match="five years"):
        require_in_reach(NOW + FARTHEST + timedelta(seconds=1), NOW, BERLIN)


def test_the_newest_moment_stands_for_all_that_were_slept_through() -> None:
    assert NOW == due_slot(BREAD, None)
    assert NOW + timedelta(days=2) == due_slot(BREAD, NOW + timedelta(days=2))
    assert NOW == due_slot(BREAD, NOW - timedelta(days=2))


def test_people_see_their_own_and_admins_of_a_group_all_of_it() -> None:
    in_group = replace(BREAD, address=GROUP, chat_kind="group")
    whole = GROUP.whole_chat

    assert is_seen_in(in_group, ANN, HOME, "private", is_admin=False)
    assert is_seen_in(BREAD, ANN, HOME, "private", is_admin=False)
    assert not is_seen_in(BREAD, ANN, replace(HOME, account="b2"), "private", is_admin=True)
    assert not is_seen_in(in_group, BOB, HOME, "private", is_admin=True)
    assert is_seen_in(in_group, ANN, whole, "group", is_admin=False)
    assert not is_seen_in(in_group, BOB, whole, "group", is_admin=False)
    assert is_seen_in(in_group, BOB, whole, "group", is_admin=True)
    assert not is_seen_in(BREAD, ANN, whole, "group", is_admin=True)


def test_what_is_late_says_when_it_was_due() -> None:
    assert "⏰ Reminder: take the bread out" == told(BREAD, NOW, NOW, BERLIN)
    late = told(BREAD, NOW, NOW + timedelta(minutes=6), BERLIN)
    assert (
        "⏰ Reminder (it was due on Monday, 2026-01-05 10:00 (Europe/Berlin)): take the bread out"
        == late
    )


def test_a_group_reads_whose_reminder_it_is() -> None:
    odd = replace(BREAD, chat_kind="group", author=replace(ANN, name="Ann:\nBob"))

    assert "⏰ Reminder for Ann Bob: take the bread out" == told(odd, NOW, NOW, BERLIN)


def test_the_model_is_told_that_a_prompt_was_scheduled() -> None:
    daily = replace(
        BREAD, kind="prompt", text="news?", rhythm=Rhythm(words="every day", cron="0 10 * * *")
    )

    expected = (
        "[Scheduled for Monday, 2026-01-05 10:00 (Europe/Berlin), every day; nobody wrote just "
        "now.]\nnews?"
    )
    assert expected == told(daily, NOW, NOW, BERLIN)
    assert (
        "Reminder 7: I will ask the model this on Monday, 2026-01-05 10:00 (Europe/Berlin), then "
        "every day: news?"
    ) == confirmation(daily, BERLIN)
    assert "**7**: Monday, 2026-01-05 10:00 (Europe/Berlin), every day: prompt: news?" == in_list(
        daily, BERLIN
    )


@pytest.mark.parametrize("rhythm", [None, Rhythm(words="every day", cron="0 10 * * *")])
def test_what_the_model_is_told_of_a_prompt_is_nobodys_words(rhythm: Rhythm | None) -> None:
    prompt = replace(BREAD, kind="prompt", text="news: any?\nand mail", rhythm=rhythm)
    asked = told(prompt, NOW, NOW, BERLIN)
    in_group = "Ann#12: " + asked.replace("\n", "\n  ")

    assert "news: any?\nand mail" == without_lead(asked)
    assert "Ann#12: news: any?\n  and mail" == without_lead(in_group)
    assert ("", "news: any?\nand mail") == own_words(asked, "private")
    assert ("Ann", "news: any?\nand mail") == own_words(in_group, "group")
    assert "I wrote\n[Scheduled" == without_lead("I wrote\n[Scheduled")


def test_people_are_told_which_scheduled_prompt_is_answered() -> None:
    prompt = replace(BREAD, kind="prompt", text="news?\n" + "x" * MOST_TEXT_CHARS)
    ours = replace(prompt, chat_kind="group", text="news?")

    private = announced(prompt, NOW, BERLIN)
    assert private.startswith("⏰ Scheduled for Monday, 2026-01-05 10:00 (Europe/Berlin): news? xx")
    assert len(private) < 200
    assert ("⏰ Scheduled by Ann for Monday, 2026-01-05 10:00 (Europe/Berlin): news?") == announced(
        ours, NOW, BERLIN
    )


def test_a_list_shows_the_head_of_a_long_text_and_whose_it_is() -> None:
    long = replace(BREAD, text="x" * MOST_TEXT_CHARS)

    line = in_list(long, BERLIN, with_author=True)

    assert line.startswith("**7** for Ann: Monday, 2026-01-05 10:00 (Europe/Berlin): xxx")
    assert len(line) < 200
    assert line.endswith("…")


def test_each_moment_is_a_message_of_its_own() -> None:
    first = slot_message(BREAD, NOW, "x", NOW)
    second = slot_message(BREAD, NOW.astimezone(BERLIN) + timedelta(days=1), "x", NOW)

    assert "reminder:7:20260105T090000Z" == first.event_id
    assert "reminder:7:20260106T090000Z" == second.event_id
