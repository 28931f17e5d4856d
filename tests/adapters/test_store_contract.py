"""Both stores do what every store must do."""

from functools import partial
from pathlib import Path

import pytest

from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.lifecycle import SetAside
from bot.testing.clock import START
from bot.testing.store import InMemoryStore
from bot.testing.stores import CONTRACT, Check
from bot.testing.stores.given import asking, begin, message, model_call, saying


def _name(check: Check) -> str:
    return getattr(check, "__name__", repr(check))


@pytest.mark.parametrize("check", CONTRACT, ids=_name)
async def test_sqlite_store(check: Check, tmp_path: Path) -> None:
    await check(partial(SqliteStore.open, tmp_path / "daybook.db"))


@pytest.mark.parametrize("check", CONTRACT, ids=_name)
async def test_sqlite_store_inline(check: Check, tmp_path: Path) -> None:
    await check(partial(SqliteStore.open, tmp_path / "daybook.db", inline=True))


@pytest.mark.parametrize("check", CONTRACT, ids=_name)
async def test_in_memory_store(check: Check) -> None:
    store = InMemoryStore()
    await check(lambda: store)


async def test_in_memory_store_lets_a_test_look_inside() -> None:
    store = InMemoryStore()
    turn = await begin(store, message(1))
    await store.record_step(turn.id, 0, asking(), model_call())
    (item,) = await store.finish_turn(turn.id, "answered", (saying("hello"),), at=START)
    await store.mark_failed(item.id, "blocked", at=START)
    odd = SetAside(event_id="update:9", channel="telegram", raw="{}", reason="no chat")
    await store.receive((odd,), cursor=None, at=START)

    assert [each.outcome for each in store.turns] == ["answered"]
    assert [(each.state, each.reason) for each in store.outbox] == [("failed", "blocked")]
    assert store.calls == [model_call()]
    assert store.set_aside == (odd,)
