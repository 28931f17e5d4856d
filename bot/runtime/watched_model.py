"""The model, watched: is it reachable, how long does it take, what goes wrong."""

from __future__ import annotations

from collections.abc import Callable

from bot.core.llm import Delta, ModelRequest, ModelResponse
from bot.core.metrics import FAILURES, MODEL_SECONDS
from bot.errors import ContextTooLong, ModelAuthError, ModelError, ModelRequestRefused
from bot.ports import Clock, ModelClient
from bot.runtime.metrics import Metrics

LATELY_S = 900.0
"""A failure that is longer ago says nothing of now: nobody may have asked since."""


class WatchedModel:
    """Fills :class:`~bot.ports.ModelClient`, and remembers how it went, over all chats.

    Attributes:
        reason: What the last failure said.
        is_refused: Whether the newest question was refused because of the key: waiting does not
            help against that, so it holds until there is an answer.
    """

    def __init__(self, model: ModelClient, clock: Clock, metrics: Metrics) -> None:
        self._model = model
        self._clock = clock
        self._metrics = metrics
        self._failures = 0
        self._failed_s = clock.monotonic()
        self.reason = ""
        self.is_refused = False

    @property
    def failures(self) -> int:
        """How often it failed in a row, if it did so lately."""
        return self._failures if self._clock.monotonic() - self._failed_s <= LATELY_S else 0

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Ask; a request that is at fault itself says nothing about the model."""
        began_s = self._clock.monotonic()
        try:
            response = await self._model.ask(request, on_delta)
        except ModelError as error:
            self._metrics.count(FAILURES, "model", type(error).__name__)
            if not isinstance(error, ContextTooLong | ModelRequestRefused):
                self._note(error)
            raise
        self._failures, self.is_refused = 0, False
        purpose = "" if request.payer is None else request.payer.purpose
        self._metrics.observe(MODEL_SECONDS, self._clock.monotonic() - began_s, purpose)
        return response

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    def _note(self, error: ModelError) -> None:
        self._failures = self.failures + 1
        self._failed_s = self._clock.monotonic()
        self.reason = str(error)
        self.is_refused = isinstance(error, ModelAuthError)
