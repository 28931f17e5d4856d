"""What Telegram would refuse about a request, and what it makes of people and chats."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import web

Json = dict[str, object]

Fault = Literal[
    "rate_limited",
    "unauthorised",
    "not_found",
    "forbidden",
    "conflict",
    "bad_request",
    "server_error",
    "garbage",
    "drop_before",
    "drop_after",
    "hang",
]
"""How a request fails; ``drop_before`` and ``drop_after`` cut the connection before and after the
request took effect, ``garbage`` answers 200 with what is no JSON."""

_REFUSALS: dict[Fault, tuple[int, str]] = {
    "rate_limited": (429, "Too Many Requests: retry later"),
    "unauthorised": (401, "Unauthorized"),
    "not_found": (404, "Not Found"),
    "forbidden": (403, "Forbidden: bot was blocked by the user"),
    "conflict": (409, "Conflict: terminated by other getUpdates request"),
    "bad_request": (400, "Bad Request: refused"),
    "server_error": (500, "Internal Server Error"),
}

MAX_TEXT_UNITS = 4096
"""UTF-16 code units of one message. Source: Telegram Bot API, sendMessage, read 2026-11-30."""

MAX_CAPTION_UNITS = 1024
"""Likewise of the text below a file."""

MAX_TOKEN_BYTES = 64
"""What comes back when a button is pressed. Source: as above, InlineKeyboardButton."""

MAX_ENTITIES = 100
"""Entities of one message; the real server drops what is more, this one refuses, so that no
formatting is lost unnoticed."""

KINDS = frozenset(
    (
        *("message", "edited_message", "channel_post", "edited_channel_post", "inline_query"),
        *("chosen_inline_result", "callback_query", "shipping_query", "pre_checkout_query"),
        *("poll", "poll_answer", "my_chat_member", "chat_member", "chat_join_request"),
        *("chat_boost", "removed_chat_boost", "message_reaction", "message_reaction_count"),
        *("business_connection", "business_message", "edited_business_message"),
        *("deleted_business_messages", "purchased_paid_media", "managed_bot", "guest_message"),
        "stopped_message_generation",
    )
)
"""The kinds of updates. Source: Telegram Bot API 10.3, Update, read 2026-11-30."""

_MENTION = re.compile(r"(?<!\w)@\w{2,32}")
_COMMAND = re.compile(r"(?<![\w/])/\w{1,64}(?:@\w+)?")


NOT_MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup are "
    "exactly the same as a current content and reply markup of the message"
)
WEBHOOK_IS_SET = (
    "Conflict: can't use getUpdates method while webhook is active; "
    "use deleteWebhook to delete the webhook first"
)


class Refusal(Exception):
    """The server answers with an error instead of a result."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.code = code
        self._description = description
        self._parameters = parameters

    def as_json(self) -> Json:
        """Word it as the Bot API does; ``parameters`` say what would help."""
        body: Json = {"ok": False, "error_code": self.code, "description": self._description}
        return body | ({"parameters": self._parameters} if self._parameters else {})


@dataclass(slots=True, kw_only=True)
class Failing:
    """A fault that the next requests of a method meet."""

    fault: Fault
    times: int
    retry_after_s: int
    description: str

    @property
    def refusal(self) -> Refusal | None:
        """The server's answer; None for a fault that breaks the connection."""
        if self.fault not in _REFUSALS:
            return None
        code, usual = _REFUSALS[self.fault]
        is_limit = self.fault == "rate_limited" and self.retry_after_s
        parameters = {"retry_after": self.retry_after_s} if is_limit else {}
        return Refusal(code, self.description or usual, **parameters)


@dataclass(slots=True, kw_only=True)
class ChatState:
    """What the server knows of a chat; ``threads`` and ``messages`` go by their ids."""

    id: int
    kind: str
    threads: set[int] = field(default_factory=set)
    messages: dict[int, Json] = field(default_factory=dict)
    newest_message_id: int = 0

    def next_message_id(self) -> int:
        """Count on; ids are unique in a chat only, as on the platform."""
        self.newest_message_id += 1
        return self.newest_message_id

    def as_json(self) -> Json:
        """Describe it as a message does."""
        if self.kind == "private":
            return {"id": self.id, "type": self.kind, "first_name": f"Person {self.id}"}
        return {"id": self.id, "type": self.kind, "title": f"Group {self.id}", "is_forum": True}


def bot_user(bot_id: int, username: str) -> Json:
    """Describe the bot as getMe does."""
    return {
        "id": bot_id,
        "is_bot": True,
        "first_name": "Daybook",
        "username": username,
        "can_join_groups": True,
        "can_read_all_group_messages": False,
        "supports_inline_queries": False,
    }


def person(user_id: int) -> Json:
    """Describe a person as the sender of a message."""
    return {
        "id": user_id,
        "is_bot": False,
        "first_name": f"Person {user_id}",
        "language_code": "en",
    }


async def read_params(request: web.Request) -> Json:
    """Read a request's parameters, whether JSON, form or query; nested values are JSON text."""
    if request.content_type == "application/json":
        body = await request.json()
        return body if isinstance(body, dict) else {}
    fields = {**request.query, **await request.post()}
    return {name: _decoded(name, value) for name, value in fields.items()}


def _decoded(name: str, value: object) -> object:
    """Read nested values; a text stays a text, though it may look like JSON."""
    is_text = name in ("text", "caption")
    is_nested = isinstance(value, str) and not is_text and value[:1] in ("[", "{")
    return json.loads(str(value)) if is_nested else value


def text_of(params: Mapping[str, object]) -> tuple[str, list[object]]:
    """Take the text, or the caption, and its entities out of a request's parameters."""
    entities = params.get("entities") or params.get("caption_entities")
    text = str(params.get("text") or params.get("caption") or "")
    return text, list(entities) if isinstance(entities, list) else []


def is_wanted(raw: object, kinds: set[str]) -> bool:
    """Tell whether an update is of a kind that was asked for; what is no update always is."""
    if not kinds or not isinstance(raw, dict):
        return True
    known = KINDS & set(raw)
    return not known or bool(known & kinds)


def utf16_units(text: str) -> int:
    """Count as Telegram does."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def found_entities(text: str) -> list[Json]:
    """Find the mentions and commands that Telegram marks in a person's message."""
    kinds = (("mention", _MENTION), ("bot_command", _COMMAND))
    return [
        {
            "type": kind,
            "offset": utf16_units(text[: match.start()]),
            "length": utf16_units(match[0]),
        }
        for kind, pattern in kinds
        for match in pattern.finditer(text)
    ]


def check_text(text: str, entities: Sequence[object]) -> None:
    """Refuse what Telegram refuses about a text.

    Raises:
        Refusal: It is empty or too long, or an entity lies outside of it.
    """
    if not text.strip():
        raise Refusal(400, "Bad Request: message text is empty")
    if utf16_units(text) > MAX_TEXT_UNITS:
        raise Refusal(400, "Bad Request: message is too long")
    _check_entities(text, entities)


def check_caption(text: str, entities: Sequence[object]) -> None:
    """Refuse what Telegram refuses about the text below a file, which may be empty.

    Raises:
        Refusal: It is too long, or an entity lies outside of it.
    """
    if utf16_units(text) > MAX_CAPTION_UNITS:
        raise Refusal(400, "Bad Request: message caption is too long")
    _check_entities(text, entities)


def check_keyboard(params: Mapping[str, object]) -> list[list[str]]:
    """Give the tokens of the buttons, in rows.

    Raises:
        Refusal: A button has no label, or none or too long a token.
    """
    match params.get("reply_markup"):
        case None:
            return []
        case {"inline_keyboard": list(rows)}:
            return [[_token_of(button) for button in row] for row in rows]
    raise Refusal(400, "Bad Request: can't parse reply keyboard markup JSON object")


def _token_of(button: object) -> str:
    match button:
        case {"text": str(label), "callback_data": str(token)} if label.strip():
            if 0 < len(token.encode()) <= MAX_TOKEN_BYTES:
                return token
            raise Refusal(400, "Bad Request: BUTTON_DATA_INVALID")
    raise Refusal(400, "Bad Request: can't parse inline keyboard button")


def _check_entities(text: str, entities: Sequence[object]) -> None:
    if len(entities) > MAX_ENTITIES:
        raise Refusal(400, "Bad Request: too many entities")
    for entity in entities:
        _check_entity(entity, text)


def _check_entity(entity: object, text: str) -> None:
    match entity:
        case {"type": str(), "offset": int(offset), "length": int(length)}:
            units = text.encode("utf-16-le")
            start, end = 2 * offset, 2 * (offset + length)
            if offset < 0 or length <= 0 or end > len(units):
                raise Refusal(400, "Bad Request: can't parse entities: entity out of bounds")
            try:
                units[start:end].decode("utf-16-le")
            except UnicodeDecodeError:
                raise Refusal(400, "Bad Request: can't parse entities: half a character") from None
        case _:
            raise Refusal(400, "Bad Request: can't parse entities: not an entity")


def check_place(chat: ChatState, params: Mapping[str, object]) -> None:
    """Refuse a thread or a message to reply to that the chat does not have.

    Raises:
        Refusal: One of them is not there.
    """
    thread = params.get("message_thread_id")
    if thread is not None and int(str(thread)) not in chat.threads:
        raise Refusal(400, "Bad Request: message thread not found")
    match params.get("reply_parameters"):
        case {"message_id": int(target), **options}:
            is_needed = not options.get("allow_sending_without_reply")
            if target not in chat.messages and is_needed:
                raise Refusal(400, "Bad Request: message to be replied not found")
