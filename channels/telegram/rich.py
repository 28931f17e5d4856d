"""Markdown as a rich message of Telegram: tables and task lists as such, the rest around them.

Only what has one of these is worth it: apps of former days show nothing of a rich message. The HTML
is made of the same events as text and entities are, so that both show the same words.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from pyromark.event import Event

from channels.telegram.render import shown_events

MAX_HTML_CHARS = 32_768
MAX_COLUMNS = 20
"""Source of both: the limits of rich messages, docs.rs/telegram-rich, read 2026-11-30."""

_TAGS = {
    "Paragraph": "p",
    "Strong": "b",
    "Emphasis": "i",
    "Strikethrough": "s",
    "Item": "li",
    "TableRow": "tr",
    "TableHead": "tr",
}
_BREAKS = {"SoftBreak": "<br/>", "HardBreak": "<br/>", "Rule": "<hr/>"}


def rich_html(text: str) -> str:
    """Turn Markdown with a table or a task list into HTML; empty where it is not worth it.

    What is too wide or too long for a rich message is not, either.
    """
    events = shown_events(text)
    if not any(_is_worth_it(event) for event in events) or any(map(_is_too_wide, events)):
        return ""
    drawn = "".join(_Drawing().pieces(events))
    return drawn if len(drawn) <= MAX_HTML_CHARS else ""


def _is_worth_it(event: Event) -> bool:
    match event:
        case {"Start": {"Table": _}} | {"TaskListMarker": _}:
            return True
    return False


def _is_too_wide(event: Event) -> bool:
    match event:
        case {"Start": {"Table": columns}}:
            return len(columns) > MAX_COLUMNS
    return False


class _Drawing:
    """Writes events as HTML; knows where in a table it is."""

    def __init__(self) -> None:
        self._alignments: tuple[str, ...] = ()
        self._column = 0
        self._cell = "td"
        self._closing: list[str] = []

    def pieces(self, events: Iterable[Event]) -> Iterator[str]:
        """Give the pieces of the HTML."""
        for event in events:
            match event:
                case str():
                    yield _BREAKS[event]
                case {"Text": str(text)}:
                    yield html.escape(text, quote=False)
                case {"Code": str(code)}:
                    yield f"<code>{html.escape(code, quote=False)}</code>"
                case {"TaskListMarker": is_done}:
                    yield "☑ " if is_done else "☐ "
                case {"Start": tag}:
                    opening, closing = self._tags_of(tag)
                    self._closing.append(closing)
                    yield opening
                case {"End": _}:
                    yield self._closing.pop()

    def _tags_of(self, tag: object) -> tuple[str, str]:
        match tag:
            case "TableCell":
                return self._next_cell()
            case "TableHead" | "TableRow":
                self._cell, self._column = ("th" if tag == "TableHead" else "td"), 0
            case {"Table": alignments}:
                self._alignments = tuple(map(str, alignments))
                return "<table>", "</table>"
            case {"CodeBlock": {"Fenced": str(language)}} if language:
                name = html.escape(language)
                return f'<pre><code class="language-{name}">', "</code></pre>"
            case {"CodeBlock": _}:
                return "<pre>", "</pre>"
        return _pair_of(tag)

    def _next_cell(self) -> tuple[str, str]:
        side = self._alignments[self._column].lower()
        self._column += 1
        aligned = "" if side == "none" else f' align="{side}"'
        return f"<{self._cell}{aligned}>", f"</{self._cell}>"


def _pair_of(tag: object) -> tuple[str, str]:
    """Give what opens and closes an element that stands by itself."""
    match tag:
        case str():
            return f"<{_TAGS[tag]}>", f"</{_TAGS[tag]}>"
        case {"Heading": {"level": str(level)}}:
            return f"<{level.lower()}>", f"</{level.lower()}>"
        case {"BlockQuote": _}:
            return "<blockquote>", "</blockquote>"
        case {"List": None}:
            return "<ul>", "</ul>"
        case {"List": first}:
            return f'<ol start="{first}">', "</ol>"
        case {"Link": {"dest_url": str(url)}}:
            return f'<a href="{html.escape(url)}">', "</a>"
        case {"Image": {"dest_url": str(url)}}:
            return f'<a href="{html.escape(url)}">🖼 ', "</a>"
    return "", ""
