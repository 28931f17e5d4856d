"""The ports to a language model and to the size of texts in its tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bot.core.llm import Delta, ModelRequest, ModelResponse


class ModelClient(Protocol):
    """A language model.

    ``ask`` calls ``on_delta`` for each piece as it arrives and returns the whole answer.
    The first ``ask`` may load what takes long, beside the event loop.

    Raises:
        ModelError: One class a kind of failure (see :mod:`bot.errors`); never a vendor's own. A
            stream that stops without saying why is :class:`~bot.errors.ModelStreamCut`.
    """

    async def ask(
        self, request: ModelRequest, on_delta: Callable[[Delta], None]
    ) -> ModelResponse: ...
    async def close(self) -> None: ...


class ModelDirectory(Protocol):
    """Tells which models there are; ``knows`` costs nothing, and tries the key.

    It gives False where the server does not say: not every one tells of its models.

    Raises:
        ModelError: The key is refused, or the server failed.
    """

    async def knows(self, name: str) -> bool: ...


class TokenCounter(Protocol):
    """Estimates how many tokens a text has; never raises, whatever the text.

    Pure, and quick for what was counted before.
    """

    def count(self, text: str) -> int: ...
