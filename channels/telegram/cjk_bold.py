"""Bold in scripts that put no spaces between words, where CommonMark sees none.

In ``**你好、**世界`` the closing stars stand between a mark and a letter, so that CommonMark leaves
them as they are. Writers of Chinese, Japanese and Korean do not mean stars.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pyromark.event import Event, Range

Placed = tuple[Event, Range]

_CJK = r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]"
_BOLD = re.compile(
    rf"(?:(?<={_CJK})\*\*|\*\*(?={_CJK}))(?=[^\s*])([^*\n]*[^\s*])"
    rf"(?:(?<={_CJK})\*\*|\*\*(?={_CJK}))"
)


def with_cjk_bold(events: Iterable[Placed]) -> Iterator[Placed]:
    """Mark as bold what is between double stars that were left in a text beside such letters."""
    is_code = False
    for event, place in _joined(events):
        match event:
            case {"Start": {"CodeBlock": _}} | {"End": "CodeBlock"}:
                is_code = "Start" in event
            case {"Text": str(text)} if "**" in text and not is_code:
                yield from _marked(text, place)
                continue
        yield event, place


def _marked(text: str, place: Range) -> Iterator[Placed]:
    position = 0
    for match in _BOLD.finditer(text):
        if match.start() > position:
            yield {"Text": text[position : match.start()]}, place
        yield {"Start": "Strong"}, place
        yield {"Text": match[1]}, place
        yield {"End": "Strong"}, place
        position = match.end()
    if position < len(text):
        yield {"Text": text[position:]}, place


def _joined(events: Iterable[Placed]) -> Iterator[Placed]:
    """Join texts that stand side by side in the source; an escaped star does not."""
    held: tuple[str, Range] | None = None
    for event, place in events:
        match event:
            case {"Text": str(text)}:
                if held is not None and held[1]["end"] == place["start"]:
                    held = held[0] + text, {"start": held[1]["start"], "end": place["end"]}
                    continue
                if held is not None:
                    yield {"Text": held[0]}, held[1]
                held = text, place
                continue
        if held is not None:
            yield {"Text": held[0]}, held[1]
            held = None
        yield event, place
    if held is not None:
        yield {"Text": held[0]}, held[1]
