"""What admins alone read of what was used: by which key a cap is raised, and whose name it is."""

from bot.core.chat import PersonKey
from bot.ports import Granted
from bot.testing.clock import START
from bot.testing.dialogue import Dialogue
from bot.testing.model import ScriptedModel
from tests.e2e.conftest import OpenStore, passes
from tests.e2e.test_usage import ADA, BOB, capped, paid_config


async def test_admins_are_told_of_the_bots_cap_of_tokens_by_its_own_key(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(lambda request: "Well.")
    async with capped(open_store, model, bot_tokens=10) as dialogue:
        await dialogue.says("/status")
        await dialogue.says("Hello", chat=BOB, user=BOB)
        await passes(dialogue, 1)
        told = dialogue.channel.texts(ADA)[1:]

    assert 1 == len(told)
    assert told[0].startswith("Most of the tokens that I may use today are used")
    assert "`/config caps.bot_tokens` changes it." in told[0]


async def test_admins_read_the_names_of_people_who_were_let_in(open_store: OpenStore) -> None:
    store, model = open_store(), ScriptedModel(lambda request: "Well.")
    named = Granted(person_key=PersonKey(f"loopback::{BOB}"), grant="allowed", name="Bob `\u202eX")
    await store.decide_on(named, by="operator", at=START)
    async with Dialogue(model, config=paid_config(), store=store) as dialogue:
        await dialogue.says("Hello", chat=BOB, user=BOB)
        (page,) = await dialogue.says("/usage")
        (own,) = await dialogue.says("/usage", chat=BOB, user=BOB)

    assert 2 == page.count(f"- `Bob 'X (loopback:{BOB})` ")  # by chat, and by person
    assert "(loopback:" not in own
