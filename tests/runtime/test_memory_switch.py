"""Memory is switched for all who can see a chat, and for nobody else."""

from dataclasses import replace

from bot.config.changes import CHANGEABLE
from bot.config.keys import Config
from bot.core.memory.audience import audience_of
from bot.runtime.forgetting import MemorySwitch
from bot.runtime.live_settings import LiveSettings
from bot.testing.clock import FakeClock
from bot.testing.store import InMemoryStore
from bot.testing.stores.given import ANN, ELSEWHERE, HOME

IN_GROUP = audience_of(ELSEWHERE.session_key, "group")
AT_HOME = audience_of(HOME.session_key, "private")


def settings_on(store: InMemoryStore) -> LiveSettings:
    config = Config()
    operator = {key: getattr(config, key, None) for key in CHANGEABLE}
    return LiveSettings(operator, store, FakeClock())


async def test_all_threads_of_a_chat_are_off_the_record_together() -> None:
    settings = settings_on(InMemoryStore())
    switch = MemorySwitch(settings=settings)
    other_thread = replace(ELSEWHERE, thread="9.9").session_key

    assert switch.is_on(IN_GROUP)
    assert await switch.switch(IN_GROUP, is_on=False, by=ANN.person_key)
    assert not await switch.switch(IN_GROUP, is_on=False, by=ANN.person_key)

    assert not settings.is_remembered(ELSEWHERE.session_key)
    assert not settings.is_remembered(other_thread)
    assert settings.is_remembered(HOME.session_key)
    assert not switch.is_on(IN_GROUP)
    assert switch.is_on(AT_HOME)
    assert await switch.switch(IN_GROUP, is_on=True, by=ANN.person_key)
    assert settings.is_remembered(other_thread)


async def test_the_switch_outlasts_a_restart_and_the_removal_of_the_chat() -> None:
    store = InMemoryStore()
    await MemorySwitch(settings=settings_on(store)).switch(AT_HOME, is_on=False, by=ANN.person_key)
    settings = settings_on(store)
    await settings.load()
    settings.forget(HOME.session_key)

    assert not settings.is_remembered(HOME.session_key)


async def test_an_admin_switches_it_off_for_all_chats() -> None:
    settings = settings_on(InMemoryStore())
    await settings.change("memory", "off", scope="", by=ANN.person_key)

    assert not settings.is_remembered(HOME.session_key)
    assert not settings.is_remembered(ELSEWHERE.session_key)
