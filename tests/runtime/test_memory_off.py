"""While a chat's memory is off nothing is noted in daily files, and nothing is lost by that."""

from dataclasses import replace

from bot.core.chat import SessionKey
from bot.core.llm import ModelRequest
from bot.runtime.remembering import RememberingParts
from bot.runtime.remembering.parts import OFF_PAUSE_S
from bot.runtime.supervisor import Supervisor
from tests.runtime.remembering_given import World, extract


class SwitchedWorld(World):
    """A chat with a switch; ``ends_with_answer`` switches it off while the model answers."""

    is_on = True
    ends_with_answer = False

    def __init__(self) -> None:
        super().__init__(self._extract)

    def is_remembered(self, session_key: SessionKey) -> bool:
        return self.is_on

    def parts(self, supervisor: Supervisor) -> RememberingParts:
        return replace(super().parts(supervisor), memories=self)

    async def ask(self) -> None:
        await self.store.ask_to_remember(self.clock.now(), at=self.clock.now())

    def _extract(self, request: ModelRequest) -> str:
        self.is_on = self.is_on and not self.ends_with_answer
        return extract(request)


async def test_what_was_said_before_waits_for_its_day_s_file(supervisor: Supervisor) -> None:
    world = SwitchedWorld()
    await world.chat.turn("Count herons")
    world.is_on = False
    await world.pass_time(1)
    await world.ask()
    world.begin(supervisor)
    await world.rest()
    assert ([], []) == (world.files.turns, world.model.requests)

    world.is_on = True
    await world.pass_time(OFF_PAUSE_S // 60)
    assert [1] == world.files.turns
    assert await world.store.next_due() is None


async def test_what_the_model_answers_too_late_is_not_noted(supervisor: Supervisor) -> None:
    world = SwitchedWorld()
    world.ends_with_answer = True
    await world.chat.turn("Count herons")
    await world.pass_time(1)
    await world.ask()
    world.begin(supervisor)

    await world.rest()

    assert ([], 1) == (world.files.turns, len(world.model.requests))


async def test_a_summary_lands_in_the_window_and_in_no_file(supervisor: Supervisor) -> None:
    world = SwitchedWorld()
    world.is_on = False
    await world.outgrow()
    world.begin(supervisor)

    await world.rest()

    assert [] == world.files.turns
    assert (await world.conversation()).summary is not None
