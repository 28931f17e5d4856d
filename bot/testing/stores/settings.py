"""Settings that were changed in a chat, moments that were claimed, windows that were found."""

from __future__ import annotations

from datetime import timedelta

from bot.core.schedule import LONGEST_LEAD
from bot.ports import EVERYWHERE, Override, SettingChange
from bot.testing.clock import START
from bot.testing.stores.given import HOME, Check, OpenStore

KEY = HOME.session_key
STEPS = "agent_max_steps"


async def settings_are_changed_and_taken_back(open_store: OpenStore) -> None:
    """Everywhere and in one chat apart from each other, the newest change first."""
    store = open_store()
    first = await store.override(STEPS, "5", scope=EVERYWHERE, by="ann", at=START)
    assert first == SettingChange(key=STEPS, scope=EVERYWHERE, old=None, new="5")
    await store.override(STEPS, "7", scope=EVERYWHERE, by="bea", at=START)
    await store.override(STEPS, "9", scope=KEY, by="ann", at=START)
    await store.close()
    store = open_store()

    assert await store.overrides() == (
        Override(key=STEPS, scope=EVERYWHERE, value="7", changed_by="bea", changed_at=START),
        Override(key=STEPS, scope=KEY, value="9", changed_by="ann", changed_at=START),
    )

    newest = await store.newest_change(scope=EVERYWHERE)
    assert newest == SettingChange(key=STEPS, scope=EVERYWHERE, old="5", new="7")
    back = await store.undo_override(scope=EVERYWHERE, by="ann", at=START)
    assert back == SettingChange(key=STEPS, scope=EVERYWHERE, old="7", new="5")
    await store.undo_override(scope=EVERYWHERE, by="ann", at=START)
    assert await store.undo_override(scope=EVERYWHERE, by="ann", at=START) is None
    assert await store.newest_change(scope=EVERYWHERE) is None
    assert [each.scope for each in await store.overrides()] == [KEY]
    await store.close()


async def an_override_that_was_taken_away_can_be_had_back(open_store: OpenStore) -> None:
    """Taking it away is a change like any other."""
    store = open_store()
    await store.override("model", '"large"', scope=EVERYWHERE, by="ann", at=START)
    away = await store.override("model", None, scope=EVERYWHERE, by="ann", at=START)
    assert (away.old, away.new) == ('"large"', None)
    assert await store.overrides() == ()

    back = await store.undo_override(scope=EVERYWHERE, by="bea", at=START)

    assert back is not None
    assert (back.old, back.new) == (None, '"large"')
    assert [each.changed_by for each in await store.overrides()] == ["bea"]
    await store.close()


async def a_slot_is_claimed_once(open_store: OpenStore) -> None:
    """And none before one that was, unless a clock was wrong by days when that was claimed."""
    store = open_store()
    later = START + timedelta(days=1)
    assert await store.last_slot("rollover") is None
    assert await store.claim_slot("rollover", START, at=START)
    assert not await store.claim_slot("rollover", START, at=START)
    assert await store.claim_slot("rollover", later, at=START)
    await store.close()
    store = open_store()

    assert not await store.claim_slot("rollover", START, at=START)
    assert await store.last_slot("rollover") == later
    assert await store.claim_slot("cleanup", START, at=START)

    corrected = later - LONGEST_LEAD - timedelta(microseconds=1)
    assert not await store.claim_slot("rollover", START, at=later - LONGEST_LEAD)
    assert await store.claim_slot("rollover", START, at=corrected)
    assert await store.last_slot("rollover") == START
    await store.close()


async def windows_of_models_are_kept(open_store: OpenStore) -> None:
    """The newest finding of each."""
    store = open_store()
    assert await store.windows() == {}
    await store.learn_window("small", 4_000, at=START)
    await store.learn_window("large", 200_000, at=START)
    await store.learn_window("small", 3_000, at=START)
    await store.close()
    store = open_store()

    assert await store.windows() == {"small": 3_000, "large": 200_000}
    await store.close()


SETTINGS: tuple[Check, ...] = (
    settings_are_changed_and_taken_back,
    an_override_that_was_taken_away_can_be_had_back,
    a_slot_is_claimed_once,
    windows_of_models_are_kept,
)
