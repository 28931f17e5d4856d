"""The App Home: what one person is shown of themselves, and the commands that it offers.

The law of this file: all of a page is plain text. What is remembered of somebody may hold anything,
and none of it may ring anybody's phone. Its buttons are commands given in that person's direct
chat, which they could as well write there; so nothing is kept of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from pydantic import BaseModel, Field, ValidationError

from bot.api import (
    ChatAddress,
    HomePage,
    InboundMessage,
    Section,
    Sender,
    gettext,
    gettext_noop,
)
from channels.slack.commands import Person, Who, kind_of
from channels.slack.inbound import is_direct
from channels.slack.modal import OPENS, Json
from channels.slack.payloads import Timestamp

MOST_SECTION_CHARS = 3_000
MOST_HEADER_CHARS = 150
MOST_BUTTON_CHARS = 75
MOST_BLOCKS = 100
"""Source: docs.slack.dev, Block Kit: section, header, button; a view. Read 2026-11-30."""

_ACTION = "home."
_CUT = gettext_noop("… and more.")


class _Opened(BaseModel):
    user: str = Field(min_length=1)
    channel: str = Field(min_length=1)
    tab: str


class _Action(BaseModel):
    action_id: str
    action_ts: Timestamp
    value: str = Field(min_length=1)


class _View(BaseModel):
    type: str
    private_metadata: str


class _Press(BaseModel):
    user: Person
    view: _View
    actions: tuple[_Action, ...] = Field(min_length=1)


def opened(payload: Mapping[str, object], who: Who) -> tuple[ChatAddress, Sender] | None:
    """Say whose page was opened, and the direct chat that it is about; None for nobody's."""
    try:
        event = _Opened.model_validate(payload.get("event"))
    except ValidationError:
        return None
    if event.tab != "home" or not is_direct(event.channel):
        return None
    return who.address(event.channel), who.sender(event.user, who.identity.team_id, "")


def view_of(page: HomePage, address: ChatAddress) -> Json:
    """Lay a page out that is about a direct chat."""
    blocks = list(_blocks(page))
    if len(blocks) > MOST_BLOCKS:
        blocks[MOST_BLOCKS - 1 :] = [_text(gettext(_CUT))]
    return {"type": "home", "private_metadata": address.chat, "blocks": blocks}


def _blocks(page: HomePage) -> Iterator[Json]:
    if page.may_configure:
        settings = _button(gettext("Settings"), OPENS.removeprefix("/"), "settings")
        yield {"type": "actions", "elements": [settings]}
    for number, section in enumerate(page.sections):
        title = section.title[:MOST_HEADER_CHARS]
        yield {"type": "header", "text": {"type": "plain_text", "text": title, "emoji": False}}
        yield from map(_text, _pieces(section.lines))
        for place, row in enumerate(section.rows):
            [text] = _pieces((row.text,))
            wish = _button(row.wish.label, row.wish.command, f"{number}.row.{place}")
            yield {**_text(text), "accessory": wish}
        if section.wishes:
            yield {"type": "actions", "elements": list(_buttons(section, number))}


def _pieces(lines: tuple[str, ...]) -> Iterator[str]:
    """Put lines together as far as one block takes them; a longer one is cut."""
    piece = ""
    for line in lines:
        line = line if len(line) <= MOST_SECTION_CHARS else f"{line[: MOST_SECTION_CHARS - 1]}…"
        if piece and len(piece) + 1 + len(line) > MOST_SECTION_CHARS:
            yield piece
            piece = ""
        piece = f"{piece}\n{line}" if piece else line
    if piece:
        yield piece


def _text(text: str) -> Json:
    return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}


def _buttons(section: Section, number: int) -> Iterator[Json]:
    for place, wish in enumerate(section.wishes):
        yield _button(wish.label, wish.command, f"{number}.{place}")


def _button(label: str, command: str, name: str) -> Json:
    text = label[:MOST_BUTTON_CHARS]
    return {
        "type": "button",
        "action_id": f"{_ACTION}{name}",
        "text": {"type": "plain_text", "text": text, "emoji": False},
        "value": command,
    }


def pressed_in(payload: Mapping[str, object], who: Who) -> InboundMessage | None:
    """Read the command that a button of the page stands for; None when it was elsewhere."""
    try:
        press = _Press.model_validate(payload)
    except ValidationError:
        return None
    action, chat = press.actions[0], press.view.private_metadata
    if press.view.type != "home" or not action.action_id.startswith(_ACTION):
        return None
    if kind_of(chat) != "private":
        return None
    user = press.user
    return InboundMessage(
        event_id=f"home:{who.identity.team_id}:{chat}:{action.action_ts}:{action.action_id}",
        address=who.address(chat),
        kind="private",
        sender=who.sender(user.id, user.team_id, user.name),
        message_id=action.action_ts,
        text=f"/{action.value}",
        is_addressed=True,
        sent_at=datetime.fromtimestamp(float(action.action_ts), tz=UTC),
    )
