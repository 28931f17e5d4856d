"""How much each model reads: what is known of it, corrected by what it said itself."""

from __future__ import annotations

import logging

from bot.core.tokens import known_window
from bot.errors import StoreError
from bot.ports import Clock, ModelLimits

logger = logging.getLogger(__name__)

SMALLEST_WINDOW = 1_000
"""A model that claims to read less has said something else."""


class ModelWindows:
    """Windows of models in tokens, learned from their errors and kept."""

    def __init__(self, store: ModelLimits, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._learned: dict[str, int] = {}

    async def load(self) -> None:
        """Read what earlier processes learned."""
        self._learned = await self._store.windows()

    def window_of(self, model: str) -> int:
        """Say how many tokens a model reads, its answer included."""
        return self._learned.get(model) or known_window(model)

    async def learn(self, model: str, tokens: int) -> None:
        """Take in what a model said of itself; nothing is lost if it cannot be written down."""
        if tokens < SMALLEST_WINDOW or tokens == self.window_of(model):
            return
        self._learned[model] = tokens
        logger.info("model.window_learned", extra={"model": model, "tokens": tokens})
        try:
            await self._store.learn_window(model, tokens, at=self._clock.now())
        except StoreError as error:
            logger.warning("model.window_not_kept", extra={"model": model, "why": str(error)})
