"""A chat driven turn by turn through its context manager, without any platform or model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC

from bot.core.chat import ChatAddress, InboundMessage, Sender, SessionKey
from bot.core.lifecycle import Claim, ModelCall, Received
from bot.core.llm import ModelRequest, ToolSpec, Usage
from bot.core.messages import Message, Text, ToolCall, ToolResult, assistant_text
from bot.core.tokens import weigh_request
from bot.core.turns import Step, Turn, TurnId
from bot.ports import Clock, TokenCounter
from bot.runtime.context import ContextManager, ContextParts, TurnContext, TurnLimits
from bot.runtime.context.model_windows import ModelWindows
from bot.runtime.context.steering import ContextSteering
from bot.testing.clock import FakeClock
from bot.testing.recalling import KeptPieces, MemoryGiven
from bot.testing.store import InMemoryStore

ADDRESS = ChatAddress(channel="loopback", account="bot", chat="1")
ANN = Sender(channel="loopback", user_id="1001", name="Ann")
LIMITS = TurnLimits(
    model="scripted", max_tokens=4_096, max_steps=15, max_turns=20, max_context_tokens=50_000
)
SEARCH = ToolSpec(name="search", description="Look something up.", schema='{"type": "object"}')


class RuleOfThumb:
    """A :class:`~bot.ports.TokenCounter`: four characters a token."""

    def count(self, text: str) -> int:
        """Count a text."""
        return -(-len(text) // 4)


class Unchanging:
    """A :class:`~bot.ports.Redactor` that finds no secret anywhere."""

    def redact(self, text: str) -> str:
        """Give a text back."""
        return text


def context_parts(store: InMemoryStore, clock: Clock) -> ContextParts:
    """Give what context managers work with: usual limits, no tools, no instructions."""
    return ContextParts(
        conversations=store,
        tasks=store,
        jobs=store,
        counter=RuleOfThumb(),
        windows=ModelWindows(store, clock),
        clock=clock,
        timezone=UTC,
        limits=lambda _: LIMITS,
        instructions="",
        tools=tuple,
        on_left=lambda: None,
    )


def tokens_of(request: ModelRequest) -> int:
    """Count a whole request by the rule of thumb."""
    return weigh_request(request.system, request.tools, request.messages, RuleOfThumb().count)


class ChatRun:
    """One chat; a restart keeps the store and nothing else.

    Attributes:
        limits: What holds from the next request on.
        measure: What the model reports of a request.
        alias: The name under which the model answers; empty for the one it is asked by.
        left: How often the manager said that turns left.
        pieces: What there is to be recalled besides facts; None for a chat without memory.
        memory: The same with the store's facts and a switch.
    """

    def __init__(
        self,
        store: InMemoryStore | None = None,
        instructions: str = "Be kind.",
        counter: TokenCounter | None = None,
        *,
        pieces: KeptPieces | None = None,
    ) -> None:
        self.store = store or InMemoryStore()
        self.pieces = pieces
        self._counter = counter or RuleOfThumb()
        self.clock = FakeClock()
        self.limits = LIMITS
        self.measure: Callable[[ModelRequest], int] = tokens_of
        self.alias = ""
        self.left = 0
        self.key: SessionKey = ADDRESS.session_key
        self._number = 0
        self._instructions = instructions
        self.memory = MemoryGiven(store=self.store, clock=self.clock, pieces=pieces or KeptPieces())
        self.manager = self._make_manager()

    async def restart(self) -> None:
        """End the process and begin another one."""
        await self.store.close()
        self.manager = self._make_manager()

    def idle(self) -> None:
        """Drop what is held of the chat, as when it was long idle."""
        self.manager = self._make_manager()

    async def open(self, text: str = "") -> tuple[Claim, TurnContext]:
        """Have a message come in and its turn begin."""
        self._number += 1
        message = InboundMessage(
            event_id=f"message:1:{self._number}",
            address=ADDRESS,
            kind="private",
            sender=ANN,
            message_id=str(self._number),
            text=text or f"question {self._number}",
            is_addressed=True,
            sent_at=self.clock.now(),
        )
        heard = Received(inbound=message, route="turn")
        await self.store.receive((heard,), cursor=None, at=self.clock.now())
        claim = await self.store.claim(self.key, at=self.clock.now())
        assert claim is not None
        return claim, await self.manager.open_turn(claim)

    async def turn(
        self, text: str = "", reply: str = "", rounds: Sequence[tuple[str, ...]] = ()
    ) -> ModelRequest:
        """Go through a whole turn; each round is the results of its tools. Gives the last request.

        The model reports what the rule of thumb says.
        """
        claim, context = await self.open(text)
        turn = claim.turn
        for number, results in enumerate(rounds):
            request = await context.request(turn, may_use_tools=True)
            turn = await self.step(turn, context, request, tool_step(turn.id, number, results))
        request = await context.request(turn, may_use_tools=True)
        answer = assistant_text(reply or f"answer {self._number}")
        turn = await self.step(turn, context, request, Step(answer=answer, stop="end_turn"))
        await self.end(turn)
        return request

    async def step(
        self, turn: Turn, context: TurnContext, request: ModelRequest, step: Step
    ) -> Turn:
        """Record a step with its results."""
        usage = Usage(input_tokens=self.measure(request), output_tokens=10)
        context.answered(usage)
        call = ModelCall(
            session_key=self.key,
            person_key=ANN.person_key,
            model=self.alias or request.model,
            asked=context.model,
            purpose="answer",
            usage=usage,
            at=self.clock.now(),
            local_tokens=context.local_tokens,
        )
        bare = replace(step, results=())
        await self.store.record_step(turn.id, len(turn.steps), bare, call)
        for result in step.results:
            await self.store.record_result(turn.id, len(turn.steps), result)
        return replace(turn, steps=(*turn.steps, step))

    async def end(self, turn: Turn) -> None:
        """Finish a turn."""
        await self.store.finish_turn(turn.id, "answered", (), at=self.clock.now())
        self.manager.close_turn(replace(turn, outcome="answered"))
        await self.clock.advance(20)

    def steering(self) -> ContextSteering:
        """Give what people can do to the context."""
        return ContextSteering(self.key, self.parts, self.manager)

    def _make_manager(self) -> ContextManager:
        self.parts = replace(
            context_parts(self.store, self.clock),
            counter=self._counter,
            limits=lambda _: self.limits,
            instructions=self._instructions,
            tools=lambda: (SEARCH,),
            on_left=self._note_left,
            recalling=self.memory.recalling(self._counter) if self.pieces is not None else None,
        )
        return ContextManager(self.key, self.parts)

    def _note_left(self) -> None:
        self.left += 1


def tool_step(turn_id: TurnId, number: int, results: Sequence[str]) -> Step:
    """Make a round of tools with these results."""
    calls = tuple(
        ToolCall(id=f"call_{turn_id}_{number}_{index}", name="search", arguments='{"q": 1}')
        for index in range(len(results))
    )
    answer = Message(role="assistant", blocks=(Text(text="Let me look."), *calls))
    answers = tuple(
        ToolResult(call_id=call.id, content=content)
        for call, content in zip(calls, results, strict=True)
    )
    return Step(answer=answer, stop="tool_use", results=answers)
