"""Tokens counted with tiktoken and a vocabulary installed beside it: no network is needed.

The vocabulary is OpenAI's cl100k, read from the data of the package ``quicktok-v1`` (MIT), whose
code is never loaded; tiktoken's own loader would fetch it from the web. Claude's tokenizer is not
published and divides finer, so a count is made of three parts: runs of one character, which cl100k
swallows whole; letters of scripts that cl100k alone takes to pieces; and what cl100k says of the
rest, with an addition by what the text is made of. What is still wrong differs from chat to chat,
and is corrected by what the model reports (:mod:`bot.core.tokens`).

The law of this file: a number for every text, the same in every process, never an error.
"""

from __future__ import annotations

import hashlib
import logging
import re
import string
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

logger = logging.getLogger(__name__)

PACKAGE = "quicktok"
VOCABULARY = ("data", "cl100k.vocab")
VOCABULARY_SHA256 = "4a945d497c213acde921bc8d69bc8dad9c603ea97c50c014e04ad0fadc09eecb"

CHUNK_CHARS = 50_000
"""Longest text given to the encoder at once; it may panic at a million characters."""

KEPT_WHOLE_CHARS = 200
MOST_REMEMBERED = 20_000
"""Counts that are remembered, the older half of them forgotten when there are more. Short texts
are kept as they are, of longer ones length and hash: 20 MB at the most."""

DIVIDED = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
"""How cl100k divides a text. Source: tiktoken, openai_public.py, read 2026-11-30."""

_RUN = re.compile(r"(.)\1{7,}")
_OF_A_RUN = {
    **dict.fromkeys("#.= \t·", 16),
    **dict.fromkeys("*_", 8),
    "-": 6,
    **dict.fromkeys("/?`─═█—", 4),
    **dict.fromkeys(string.digits, 3),
    **dict.fromkeys("\"'()+:|•│“", 2),
}
"""How many of one character are a token; of what is not listed, each is one or more."""

_PIECEMEAL = re.compile(
    "[\u0386-\u03ce\u0531-\u0587\u05d0-\u05ea"  # Greek, Armenian, Hebrew
    "\u0900-\u0963\u0b82-\u0bcd\u0c01-\u0c4d\u10d0-\u10ff]+"  # Hindi, Tamil, Telugu, Georgian
)
_A_PIECEMEAL = 0.9
"""Letters that cl100k takes to pieces and Claude does not; what a letter is there. Other scripts
are taken to pieces too, and by both."""

_MARKS = string.punctuation.replace("_", "").encode()


def _beginning(first: int, last: int) -> bytes:
    """List the first bytes of a range of characters in UTF-8."""
    return bytes(range(first, last + 1))


_ADDED = (
    (string.ascii_letters.encode(), 0.17),
    (string.ascii_uppercase.encode(), 0.30),
    (_MARKS, 0.22),
    (b"_", 1.0),
    (b"\xe2", 0.50),  # symbols
    (_beginning(0xEA, 0xED), 0.33),  # Korean
    (b"\xef", 0.50),  # full-width marks
)
"""Tokens added for each byte of a kind. Fitted on code, documents and messages of programs in 31
languages against a reconstruction of Claude's tokenizer, leaning to too much; what is left of the
error is measured by ``benchmarks/estimator.py``."""

_FEWEST_A_MARK = 0.9
"""Patterns such as ``=-=-=-`` are one token in cl100k and as many as they are long in Claude."""

_WITHOUT_VOCABULARY = (
    (string.ascii_letters.encode(), 0.24),
    (string.ascii_uppercase.encode(), 0.30),
    (string.digits.encode(), 0.50),
    (string.punctuation.encode(), 1.0),
    (b"\n", 0.05),
    (_beginning(0xC2, 0xCC), 2.6),
    (_beginning(0xCD, 0xCF), 1.5),  # Greek that is rare
    (_beginning(0xD0, 0xD3), 0.55),  # Cyrillic
    (_beginning(0xD4, 0xDF), 0.85),  # Arabic
    (_beginning(0xE0, 0xE1), 1.0),  # Thai; less than the truth for some scripts of India
    (_beginning(0xE2, 0xEF), 1.3),
    (_beginning(0xF0, 0xF4), 3.6),
)
"""What cl100k would count, as well as the kinds of bytes tell it."""

_UNBROKEN = re.compile(rb"[A-Za-z0-9+/=_-]{40,}")
_A_BYTE_UNBROKEN = 0.4
"""Keys, hashes and encoded files have more tokens than words of as many letters."""

_Key = str | tuple[int, int]


class TiktokenCounter:
    """A :class:`~bot.ports.TokenCounter`.

    The first count loads the vocabulary (0.2 s, 40 MB). Without the vocabulary it counts by kinds
    of characters, less well, and says so once in the log. ``package`` is where the vocabulary lies.
    """

    def __init__(self, package: str = PACKAGE) -> None:
        self._package = package
        self._counts: dict[_Key, int] = {}

    def load(self) -> None:
        """Load the vocabulary now; may be called in a thread of its own."""
        _ = self._encoding

    def count(self, text: str) -> int:
        """Estimate the tokens of a text; texts counted before are only looked up."""
        # A str remembers its hash, which no text can be made to share: its seed is random.
        key = text if len(text) <= KEPT_WHOLE_CHARS else (len(text), hash(text))
        known = self._counts.get(key)
        if known is not None:
            return known
        if len(self._counts) >= MOST_REMEMBERED:
            for old in list(self._counts)[: MOST_REMEMBERED // 2]:
                del self._counts[old]
        size = sum(
            self._count_chunk(text[start : start + CHUNK_CHARS])
            for start in range(0, len(text), CHUNK_CHARS)
        )
        self._counts[key] = size
        return size

    @cached_property
    def _encoding(self) -> Encoding | None:
        ranks = read_vocabulary(self._package)
        if ranks is None:
            logger.warning("tokens.no_vocabulary", extra={"package": self._package})
            return None
        from tiktoken import Encoding  # here, since a start need not wait for it

        return Encoding("cl100k", pat_str=DIVIDED, mergeable_ranks=ranks, special_tokens={})

    def _count_chunk(self, text: str) -> int:
        runs = sum(map(self._weigh_run, _RUN.finditer(text)))
        rest = _RUN.sub("", text) if runs else text
        raw = rest.encode("utf-8", "replace")
        known = rest if rest.isascii() else _PIECEMEAL.sub("", rest)
        estimate = self._count_known(known) + _A_PIECEMEAL * (len(rest) - len(known))
        estimate += _weigh_bytes(raw, _ADDED)
        return runs + max(1, round(max(estimate, _FEWEST_A_MARK * _count_bytes(raw, _MARKS))))

    def _weigh_run(self, found: re.Match[str]) -> int:
        length = found.end() - found.start()
        if found[1].isascii() or found[1] in _OF_A_RUN:
            return -(-length // _OF_A_RUN.get(found[1], 1))
        return length * max(1, round(self._count_known(found[1])))

    def _count_known(self, text: str) -> float:
        if self._encoding is None:
            return _guess(text)
        try:
            return len(self._encoding.encode_ordinary(text))
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # the encoder's own, no Exception
                raise
            return _guess(text)


def read_vocabulary(name: str = PACKAGE) -> dict[bytes, int] | None:
    """Read cl100k's tokens with their ranks from a package; None when they are not there.

    The file is the number of tokens (4 bytes, little-endian like all), then of each its length (2),
    the token itself and its rank (4).
    """
    package = find_spec(name)
    if package is None or not package.submodule_search_locations:
        return None
    try:
        content = Path(package.submodule_search_locations[0], *VOCABULARY).read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest() != VOCABULARY_SHA256:
        return None
    ranks: dict[bytes, int] = {}
    at = 4
    while at < len(content):
        end = at + 2 + int.from_bytes(content[at : at + 2], "little")
        ranks[content[at + 2 : end]] = int.from_bytes(content[end : end + 4], "little")
        at = end + 4
    return ranks


def _guess(text: str) -> float:
    raw = text.encode("utf-8", "replace")
    unbroken = sum(found.end() - found.start() for found in _UNBROKEN.finditer(raw))
    return _weigh_bytes(raw, _WITHOUT_VOCABULARY) + _A_BYTE_UNBROKEN * unbroken


def _weigh_bytes(raw: bytes, weights: tuple[tuple[bytes, float], ...]) -> float:
    return sum(weight * _count_bytes(raw, kind) for kind, weight in weights)


def _count_bytes(raw: bytes, kind: bytes) -> int:
    return len(raw) - len(raw.translate(None, kind))
