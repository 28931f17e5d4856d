"""What stands between Daybook and lo-bot-api-emulator, which knows less than Telegram.

It takes away what the emulator refuses, remembers what was accepted, and turns a message that has
an ``edit_date`` into the changed message it is, since the emulator queues new ones only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import aiohttp
from aiohttp import FormData, web

Json = dict[str, object]

UNKNOWN_FIELDS = ("link_preview_options", "message_thread_id")
UNKNOWN_UPDATES = ("stopped_message_generation",)
HOOK = "/hook"
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"

_POLL_LIMIT = aiohttp.ClientTimeout(total=120)


@dataclass(slots=True)
class Message:
    """A message of the bot as it stands in the chat.

    Attributes:
        buttons: Their tokens by their labels.
        content: That of its file.
        versions: How often it was sent or changed.
    """

    text: str = ""
    buttons: dict[str, str] = field(default_factory=dict)
    file_name: str = ""
    content: bytes = b""
    versions: int = 0


class TelegramFront:
    """A server that hands on what goes to and fro.

    Attributes:
        address: Of this server, once it listens.
        messages: What the bot wrote, by its id.
        refused: What the emulator did not take, method and reason.
        answered_presses: How many presses of buttons the bot has confirmed.
    """

    def __init__(self, session: aiohttp.ClientSession, peer_url: str) -> None:
        self._session = session
        self._peer_url = peer_url
        self._hook_url = ""
        self.address = ""
        self.messages: dict[int, Message] = {}
        self.refused: list[str] = []
        self.answered_presses = 0

    def app(self) -> web.Application:
        """Make the application to be served."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post(HOOK, self._call_hook)
        app.router.add_post("/bot{token}/{method}", self._pass_on)
        app.router.add_get("/file/{rest:.*}", self._download)
        return app

    async def _pass_on(self, request: web.Request) -> web.Response:
        """Hand a request of the bot to the emulator."""
        method = request.match_info["method"]
        sent = await _fields_of(request)
        known = {key: value for key, value in sent.items() if key not in UNKNOWN_FIELDS}
        if "allowed_updates" in known:
            kinds = json.loads(str(known["allowed_updates"]))
            known["allowed_updates"] = json.dumps([k for k in kinds if k not in UNKNOWN_UPDATES])
        if method == "setWebhook":
            self._hook_url = str(known["url"])
            known["url"] = self.address + HOOK
        try:
            url, form = f"{self._peer_url}{request.path}", _form_of(known)
            async with self._session.post(url, data=form, timeout=_POLL_LIMIT) as answer:
                status, body = answer.status, await answer.json()
        except aiohttp.ClientError as error:  # the emulator ends before the last long poll
            raise web.HTTPBadGateway from error
        if body["ok"]:
            body["result"] = self._taken(method, sent, body["result"])
        else:
            self.refused.append(f"{method}: {body['description']}")
        return web.json_response(body, status=status)

    def _taken(self, method: str, sent: Json, result: object) -> object:
        """Remember what was accepted; give the result as Telegram would."""
        if method == "getUpdates" and isinstance(result, list):
            return [_as_it_is(update) for update in result]
        if method == "getWebhookInfo" and isinstance(result, dict) and result.get("url"):
            return result | {"url": self._hook_url}
        if method == "answerCallbackQuery":
            self.answered_presses += 1
        if isinstance(result, dict) and "message_id" in result:
            message = self.messages.setdefault(int(result["message_id"]), Message())
            message.versions += 1
            message.text = str(sent.get("text") or sent.get("caption") or "")
            message.buttons = _buttons_of(sent)
            for value in sent.values():
                if isinstance(value, web.FileField):
                    value.file.seek(0)
                    message.file_name, message.content = value.filename, value.file.read()
        return result

    async def _call_hook(self, request: web.Request) -> web.Response:
        """Hand an update of the emulator to the bot's webhook."""
        headers = {SECRET_HEADER: request.headers.get(SECRET_HEADER, "")}
        update = _as_it_is(await request.json())
        async with self._session.post(self._hook_url, json=update, headers=headers) as answer:
            return web.Response(status=answer.status)

    async def _download(self, request: web.Request) -> web.Response:
        async with self._session.get(f"{self._peer_url}{request.path}") as answer:
            return web.Response(status=answer.status, body=await answer.read())


async def _fields_of(request: web.Request) -> Json:
    if request.content_type == "application/json":
        body = await request.json()
        return {k: v if isinstance(v, str) else json.dumps(v) for k, v in body.items()}
    return dict(await request.post())


def _form_of(fields: Json) -> FormData:
    form = FormData()
    for name, value in fields.items():
        if isinstance(value, web.FileField):
            form.add_field(
                name, value.file.read(), filename=value.filename, content_type=value.content_type
            )
        else:
            form.add_field(name, str(value))
    return form


def _as_it_is(update: Json) -> Json:
    """Call a message that was changed what Telegram calls it."""
    message = update.get("message")
    if isinstance(message, dict) and "edit_date" in message:
        return {"update_id": update["update_id"], "edited_message": message}
    return update


def _buttons_of(sent: Json) -> dict[str, str]:
    markup = json.loads(str(sent.get("reply_markup") or "{}"))
    rows = markup.get("inline_keyboard", [])
    return {button["text"]: button["callback_data"] for row in rows for button in row}
