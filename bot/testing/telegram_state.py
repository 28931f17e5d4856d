"""The inside of the pretended Telegram: its chats, and the methods that change them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp.web import FileField

from bot.testing.telegram_rules import (
    NOT_MODIFIED,
    ChatState,
    Json,
    Refusal,
    check_caption,
    check_keyboard,
    check_place,
    check_text,
    text_of,
)
from bot.testing.telegram_webhook import Webhook

_CONTENT = ("text", "entities", "rich_message", "photo", "document", "caption", "caption_entities")
"""What of a message its buttons are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request that took effect.

    Attributes:
        at: Seconds of ``time.monotonic``.
        id: That of the message sent or edited, of the draft, or 0.
        thread: The topic it went to, or 0.
        text: That of the message, or the caption of its file.
        keyboard: The tokens of its buttons, in rows.
        file: The content of the file that was sent; ``file_name`` goes with it.
    """

    method: str
    params: Json
    at: float
    chat_id: int = 0
    id: int = 0
    thread: int = 0
    text: str = ""
    entities: tuple[Json, ...] = ()
    keyboard: tuple[tuple[str, ...], ...] = ()
    file: bytes = b""
    file_name: str = ""


_DEFAULT_SCOPE: Json = {"type": "default"}


class TelegramState:
    """Chats, messages and every call that took effect; knows nothing of HTTP.

    Attributes:
        webhook: The webhook that is set; with an address on loopback it is called.
        waiting: How many updates nobody has confirmed.
        open_presses: Buttons that wait for an answer.
        administrators: The chat and the person for each admin of a group.
        methods: The methods of the Bot API but getUpdates, by their names in lower case.
    """

    def __init__(self, bot: Json) -> None:
        self.bot = bot
        self.webhook = Webhook()
        self.waiting = 0
        self.open_presses: set[str] = set()
        self.calls: list[Call] = []
        self.chats: dict[int, ChatState] = {}
        self._moved: dict[int, int] = {}
        self.administrators: set[tuple[int, int]] = set()
        self.methods: dict[str, Callable[[Json], object]] = {
            "getme": lambda _: self.bot,
            "getwebhookinfo": lambda _: self.webhook.info(self.waiting),
            "setwebhook": self._set_webhook,
            "answercallbackquery": self._answer_press,
            "deletewebhook": self._delete_webhook,
            "setmycommands": self._set_commands,
            "getmycommands": self._commands,
            "deletemycommands": self._delete_commands,
            "getchatmember": self._chat_member,
            "sendmessage": lambda params: self._send("sendMessage", params),
            "sendphoto": lambda params: self._send("sendPhoto", params, field="photo"),
            "senddocument": lambda params: self._send("sendDocument", params, field="document"),
            "editmessagereplymarkup": self._edit_keyboard,
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
        upload = next((each for each in params.values() if isinstance(each, FileField)), None)
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
                keyboard=tuple(map(tuple, check_keyboard(params))),
                file=b"" if upload is None else upload.file.read(),
                file_name="" if upload is None else upload.filename,
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

    def accept_rich_messages(self) -> None:
        """Become a Bot API of 10.1 or newer, which knows rich messages."""
        self.methods["sendrichmessage"] = lambda params: self._send("sendRichMessage", params)

    def _send(self, method: str, params: Json, *, field: str = "") -> Json:
        chat = self._known_chat(params)
        content = self._content(params, field)
        check_place(chat, params)
        message: Json = {
            "message_id": chat.next_message_id(),
            "date": int(time.time()),
            "chat": chat.as_json(),
            "from": self.bot,
            **content,
        }
        number = int(str(message["message_id"]))
        chat.messages[number] = message
        self.record(method, params, id=number)
        return message

    def _content(self, params: Json, field: str = "") -> Json:
        """Give what a message shows: a rich one or a text, or a file and its caption."""
        check_keyboard(params)
        markup = params.get("reply_markup")
        below: Json = {} if markup is None else {"reply_markup": markup}
        match params.get("rich_message"):
            case {"html": str(html)} if html:
                return {"rich_message": html} | below
        text, entities = text_of(params)
        if not field:
            check_text(text, entities)
            return {"text": text.strip(), "entities": entities} | below
        check_caption(text, entities)
        upload = params.get(field)
        if not isinstance(upload, FileField):
            raise Refusal(400, f"Bad Request: there is no {field} in the request")
        file: Json = {"file_id": upload.filename, "file_unique_id": upload.filename}
        shown = [file | {"width": 1, "height": 1}] if field == "photo" else file
        return {field: shown, "caption": text, "caption_entities": entities} | below

    def _edit(self, params: Json) -> Json:
        message = self._own_message(params)
        if "text" not in message and "rich_message" not in message:
            raise Refusal(400, "Bad Request: there is no text in the message to edit")
        return self._change(message, self._content(params), "editMessageText", params)

    def _edit_keyboard(self, params: Json) -> Json:
        message = self._own_message(params)
        check_keyboard(params)
        kept = {field: message[field] for field in _CONTENT if field in message}
        markup = params.get("reply_markup")
        content = kept if markup is None else kept | {"reply_markup": markup}
        return self._change(message, content, "editMessageReplyMarkup", params)

    def _change(self, message: Json, content: Json, method: str, params: Json) -> Json:
        fields = (*_CONTENT, "reply_markup")
        if content == {field: message[field] for field in fields if field in message}:
            raise Refusal(400, NOT_MODIFIED)
        for field in fields:
            message.pop(field, None)
        message |= content
        self.record(method, params, id=int(str(message["message_id"])))
        return message

    def _own_message(self, params: Json) -> Json:
        message = self._known_chat(params).messages.get(int(str(params.get("message_id"))))
        if message is None or message["from"] is not self.bot:
            raise Refusal(400, "Bad Request: message to edit not found")
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

    def _commands(self, params: Json) -> object:
        """Give what was set last for a scope."""
        scope = params.get("scope") or _DEFAULT_SCOPE
        calls = [
            call
            for call in self.called("setMyCommands")
            if (call.params.get("scope") or _DEFAULT_SCOPE) == scope
        ]
        return calls[-1].params["commands"] if calls else []

    def _delete_commands(self, params: Json) -> bool:
        self.record("deleteMyCommands", params)
        return True

    def _chat_member(self, params: Json) -> Json:
        self.record("getChatMember", params)
        chat, user = self._known_chat(params), int(str(params.get("user_id") or 0))
        status = "administrator" if (chat.id, user) in self.administrators else "member"
        return {"status": status, "user": {"id": user, "is_bot": False, "first_name": "Ann"}}

    def _delete_webhook(self, params: Json) -> bool:
        self.record("deleteWebhook", params)
        self.webhook.url = ""
        return True

    def _set_webhook(self, params: Json) -> bool:
        self.record("setWebhook", params)
        return self.webhook.set(params)

    def _answer_press(self, params: Json) -> bool:
        press = str(params.get("callback_query_id"))
        if press not in self.open_presses:
            raise Refusal(400, "Bad Request: query is too old and response timeout expired")
        self.open_presses.discard(press)
        self.record("answerCallbackQuery", params)
        return True
