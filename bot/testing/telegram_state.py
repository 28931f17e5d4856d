"""The inside of the pretended Telegram: its chats, and the methods that change them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.testing.telegram_rules import (
    NOT_MODIFIED,
    ChatState,
    Json,
    Refusal,
    check_place,
    check_text,
    text_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request that took effect.

    Attributes:
        at: Seconds of ``time.monotonic``.
        id: That of the message sent or edited, of the draft, or 0.
        thread: The topic it went to, or 0.
    """

    method: str
    params: Json
    at: float
    chat_id: int = 0
    id: int = 0
    thread: int = 0
    text: str = ""
    entities: tuple[Json, ...] = ()


class TelegramState:
    """Chats, messages and every call that took effect; knows nothing of HTTP.

    Attributes:
        methods: The methods of the Bot API but getUpdates, by their names in lower case.
    """

    def __init__(self, bot: Json) -> None:
        self.bot = bot
        self.webhook_url = ""
        self.calls: list[Call] = []
        self.chats: dict[int, ChatState] = {}
        self._moved: dict[int, int] = {}
        self.methods: dict[str, Callable[[Json], object]] = {
            "getme": lambda _: self.bot,
            "getwebhookinfo": lambda _: {"url": self.webhook_url, "pending_update_count": 0},
            "deletewebhook": self._delete_webhook,
            "setmycommands": self._set_commands,
            "sendmessage": self._send,
            "editmessagetext": self._edit,
            "sendmessagedraft": self._draft,
            "sendchataction": self._act,
        }

    def chat(self, chat_id: int, kind: str) -> ChatState:
        """Give a chat, opening it when it is new."""
        return self.chats.setdefault(chat_id, ChatState(id=chat_id, kind=kind))

    def move_chat(self, old_id: int, new_id: int) -> None:
        """Make a group a supergroup, which gives it another id."""
        moved = self.chats.pop(old_id)
        self.chats[new_id] = ChatState(
            id=new_id, kind="supergroup", threads=moved.threads, messages=moved.messages
        )
        self._moved[old_id] = new_id

    def record(self, method: str, params: Json, *, id: int = 0) -> None:
        """Note a call."""
        text, entities = text_of(params)
        chat_id, thread = (
            int(str(params.get(key) or 0)) for key in ("chat_id", "message_thread_id")
        )
        self.calls.append(
            Call(
                method=method,
                params=params,
                at=time.monotonic(),
                chat_id=chat_id,
                id=id,
                thread=thread,
                text=text,
                entities=tuple(each for each in entities if isinstance(each, dict)),
            )
        )

    def called(self, method: str) -> tuple[Call, ...]:
        """Give the calls of one method, oldest first."""
        return tuple(call for call in self.calls if call.method == method)

    def _known_chat(self, params: Json) -> ChatState:
        chat_id = int(str(params.get("chat_id") or 0))
        chat = self.chats.get(chat_id)
        if chat_id in self._moved:
            text = "Bad Request: group chat was upgraded to a supergroup chat"
            raise Refusal(400, text, migrate_to_chat_id=self._moved[chat_id])
        if chat is None:
            raise Refusal(400, "Bad Request: chat not found")
        return chat

    def _send(self, params: Json) -> Json:
        chat = self._known_chat(params)
        text, entities = text_of(params)
        check_text(text, entities)
        check_place(chat, params)
        message: Json = {
            "message_id": chat.next_message_id(),
            "date": int(time.time()),
            "chat": chat.as_json(),
            "from": self.bot,
            "text": text.strip(),
            "entities": entities,
        }
        number = int(str(message["message_id"]))
        chat.messages[number] = message
        self.record("sendMessage", params, id=number)
        return message

    def _edit(self, params: Json) -> Json:
        chat = self._known_chat(params)
        text, entities = text_of(params)
        number = int(str(params.get("message_id")))
        message = chat.messages.get(number)
        if message is None or message["from"] is not self.bot:
            raise Refusal(400, "Bad Request: message to edit not found")
        check_text(text, entities)
        if (message["text"], message["entities"]) == (text.strip(), entities):
            raise Refusal(400, NOT_MODIFIED)
        message |= {"text": text.strip(), "entities": entities}
        self.record("editMessageText", params, id=number)
        return message

    def _draft(self, params: Json) -> bool:
        chat = self._known_chat(params)
        if chat.kind != "private":
            raise Refusal(400, "Bad Request: drafts are for private chats")
        text, entities = text_of(params)
        if text.strip():
            check_text(text, entities)
        draft_id = int(str(params.get("draft_id") or 0))
        if not draft_id:
            raise Refusal(400, "Bad Request: draft_id must be non-zero")
        self.record("sendMessageDraft", params, id=draft_id)
        return True

    def _act(self, params: Json) -> bool:
        check_place(self._known_chat(params), params)
        self.record("sendChatAction", params)
        return True

    def _set_commands(self, params: Json) -> bool:
        self.record("setMyCommands", params)
        return True

    def _delete_webhook(self, params: Json) -> bool:
        self.record("deleteWebhook", params)
        self.webhook_url = ""
        return True
