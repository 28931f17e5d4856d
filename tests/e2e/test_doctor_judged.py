"""Where ``doctor`` draws the line, and what of a running bot is another matter."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.search.examining import IndexLook
from bot.adapters.store.examining import KeptLook
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.reminders import RemindersLook
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app.caps_check import judge_caps
from bot.app.data_check import GOOD_FREE_FILES, LEAST_FREE_FILES, judge_free_files, judge_shut
from bot.app.model_check import SLOW_S, judge_latency
from bot.app.settings_check import OLDEST_PYTHON, judge_python
from bot.app.stored_check import (
    LONG_FORGETTING_S,
    MOST_LAG,
    MOST_LOG_BYTES,
    STUCK_AFTER,
    check_stored,
    judge_index,
    judge_kept,
    judge_log,
)
from bot.config import Config, load
from bot.config.costs import PriceKeys
from bot.core.attendance import LONGEST_BREAK, Stretch
from bot.core.backlog import Backlog
from bot.core.chat import PersonKey, SessionKey
from bot.core.cost import Spent, SpentLine, UnpricedLine
from bot.core.findings import Finding, Grade, finding_from
from bot.core.llm import Payer, Usage
from bot.ports import EVERYWHERE, Override
from bot.runtime.checkup import OVERDUE_S
from bot.runtime.health import REMINDER_LATE_S
from bot.testing.clock import START
from tests.e2e.test_command_line import write_config

SECOND = timedelta(seconds=1)


def kept(
    *,
    backlog: Backlog | None = None,
    attempts: int = 0,
    forgetting_s: float | None = None,
    overrides: tuple[Override, ...] = (),
    spent: tuple[SpentLine, ...] = (),
    unpriced: tuple[UnpricedLine, ...] = (),
    reminders: RemindersLook | None = None,
) -> KeptLook:
    asked = () if forgetting_s is None else (START - timedelta(seconds=forgetting_s),)
    return KeptLook(
        backlog=backlog or Backlog(),
        most_attempts=attempts,
        set_aside=0,
        forgettings=asked,
        overrides=overrides,
        spent=spent,
        unpriced=unpriced,
        newest_seq=0,
        stretches=(),
        reminders=reminders or RemindersLook(),
    )


def finding_of(check: str, look: KeptLook, *, is_running: bool) -> Finding:
    found = judge_kept(look, Config(), START, is_running=is_running)
    (finding,) = (each for each in found if each.check == check)
    return finding


def grade_of(check: str, look: KeptLook, *, is_running: bool) -> Grade:
    return finding_of(check, look, is_running=is_running).grade


@pytest.mark.parametrize(("late_s", "is_running", "grade"), [
    (OVERDUE_S, True, "ok"),
    (OVERDUE_S + 1, True, "warning"),
    (OVERDUE_S + 1, False, "ok"),
])  # fmt: skip
def test_work_waits_for_a_bot_that_does_not_run(
    late_s: float, is_running: bool, grade: Grade
) -> None:
    waiting = Backlog(memory_jobs=1, oldest_due_at=START - timedelta(seconds=late_s))

    assert grade == grade_of("jobs", kept(backlog=waiting), is_running=is_running)


@pytest.mark.parametrize(("attempts", "grade"), [(STUCK_AFTER - 1, "ok"), (STUCK_AFTER, "warning")])
def test_a_model_may_have_a_bad_moment(attempts: int, grade: Grade) -> None:
    assert grade == grade_of("jobs", kept(attempts=attempts), is_running=True)


@pytest.mark.parametrize(("age_s", "is_running", "grade"), [
    (LONG_FORGETTING_S, True, "ok"),
    (LONG_FORGETTING_S + 1, True, "warning"),
    (1.0, False, "warning"),
])  # fmt: skip
def test_what_is_being_forgotten_has_its_time(age_s: float, is_running: bool, grade: Grade) -> None:
    assert grade == grade_of("forgetting", kept(forgetting_s=age_s), is_running=is_running)


@pytest.mark.parametrize(("late_s", "is_running", "grade", "mend"), [
    (REMINDER_LATE_S, True, "ok", ""),
    (REMINDER_LATE_S + 1, True, "warning", "its log"),
    (REMINDER_LATE_S + 1, False, "warning", "start the bot"),
])  # fmt: skip
def test_reminders_are_told_in_time_by_a_bot_that_runs(
    late_s: float, is_running: bool, grade: Grade, mend: str
) -> None:
    late = START - timedelta(seconds=late_s)
    look = RemindersLook(kept=3, overdue=1, oldest_due_at=late, late_channels=("slack",))
    found = finding_of("reminders", kept(reminders=look), is_running=is_running)

    assert (grade, True) == (found.grade, mend in found.mend)
    assert grade == "ok" or "overdue: 1 (slack), the oldest by 1 min 31 s" in found.seen


@pytest.mark.parametrize(("gone", "seen"), [
    (LONGEST_BREAK, "the bot was never away for more than a day"),
    (timedelta(20), "away for 20 d now, since 2025-12-16 09:00 UTC: that is no chat's silence"),
])  # fmt: skip
def test_an_absence_that_goes_on_is_one(gone: timedelta, seen: str) -> None:
    once = Stretch(since=START - timedelta(days=90), until=START - gone)
    found = finding_of("attendance", replace(kept(), stretches=(once,)), is_running=False)

    assert ("ok", seen) == (found.grade, found.seen)


def test_a_damaged_reminder_is_told_before_it_is_due() -> None:
    look = RemindersLook(kept=3, damaged=2)
    found = finding_of("reminders", kept(reminders=look), is_running=True)

    assert ("warning", True) == (found.grade, "cannot be read: 2" in found.seen)


@pytest.mark.parametrize(("lag", "is_running", "grade"), [
    (MOST_LAG, True, "ok"),
    (MOST_LAG + 1, True, "warning"),
    (MOST_LAG + 1, False, "ok"),
])  # fmt: skip
def test_an_index_may_be_a_little_behind(lag: int, is_running: bool, grade: Grade) -> None:
    found = judge_index(IndexLook(applied_seq=5), lag + 5, is_running=is_running)

    assert (grade, True) == (found.grade, f" lacks: {lag}" in found.seen)


@pytest.mark.parametrize(("free", "most", "grade"), [
    (0, 0, "ok"),
    (LEAST_FREE_FILES - 1, 9_999_999, "broken"),
    (LEAST_FREE_FILES, 9_999_999, "warning"),
    (GOOD_FREE_FILES, 9_999_999, "ok"),
])  # fmt: skip
def test_a_disk_without_room_for_names(free: int, most: int, grade: Grade) -> None:
    assert grade == judge_free_files(free, most).grade


def test_limits_themselves_are_well() -> None:
    found = (
        judge_python(OLDEST_PYTHON),
        judge_log(MOST_LOG_BYTES),
        judge_latency("claude-x", SLOW_S),
    )

    assert {"ok"} == {each.grade for each in found}


@pytest.mark.parametrize(("is_read_only", "mend"), [(True, "mount"), (False, "chown")])
def test_what_cannot_be_written_is_of_somebody_else_or_on_a_disk_that_takes_nothing(
    is_read_only: bool, mend: str
) -> None:
    found = judge_shut(Path("data"), ("daybook.db",), is_read_only=is_read_only)

    assert ("broken", True) == (found.grade, mend in found.mend)


def spent(dollars: int, person: int) -> tuple[SpentLine, ...]:
    spent = Spent(usage=Usage(output_tokens=1), nano_usd=dollars * 1_000_000_000, calls=1)
    return (
        SpentLine(axis="chat", name=f"telegram:7:{person}:", spent=spent),
        SpentLine(axis="person", name=f"telegram:{person}", spent=spent),
    )


@pytest.mark.parametrize(("lines", "raised_to", "grade", "words"), [
    (spent(4, 1) + spent(4, 2), None, "ok", "nobody"),
    (spent(5, 1), None, "warning", "(person)"),
    (spent(5, 1), "5.5", "ok", "nobody"),
    (spent(10, 1), "50", "warning", "(chat)"),
    (sum((spent(4, each) for each in range(5)), ()), None, "warning", "it answers nobody"),
])  # fmt: skip
def test_caps_of_the_settings_or_those_that_admins_set(
    lines: tuple[SpentLine, ...], raised_to: str | None, grade: Grade, words: str
) -> None:
    raised = Override(
        key="caps.person_usd",
        scope=EVERYWHERE,
        value=raised_to or "",
        changed_by="telegram:1",
        changed_at=START,
    )

    found = judge_caps(kept(spent=lines, overrides=(raised,)), Config())

    assert (grade, True) == (found.grade, words in found.seen)


def test_caps_count_what_has_no_price_as_the_dearest() -> None:
    """Unless it has one by now."""
    usage = Usage(output_tokens=70_000)
    payer = Payer(
        session_key=SessionKey("telegram:7:1:"),
        person_key=PersonKey("telegram::1"),
        purpose="answer",
    )
    line = UnpricedLine(payer=payer, model="nobody-knows", asked="", usage=usage)
    look = kept(spent=spent(0, 1), unpriced=(line,))
    prices = {"nobody-knows": PriceKeys(input=0, output=0)}

    assert "warning" == judge_caps(look, Config()).grade
    assert "ok" == judge_caps(look, Config(prices=prices)).grade


async def test_a_running_bot_looks_at_what_it_keeps_and_goes_on_writing(tmp_path: Path) -> None:
    config = load(write_config(tmp_path), {})
    with lock_data_folder(config.data_dir):
        store = SqliteStore.open(config.data_dir / "daybook.db")
        await store.claim_slot("before", START, at=START)
        found = check_stored(config, SystemClock(), is_running=True)
        await store.claim_slot("after", START, at=START + SECOND)
        slots = (await store.last_slot("before"), await store.last_slot("after"))
        await store.close()

    assert {"ok"} == {each.grade for each in found}
    assert {"data.database", "data.schema", "data.jobs", "data.caps"} <= {each.id for each in found}
    assert (START, START) == slots


@pytest.mark.parametrize(
    "read", [None, [], {"area": "data"}, {"area": "a", "check": "b", "seen": "", "grade": "odd"}]
)
def test_what_is_no_finding_is_not_taken_for_one(read: object) -> None:
    with pytest.raises(ValueError, match="no finding"):
        finding_from(read)


def test_a_finding_is_read_back_as_it_was_written() -> None:
    found = Finding(area="data", check="disk", grade="broken", seen="full", mend="free some")
    written = {
        "area": "data",
        "check": "disk",
        "seen": "full",
        "grade": "broken",
        "mend": "free some",
    }

    assert found == finding_from(written)
    assert "data.disk" == found.id
