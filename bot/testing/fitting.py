"""Random chats driven through a context manager, every request looked at as it would go out.

Their sizes, settings and histories are random, broken ones among them; settings change on the way.
What a request weighs is counted by a count that is not the product's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random

from bot.adapters.anthropic_model.request import encode
from bot.adapters.token_counter import TiktokenCounter
from bot.core.lifecycle import Claim
from bot.core.llm import ModelRequest
from bot.core.messages import Text
from bot.core.turns import pairing_faults
from bot.errors import CannotFit, ContextTooLong
from bot.runtime.context import TurnContext
from bot.testing.chat_run import LIMITS, ChatRun
from bot.testing.chats import RandomChats

WINDOWS = (4_000, 8_000, 32_000, 200_000, 1_000_000)
BUDGETS = (4_000, 12_000, 50_000)

LARGE = ((180_000, 200_000), (180_000, 1_000_000), (900_000, 1_000_000))
"""Budgets of large chats, each with a window that allows it."""

SCALES, LARGE_SCALE = (20, 120, 600), 20_000
"""What texts have in characters, usually: so that a few turns fill the budgets."""

NEAR = 0.5
"""From this share of the limit on a request is counted: counting takes far longer than fitting."""

CountRequest = Callable[[Mapping[str, object]], int]


@dataclass(slots=True)
class Findings:
    """What was seen over many chats.

    Attributes:
        requests: How many were looked at; ``refused`` could not fit even alone.
        over: Largest share by which a request was over its limit by the independent count.
        faults: What should never be, with the chat's seed.
    """

    requests: int = 0
    refused: int = 0
    compactions: int = 0
    over: float = -1.0
    faults: list[str] | None = None

    def fault(self, text: str) -> None:
        """Note something that should never be."""
        self.faults = [*(self.faults or []), text]


class FittingChat:
    """One random chat; the model's usage is what the independent count says."""

    def __init__(
        self, seed: int, count: CountRequest, findings: Findings, *, is_large: bool = False
    ) -> None:
        self._seed = seed
        self._is_large = is_large
        self._dice = Random(seed)  # noqa: S311 - it is to be repeated
        self._count = count
        self._findings = findings
        scale = LARGE_SCALE if is_large else self._dice.choice(SCALES)
        self._chats = RandomChats(self._dice, scale, is_broken=self._dice.random() < 0.25)
        self._is_near, self._local = False, 0
        self._run = ChatRun(counter=COUNTER)
        self._run.measure = self._measured
        self._change_settings()

    async def go(self) -> None:
        """Have some turns, some restarts, some clears and some overflows."""
        for _ in range(self._dice.randrange(1, 9)):
            what = self._dice.random()
            if what < 0.1:
                await self._run.restart()
            elif what < 0.15:
                self._run.idle()
            elif what < 0.2:
                await self._run.steering().clear()
            elif what < 0.25:
                await self._run.steering().undo()
            elif what < 0.4:
                self._change_settings()
            await self._turn()

    def _change_settings(self) -> None:
        budget, window = self._dice.choice(BUDGETS), self._dice.choice(WINDOWS)
        if self._is_large:
            budget, window = self._dice.choice(LARGE)
        self._run.limits = replace(
            LIMITS,
            max_turns=self._dice.choice((1, 2, 3, 5, 20)),
            max_tokens=self._dice.choice((256, 2_000, 4_096)),
            max_context_tokens=budget,
            window_tokens=window,
        )

    async def _turn(self) -> None:
        claim, context = await self._run.open(self._chats.text())
        turn = claim.turn
        if self._dice.random() < 0.3:
            turn = replace(turn, request=self._chats.request())
        planned = self._chats.turn(turn.id, is_open=True)
        for step in (*planned.steps, None):
            request = await self._ask(context, replace(claim, turn=turn))
            if request is None or step is None:
                break
            answer = step.answer
            turn = await self._run.step(turn, context, request, replace(step, answer=answer))
            if self._dice.random() < 0.03:
                await context.overflowed(ContextTooLong())
        await self._run.end(turn)

    async def _ask(self, context: TurnContext, claim: Claim) -> ModelRequest | None:
        turn, before = claim.turn, context.window.cut
        try:
            request = await context.request(turn, may_use_tools=True)
        except CannotFit as error:
            self._findings.refused += 1
            if error.needed_tokens <= error.limit_tokens:
                self._findings.fault(f"seed {self._seed}: refused although it fits")
            return None
        self._findings.requests += 1
        self._findings.compactions += context.window.cut != before
        self._look_at(request, claim)
        limit = self._run.parts.budget(self._run.limits).limit_tokens
        self._is_near = context.local_tokens > limit * NEAR
        if self._is_near:
            self._findings.over = max(self._findings.over, self._measured(request) / limit - 1)
        self._local = context.local_tokens
        return request

    def _measured(self, request: ModelRequest) -> int:
        """Count a request; one far from its limit is taken for what it was thought to be."""
        return self._count(json.loads(encode(request))) if self._is_near else self._local

    def _look_at(self, request: ModelRequest, claim: Claim) -> None:
        for fault in pairing_faults(request.messages):
            self._findings.fault(f"seed {self._seed}: {fault}")
        blocks = {block for message in request.messages for block in message.blocks}
        for block in claim.turn.request.blocks:
            if block not in blocks and not (isinstance(block, Text) and not block.text.strip()):
                self._findings.fault(f"seed {self._seed}: the request is not in the request")
        if len(claim.turn.steps) and claim.turn.steps[-1].answer.tool_calls:
            shown = {call.name for message in request.messages for call in message.tool_calls}
            if not shown:
                self._findings.fault(f"seed {self._seed}: the newest round is gone")


COUNTER = TiktokenCounter()


async def drive(seeds: range, count: CountRequest, *, are_large: bool = False) -> Findings:
    """Drive a chat for each seed."""
    findings = Findings()
    for seed in seeds:
        await FittingChat(seed, count, findings, is_large=are_large).go()
    return findings
