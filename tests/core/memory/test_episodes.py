"""What is a session, and what stands in its record whatever a model wrote."""

from dataclasses import replace

from bot.core.memory.episodes import Account, Unrecorded, with_task
from bot.core.tasks import TaskState
from tests.core.window.given import turns

ACCOUNT = Account(summary="Herons were counted.", open_tasks=("Count storks",))


def test_mem_1_a_session_has_two_turns_or_a_task() -> None:
    task = TaskState(goal="count")

    assert [False, False, True] == [Unrecorded(turns=turns(n)).is_session for n in (0, 1, 2)]
    assert [False, True] == [Unrecorded(turns=turns(n), task=task).is_session for n in (0, 1)]


def test_mem_1_what_the_agent_left_open_stands_first_in_the_record() -> None:
    task = TaskState(goal="birds", done=("herons",), remaining=("gulls", "count storks"))

    account = with_task(ACCOUNT, task)

    assert ("gulls", "count storks") == account.open_tasks
    assert (("birds",), ("herons",)) == (account.attempted, account.succeeded)
    assert account == with_task(account, task)


def test_mem_1_a_task_that_was_only_begun_is_open_itself() -> None:
    assert ("birds", "Count storks") == with_task(ACCOUNT, TaskState(goal="birds")).open_tasks


def test_mem_1_a_task_that_is_done_is_not_open() -> None:
    done = TaskState(goal="birds", done=("herons",))

    assert ACCOUNT.open_tasks == with_task(ACCOUNT, done).open_tasks
    assert with_task(ACCOUNT, None) is ACCOUNT


def test_a_record_has_a_bounded_number_of_tasks() -> None:
    many = TaskState(goal="birds", remaining=tuple(f"bird {n}" for n in range(50)))

    assert 12 == len(with_task(replace(ACCOUNT), many).open_tasks)
