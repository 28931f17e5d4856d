"""The model, watched: is it reachable, how long does it take, what goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.core.llm import Delta, ModelRequest, ModelResponse
from bot.core.metrics import FAILURES, MODEL_SECONDS
from bot.errors import (
    ContextTooLong,
    ModelAuthError,
    ModelError,
    ModelRequestRefused,
    ModelUnavailable,
)
from bot.ports import Clock, ModelClient, ModelDirectory
from bot.runtime.metrics import Metrics
from bot.runtime.waiting import within

LATELY_S = 900.0
"""A failure that is longer ago says nothing of now: nobody may have asked since."""

TRIED_EVERY_S = 300.0
"""So often, at most, it is tried whether the model is there while nobody asks it anything."""

TRIAL_LIMIT_S = 30.0

_OF_THE_QUESTION = (ContextTooLong, ModelRequestRefused)
"""Refusals of what was asked, which say nothing about the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failures:
    """What went wrong since it last went well; ``last_s`` is by the clock's seconds."""

    count: int = 0
    last_s: float = float("-inf")
    reason: str = ""
    is_refusal: bool = False

    def and_one(self, error: ModelError, at_s: float) -> _Failures:
        is_refusal = isinstance(error, ModelAuthError)
        return _Failures(
            count=self.count + 1, last_s=at_s, reason=str(error), is_refusal=is_refusal
        )


class WatchedModel:
    """Fills :class:`~bot.ports.ModelClient`, and remembers how it went, over all chats.

    What questions found and what trials found stands apart: a model that is there may not answer,
    and a key may be good for looking up alone, or for answers alone.
    """

    def __init__(self, model: ModelClient, clock: Clock, metrics: Metrics) -> None:
        self._model = model
        self._clock = clock
        self._metrics = metrics
        self._questions = _Failures()
        self._trials = _Failures()
        self._known_s = float("-inf")
        self._may_look_up = False

    @property
    def failures(self) -> int:
        """How often it failed in a row, trials too, if it did so lately."""
        last_s = max(self._questions.last_s, self._trials.last_s)
        is_lately = self._clock.monotonic() - last_s <= LATELY_S
        return self._questions.count + self._trials.count if is_lately else 0

    @property
    def reason(self) -> str:
        """What the refusal of the key said, if it is refused, else the last failure."""
        found = (self._questions, self._trials)
        return max(found, key=lambda each: (each.is_refusal, each.last_s)).reason

    @property
    def is_refused(self) -> bool:
        """Whether the newest question, or trial, was refused because of the key.

        Waiting does not help against that, so it holds until there is an answer; of a trial, until
        there is one that is not refused.
        """
        return self._questions.is_refusal or self._trials.is_refusal

    @property
    def is_to_be_tried(self) -> bool:
        """Whether nothing was heard of the model for so long that it may be tried."""
        return self._clock.monotonic() - self._known_s >= TRIED_EVERY_S

    async def try_out(self, directory: ModelDirectory, name: str) -> None:
        """Find out, by what costs nothing, whether the model is there and takes the key.

        A refusal of the key tells of the key only if it could look up before: many a gateway lets
        one answer that may not. Otherwise, as any refusal of the looking up itself, it tells that
        somebody is there.
        """
        self._known_s = self._clock.monotonic()
        try:
            is_known = await within(self._clock, TRIAL_LIMIT_S, directory.knows(name))
        except _OF_THE_QUESTION:
            self._trials = _Failures()
        except ModelAuthError as error:
            if self._may_look_up:
                self._note_trial(error)
            else:
                self._trials = _Failures()
        except ModelError as error:
            self._note_trial(error)
        except TimeoutError:
            self._note_trial(ModelUnavailable(f"no answer within {TRIAL_LIMIT_S:g} s"))
        else:
            self._trials = _Failures()
            self._may_look_up |= is_known

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Ask; a request that is at fault itself says nothing about the model."""
        began_s = self._clock.monotonic()
        try:
            response = await self._model.ask(request, on_delta)
        except ModelError as error:
            self._metrics.count(FAILURES, "model", type(error).__name__)
            if not isinstance(error, _OF_THE_QUESTION):
                self._drop_old()
                self._questions = self._questions.and_one(error, self._clock.monotonic())
            raise
        if self._trials.is_refusal:  # it answers, so that was of looking up alone
            self._may_look_up = False
        self._questions = self._trials = _Failures()
        self._known_s = self._clock.monotonic()
        purpose = "" if request.payer is None else request.payer.purpose
        self._metrics.observe(MODEL_SECONDS, self._clock.monotonic() - began_s, purpose)
        return response

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    def _note_trial(self, error: ModelError) -> None:
        self._metrics.count(FAILURES, "model", type(error).__name__)
        self._drop_old()
        self._trials = self._trials.and_one(error, self._clock.monotonic())

    def _drop_old(self) -> None:
        """Let a row of failures begin anew after a long while; a refused key stays refused."""
        if not self.failures:
            self._questions = replace(self._questions, count=0)
            self._trials = replace(self._trials, count=0)
