"""Forms of secrets that detect-secrets knows (Apache-2.0): its regular expressions and no more.

Its detectors by entropy and by keyword find a secret in every other line of code and are not used.
The expressions are taken from its plugins and searched here: asked itself, it gives the text of a
secret and not the place, of some forms only a prefix, and keeps its settings in one place for the
whole process. Some take a time that grows with the square or the cube of a line's length, so what
they are given is short and has no long runs of spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from bot.adapters.redactor.rule import Span

_LEFT_OUT = frozenset(
    {
        "IPPublicDetector",  # an address is no secret
        # What `forms` and `sayings` find in linear time, and more of it:
        "BasicAuthDetector",
        "JwtTokenDetector",
        "KeywordDetector",
        "NpmDetector",
        "OpenAIDetector",
        "PrivateKeyDetector",
    }
)

PIECE_CHARS = 600
OVERLAP_CHARS = 200
"""More than any of the forms is long, but one that `forms` has as well."""

_SHORTEST = 16  # of all forms
_BREAK = re.compile(r"[^\n]{16,}")
_SPACES = re.compile(r" {4,}")


@lru_cache(maxsize=1)
def load_borrowed() -> tuple[re.Pattern[str], ...]:
    """Import the library and give its expressions; the import takes 0.15 s, once."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import BasePlugin, RegexBasedDetector

    plugins: Mapping[str, type[BasePlugin]] = get_mapping_from_secret_type_to_class()
    detectors = (
        plugin()
        for plugin in sorted(plugins.values(), key=lambda plugin: plugin.__name__)
        if issubclass(plugin, RegexBasedDetector) and plugin.__name__ not in _LEFT_OUT
    )
    return tuple(pattern for detector in detectors for pattern in detector.denylist)


def find_borrowed(text: str) -> Iterator[Span]:
    """Give what detect-secrets' forms find."""
    for start, stop in _pieces(text):
        for pattern in load_borrowed():
            for match in pattern.finditer(text, start, stop):
                span = _secret_in(match)
                if any(each.isdigit() for each in text[span.start : span.stop]):
                    yield span


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text at the ends of lines and at long runs of spaces, and what is left with overlap."""
    for line in _BREAK.finditer(text):
        start = line.start()
        for gap in _SPACES.finditer(text, line.start(), line.end()):
            yield from _overlapping(start, gap.start())
            start = gap.end()
        yield from _overlapping(start, line.end())


def _overlapping(start: int, stop: int) -> Iterator[tuple[int, int]]:
    while stop - start >= _SHORTEST:
        yield start, min(stop, start + PIECE_CHARS)
        if stop - start <= PIECE_CHARS:
            return
        start += PIECE_CHARS - OVERLAP_CHARS


def _secret_in(match: re.Match[str]) -> Span:
    """Take the group that is the secret; one that is short is a part of it, such as a prefix."""
    spans = [match.span(group) for group in range(1, match.re.groups + 1)]
    start, stop = max(spans, key=lambda span: span[1] - span[0], default=match.span())
    if stop - start < _SHORTEST:
        start, stop = match.span()
    while match.string[start] in ' =:"' and start < stop:
        start += 1
    while match.string[stop - 1] in ' "' and start < stop:
        stop -= 1
    return Span(start, stop, "token")
