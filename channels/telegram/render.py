"""Markdown as Telegram shows it: plain text with entities, never a parse mode.

telegramify-markdown draws the text from the parser's events. It knows Telegram's Markdown of its
own (spoilers, formulas) and leaves HTML out, while a model writes ``a || b``, ``$5`` and
``Vec<T>`` and means just that. So the events are made here, with CommonMark, tables, task lists
and ``~~`` only, and what would be invisible is turned into text before they are drawn. The law of
this file: nothing that a reader of the Markdown could see is lost.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyromark
from pyromark.event import Event, Range
from telegramify_markdown.config import RenderConfig
from telegramify_markdown.converter import EventWalker
from telegramify_markdown.entity import MessageEntity

from channels.telegram.cjk_bold import with_cjk_bold
from channels.telegram.tables import with_tables_drawn
from channels.telegram.utf16 import utf16_length, well_formed

MAX_UNITS = 4096
"""Source: Telegram Bot API, sendMessage, "after entities parsing"; read 2026-11-30."""

REMARK_UNITS = 100
"""What a part leaves free, for the bot to add that it is sent again."""

MAX_SPANS = 100
"""Entities beyond these are dropped by Telegram. Source: Telegram Bot API, MessageEntity limits
in python-telegram-bot's ``MessageLimit``, read 2026-11-30."""

INVISIBLE = "\N{HORIZONTAL ELLIPSIS}"
"""Stands for a text in which there is nothing to see, which Telegram refuses."""

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
)

_CLICKABLE = re.compile(r"(https?|tg|ton)://", re.IGNORECASE)
_MARKER = re.compile(rb"[ \t]*(?:\d+[.)]|[-+*])")
_DEFINITION = re.compile(rb"^[ \t>]*(\[)[^\]\n]+\]:[ \t]*<?([^\s>]*)[^\n]*", re.MULTILINE)
_SEEN_BY_READERS = re.compile(r"[^\W_]|[^\x00-\x7f\s]")

_Events = tuple[tuple[Event, Range], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One entity; ``offset`` and ``length`` in UTF-16 code units."""

    kind: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A text and its formatting, as it is sent."""

    text: str
    spans: tuple[Span, ...] = ()


def fits(text: str) -> bool:
    """Tell whether Markdown fits into one message with all its formatting and a remark behind."""
    rendered = render(text)
    room = MAX_UNITS - REMARK_UNITS
    return utf16_length(rendered.text) <= room and len(rendered.spans) < MAX_SPANS


def render(text: str) -> Rendered:
    """Turn Markdown into what is sent; always something visible.

    Markdown of which anything would stay unseen comes back as it was written.
    """
    parsed = _parse(well_formed(text))
    if parsed is None:
        return plain(text)
    source, events = parsed
    drawn, entities, _ = EventWalker(_CONFIG, source).walk(
        tuple(with_tables_drawn(_shown(events, source)))
    )
    shown = drawn.rstrip()
    if not _is_visible(shown):
        return plain(text)
    end = utf16_length(shown)
    spans = (
        Span(
            kind=entity.type,
            offset=entity.offset,
            length=min(entity.length, end - entity.offset),
            url=entity.url,
            language=entity.language,
        )
        for entity in entities
        if entity.offset < end and _is_drawable(entity)
    )
    return Rendered(text=shown, spans=tuple(spans))


def shown_events(text: str) -> tuple[Event, ...]:
    """Give what of Markdown is to be drawn where links in tables can be clicked, too.

    Nothing for Markdown of which anything would stay unseen.
    """
    parsed = _parse(well_formed(text))
    if parsed is None:
        return ()
    source, events = parsed
    return tuple(event for event, _ in _shown(events, source, cells_are_clickable=True))


def plain(text: str) -> Rendered:
    """Send a text as it is written."""
    source = well_formed(text)
    return Rendered(text=source if _is_visible(source) else INVISIBLE)


def _configuration() -> RenderConfig:
    config = RenderConfig.isolated()
    symbols = config.markdown_symbol
    symbols.heading_level_1 = symbols.heading_level_2 = ""
    symbols.heading_level_3 = symbols.heading_level_4 = ""
    symbols.unordered_list_item, symbols.image = "•", "🖼 "
    symbols.task_completed, symbols.task_uncompleted = "☑", "☐"
    config.cite_expandable = False
    return config


_CONFIG = _configuration()


def _is_visible(text: str) -> bool:
    return any(unicodedata.category(character)[0] not in "ZC" for character in text)


def _is_drawable(entity: MessageEntity) -> bool:
    """Leave out what Telegram ignores: links it cannot open, emoji that bots may not send."""
    if entity.type == "text_link":
        return entity.url is not None and _CLICKABLE.match(entity.url) is not None
    return entity.type != "custom_emoji"


def _parse(source: str) -> tuple[str, _Events] | None:
    """Parse Markdown; None when a part of it would not be seen.

    The parser drops link definitions. One whose address some link shows is not missed; any other
    is escaped and so becomes text, hence the source comes back as well.
    """
    while True:
        events = tuple(pyromark.events_with_range(source, options=_OPTIONS))
        data = source.encode()
        gaps = [(start, data[start:end]) for start, end in _gaps(events, data)]
        if not any(_is_seen(gap) for _, gap in gaps):
            return source, events
        if any(_is_seen(_DEFINITION.sub(b"", gap)) for _, gap in gaps):
            return None
        addresses = {url.encode() for url in _addresses(events)}
        unused = [
            start + definition.start(1)
            for start, gap in gaps
            for definition in _DEFINITION.finditer(gap)
            if definition[2] not in addresses
        ]
        if not unused:
            return source, events
        source = _escape_at(data, unused)


def _is_seen(source: bytes) -> bool:
    return _SEEN_BY_READERS.search(source.decode(errors="replace")) is not None


def _escape_at(data: bytes, places: list[int]) -> str:
    for place in sorted(places, reverse=True):
        data = data[:place] + b"\\" + data[place:]
    return data.decode()


def _addresses(events: _Events) -> Iterator[str]:
    for event, _ in events:
        match event:
            case {"Start": {"Link": {"dest_url": str(url)}} | {"Image": {"dest_url": str(url)}}}:
                yield url


def _gaps(events: _Events, data: bytes) -> Iterator[tuple[int, int]]:
    """Give the stretches of the source of which no event shows anything."""
    position = 0
    for start, end in sorted(_covered(events, data)):
        if start > position:
            yield position, start
        position = max(position, end)
    if position < len(data):
        yield position, len(data)


def _covered(events: _Events, data: bytes) -> Iterator[tuple[int, int]]:
    open_fence: Range | None = None
    for event, place in events:
        if "Text" in event:  # by far the most of them
            # The name of a fence's language is shown with its first line, or not at all.
            yield _bounds(open_fence or place)
            open_fence = None
            continue
        match event:
            case {"Code": _} | {"Html": _} | {"InlineHtml": _}:
                yield _bounds(place)
            case {"TaskListMarker": _} | {"Start": {"Link": _} | {"Image": _}}:
                yield _bounds(place)
            case {"Start": {"CodeBlock": _}}:
                open_fence = place
                continue
            case {"End": "CodeBlock"} if open_fence is not None:
                yield _bounds(open_fence)  # nothing is in it, so nothing of it is seen
            case {"Start": "Item"}:
                marker = _MARKER.match(data, place["start"])
                yield place["start"], marker.end() if marker else place["start"]
        open_fence = None


def _bounds(place: Range) -> tuple[int, int]:
    return place["start"], place["end"]


def _shown(
    events: _Events, source: str, *, cells_are_clickable: bool = False
) -> Iterable[tuple[Event, Range]]:
    """Give what is to be drawn."""
    visible = _made_visible(events, source, cells_are_clickable=cells_are_clickable)
    return visible if source.isascii() else with_cjk_bold(visible)


def _made_visible(
    events: _Events, source: str, *, cells_are_clickable: bool
) -> Iterator[tuple[Event, Range]]:
    """Turn into text what would be drawn as nothing: HTML, single ``~``, some links' addresses."""
    data = source.encode()
    hints: list[str] = []
    is_in_cell = False
    for event, place in events:
        if "Text" in event:  # by far the most of them
            yield event, place
            continue
        match event:
            case {"InlineHtml": str(html)} | {"Html": str(html)}:
                yield {"Text": html}, place
                continue
            case {"Start": "HtmlBlock"}:
                yield {"Start": "Paragraph"}, place
                continue
            case {"End": "HtmlBlock"}:
                yield {"End": "Paragraph"}, place
                continue
            case {"Start": "Strikethrough"} | {"End": "Strikethrough"}:
                is_double = data[place["start"] + 1 : place["start"] + 2] == b"~"
                yield event if is_double else {"Text": "~"}, place
                continue
            case {"Start": "TableCell"} | {"End": "TableCell"}:
                is_in_cell = "Start" in event and not cells_are_clickable
            case {"Start": {"Link": link} | {"Image": link}}:
                is_spelled = data.startswith(f"[{link['dest_url']}]".encode(), place["start"])
                is_bare = is_spelled or link["link_type"] in ("Autolink", "Email")
                hints.append("" if is_bare else _hint(link["dest_url"], is_in_cell=is_in_cell))
        yield event, place
        if event in ({"End": "Link"}, {"End": "Image"}) and (hint := hints.pop()):
            yield {"Text": hint}, place


def _hint(url: str, *, is_in_cell: bool) -> str:
    """Spell out an address that nobody could click: in a table, or of no kind Telegram opens."""
    is_clickable = _CLICKABLE.match(url) and not is_in_cell
    return "" if is_clickable or not url else f" ({url})"
