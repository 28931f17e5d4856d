"""Whatever happens to a chat, in whatever order: each request fits, and nothing leaves silently."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from dataclasses import replace
from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from bot.core.llm import ModelRequest
from bot.core.turns import pairing_faults
from bot.errors import CannotFit, ContextTooLong
from bot.runtime.remembering.parts import Failure
from bot.runtime.remembering.work import MemoryWork
from bot.runtime.supervisor import Supervisor
from bot.testing.chat_run import LIMITS, tokens_of, tool_step
from tests.runtime.remembering_given import World, extract

ROUNDS = st.lists(st.integers(1, 3_000), max_size=3)


def nonsense(request: ModelRequest) -> str:
    return "I would rather not."


class Chat(RuleBasedStateMachine):
    """One chat with its store; summaries are written when the machine says so."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.world = World()
        self.chat = self.world.chat
        self.work = MemoryWork(self.world.parts(Supervisor()))

    def teardown(self) -> None:
        self.loop.close()

    def carried_out(self, work: Coroutine[object, object, object]) -> None:
        self.loop.run_until_complete(work)

    @rule(
        rounds=ROUNDS,
        words=st.integers(1, 400),
        overflows=st.sampled_from([0, 0, 0, 1, 2]),
        lands=st.booleans(),
    )
    def have_a_turn(self, rounds: list[int], words: int, overflows: int, *, lands: bool) -> None:
        self.carried_out(self._turn(rounds, words, overflows, lands=lands))

    async def _turn(self, rounds: list[int], words: int, overflows: int, *, lands: bool) -> None:
        claim, context = await self.chat.open("word " * words)
        turn, request = claim.turn, None
        for number, size in enumerate((*rounds, 0)):
            try:
                request = await context.request(turn, may_use_tools=True)
                for _ in range(overflows if number == 0 else 0):
                    await context.overflowed(ContextTooLong())
                    request = await context.request(turn, may_use_tools=True)
            except CannotFit as error:
                assert error.needed_tokens > error.limit_tokens  # noqa: PT017 - or it fits
                break
            self._look_at(request)
            if lands and number == 0:
                self.world.answer = extract
                await self._summarise()
            if size:
                step = tool_step(turn.id, number, ("found " * size,))
                turn = await self.chat.step(turn, context, request, step)
        await self.chat.end(turn)

    def _look_at(self, request: ModelRequest) -> None:
        assert () == pairing_faults(request.messages)
        assert tokens_of(request) <= self.chat.limits.max_context_tokens

    @rule(turns=st.sampled_from([1, 3, 8, 20]), tokens=st.sampled_from([4_000, 9_000, 50_000]))
    def change_settings(self, turns: int, tokens: int) -> None:
        self.chat.limits = replace(LIMITS, max_turns=turns, max_context_tokens=tokens)

    @rule(fails=st.booleans())
    def summarise(self, fails: bool) -> None:
        self.world.answer = nonsense if fails else extract
        self.carried_out(self._summarise())
        if not fails:
            self.carried_out(self._find_what_left())

    async def _summarise(self) -> None:
        store = self.world.store
        later = self.world.clock.now() + timedelta(days=1)
        for job in await store.due_jobs(later, limit=5):
            await self.work.carry_out(job)
        kept = await store.load(self.chat.key)
        if kept.cut.turns_left and kept.cut.summary_version == 0:
            assert kept.cut.digest  # something stands for what left
        entries = await store.unwritten(limit=1_000)
        await self.world.files.append(entries)
        await store.mark_written(entries)

    async def _find_what_left(self) -> None:
        """Each turn that left and was not cleared is in a daily file, once; none is there twice."""
        cut = (await self.world.store.load(self.chat.key)).cut
        left = await self.world.store.turns_between(
            self.chat.key, cut.cleared_before, cut.kept_from - 1
        )
        noted = Counter(self.world.files.turns)
        assert [1] * len(left) == [noted[turn.id] for turn in left]
        assert set(noted.values()) <= {1}

    @rule()
    def end_a_day(self) -> None:
        """Whatever was cleared or never left is noted as well."""

        async def noted() -> None:
            now = self.world.clock.now()
            await self.world.store.ask_to_remember(now + timedelta(days=1), at=now)
            self.world.answer = extract
            await self._summarise()
            turns = await self.world.store.turns_between(self.chat.key, 0, 2**62)
            assert Counter(turn.id for turn in turns) == Counter(self.world.files.turns)

        self.carried_out(noted())

    @rule()
    def put_off(self) -> None:
        async def all_jobs() -> None:
            for job in await self.world.store.due_jobs(self.world.clock.now(), limit=5):
                await self.work.put_off(job, Failure(reason="killed"))

        self.carried_out(all_jobs())

    @rule()
    def clear(self) -> None:
        self.carried_out(self.chat.steering().clear())

    @rule()
    def undo(self) -> None:
        self.carried_out(self.chat.steering().undo())

    @rule()
    def compact(self) -> None:
        self.carried_out(self.chat.steering().compact())

    @rule()
    def restart(self) -> None:
        self.carried_out(self.chat.restart())

    @rule()
    def look(self) -> None:
        self.carried_out(self.chat.steering().view())


TestChat = Chat.TestCase
TestChat.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
