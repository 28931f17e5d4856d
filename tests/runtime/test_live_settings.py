"""Settings as they hold now: here before everywhere before the operator's."""

import asyncio
from datetime import datetime

import pytest

from bot.config.changes import CHANGEABLE, Value, changeable
from bot.core.chat import SessionKey
from bot.ports import EVERYWHERE, Override, SettingChange
from bot.runtime.live_settings import LiveSettings
from bot.testing.clock import START, FakeClock, settle
from bot.testing.kept_settings import KeptSettings

HERE = SessionKey("loopback:bot:1001:")
ELSEWHERE = SessionKey("loopback:bot:2002:")
TURNS = "agent_max_context_turns"
OPERATOR: dict[str, Value] = {key: changeable(key).default for key in CHANGEABLE}


class CountingSettings(KeptSettings):
    """Counts what is written."""

    writes = 0

    async def override(
        self, key: str, value: str | None, *, scope: str, by: str, at: datetime
    ) -> SettingChange:
        self.writes += 1
        await settle()  # as a real store, it lets others run before it answers
        return await super().override(key, value, scope=scope, by=by, at=at)


@pytest.fixture
def store() -> CountingSettings:
    return CountingSettings()


@pytest.fixture
def live(store: CountingSettings, clock: FakeClock) -> LiveSettings:
    return LiveSettings(OPERATOR, store, clock)


async def test_here_goes_before_everywhere_before_the_operator(live: LiveSettings) -> None:
    assert 20 == live.limits(HERE).max_turns

    await live.change(TURNS, 12, scope=EVERYWHERE, by="ada")
    await live.change(TURNS, 7, scope=HERE, by="ada")

    assert (7, 12) == (live.limits(HERE).max_turns, live.limits(ELSEWHERE).max_turns)

    await live.change(TURNS, None, scope=HERE, by="ada")

    assert 12 == live.limits(HERE).max_turns

    await live.change(TURNS, None, scope=EVERYWHERE, by="ada")

    assert 20 == live.limits(HERE).max_turns


async def test_every_limit_is_read_anew(live: LiveSettings) -> None:
    new: dict[str, Value] = {
        "model": "other",
        "max_tokens": 300,
        "agent_max_steps": 3,
        TURNS: 4,
        "agent_max_context_tokens": 5_000,
        "model_window_tokens": 6_000,
    }
    for key, value in new.items():
        await live.change(key, value, scope=HERE, by="ada")
    limits = live.limits(HERE)

    assert tuple(new.values()) == (
        limits.model,
        limits.max_tokens,
        limits.max_steps,
        limits.max_turns,
        limits.max_context_tokens,
        limits.window_tokens,
    )
    assert live.limits(ELSEWHERE).window_tokens is None


async def test_what_holds_already_is_not_written(
    live: LiveSettings, store: CountingSettings
) -> None:
    assert await live.change(TURNS, 20, scope=EVERYWHERE, by="ada") is None
    assert await live.change(TURNS, None, scope=HERE, by="ada") is None
    assert 0 == store.writes


async def test_one_change_wished_for_twice_at_once_is_made_once(
    live: LiveSettings, store: CountingSettings
) -> None:
    done = await asyncio.gather(
        *(live.change(TURNS, 12, scope=EVERYWHERE, by=name) for name in ("ada", "bob"))
    )

    assert [True, False] == [each is not None for each in done]
    assert 1 == store.writes


async def test_undo_goes_back_step_by_step_in_its_own_scope(live: LiveSettings) -> None:
    await live.change(TURNS, 12, scope=EVERYWHERE, by="ada")
    await live.change(TURNS, 7, scope=HERE, by="ada")
    await live.change(TURNS, 15, scope=EVERYWHERE, by="ada")

    changed = await live.undo(scope=EVERYWHERE, by="bob")

    assert changed is not None
    assert (15, 12) == (changed.before.value, changed.after.value)
    assert changed.after.changed is not None
    assert "bob" == changed.after.changed.changed_by
    assert 7 == live.limits(HERE).max_turns

    await live.undo(scope=EVERYWHERE, by="bob")

    assert 20 == live.limits(ELSEWHERE).max_turns
    assert await live.undo(scope=EVERYWHERE, by="bob") is None


async def test_after_a_restart_the_same_holds(store: CountingSettings, clock: FakeClock) -> None:
    before = LiveSettings(OPERATOR, store, clock)
    await before.change(TURNS, 7, scope=HERE, by="ada")
    after = LiveSettings(OPERATOR, store, clock)

    await after.load()

    expected = Override(key=TURNS, scope=HERE, value="7", changed_by="ada", changed_at=START)
    assert expected == after.setting(TURNS, HERE).changed
    assert 7 == after.limits(HERE).max_turns


@pytest.mark.parametrize(
    "text", ["0", "1001", "true", '"20"', "20.0", "null", "[20]", "{", "", "[" * 20_000, "NaN"]
)
async def test_a_kept_value_that_is_none_is_left_aside_and_told(
    text: str,
    store: CountingSettings,
    live: LiveSettings,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await store.override(TURNS, text, scope=HERE, by="a former version", at=clock.now())
    await store.override("agent_max_steps", "3", scope=HERE, by="ada", at=clock.now())

    await live.load()

    assert ["setting.ignored"] == [record.getMessage() for record in caplog.records]
    assert (20, 3) == (live.limits(HERE).max_turns, live.limits(HERE).max_steps)


async def test_a_setting_that_this_version_does_not_have_harms_nothing(
    store: CountingSettings, live: LiveSettings, clock: FakeClock
) -> None:
    await store.override("agent_max_dreams", "3", scope=EVERYWHERE, by="ada", at=clock.now())
    await live.load()

    changed = await live.undo(scope=EVERYWHERE, by="ada")

    assert changed is not None
    assert "agent_max_dreams" == changed.after.key


async def test_a_value_nobody_checked_is_a_mistake_of_the_program(live: LiveSettings) -> None:
    with pytest.raises(ValueError, match="no value"):
        await live.change(TURNS, 0, scope=EVERYWHERE, by="ada")


async def test_the_model_that_answers_summarises_where_no_other_is_named(
    store: CountingSettings, clock: FakeClock
) -> None:
    live = LiveSettings({**OPERATOR, "summary_model": None}, store, clock)
    await live.change("model", "local", scope=HERE, by="ada")

    assert ("local", OPERATOR["model"]) == (
        live.summary_model(HERE),
        live.summary_model(ELSEWHERE),
    )

    await live.change("summary_model", "small", scope=EVERYWHERE, by="ada")

    assert "small" == live.summary_model(HERE)


async def test_who_follows_a_setting_hears_of_it(live: LiveSettings) -> None:
    heard: list[Value] = []
    live.follow("log_level", heard.append)
    await live.load()
    await live.change("log_level", "debug", scope=EVERYWHERE, by="ada")
    await live.change(TURNS, 12, scope=EVERYWHERE, by="ada")
    await live.undo(scope=EVERYWHERE, by="ada")
    await live.undo(scope=EVERYWHERE, by="ada")

    assert [None, "debug", None] == heard


async def test_a_removed_chat_leaves_no_settings(live: LiveSettings) -> None:
    await live.change(TURNS, 7, scope=HERE, by="ada")
    await live.change(TURNS, 12, scope=EVERYWHERE, by="ada")

    live.forget(HERE)

    assert 12 == live.limits(HERE).max_turns
