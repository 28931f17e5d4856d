"""The pretended Telegram is as strict as the real one, so that tests on it mean something."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from bot.testing.telegram_rules import Json
from bot.testing.telegram_server import PretendedTelegram
from bot.testing.telegram_webhook import SECRET_HEADER

ADA = 1001
GROUP = -100200
BOLD: Json = {"type": "bold", "offset": 0, "length": 1}


@pytest.fixture
async def telegram() -> AsyncIterator[PretendedTelegram]:
    async with PretendedTelegram() as server:
        server.says(ADA, "hello")
        server.says(GROUP, "hello", chat_type="supergroup", thread=11)
        yield server


async def ask(
    telegram: PretendedTelegram, method: str, params: Json | None = None, *, token: str = ""
) -> Json:
    address = f"{telegram.base_url}/bot{token or telegram.token}/{method}"
    async with (
        aiohttp.ClientSession() as session,
        session.post(address, json=params or {}) as response,
    ):
        answer: Json = await response.json()
        assert (response.status == 200) == answer["ok"]
        return answer


@pytest.mark.parametrize(
    ("method", "params", "complaint"),
    [
        ("sendMessage", {"chat_id": 9, "text": "a"}, "chat not found"),
        ("sendMessage", {"chat_id": ADA, "text": " \n"}, "message text is empty"),
        ("sendMessage", {"chat_id": ADA, "text": "😀" * 2049}, "message is too long"),
        ("sendMessage", {"chat_id": ADA, "text": "a", "entities": [BOLD] * 101}, "too many"),
        ("sendMessage", {"chat_id": ADA, "text": "a", "entities": [{}]}, "not an entity"),
        (
            "sendMessage",
            {"chat_id": ADA, "text": "a", "entities": [{**BOLD, "length": 2}]},
            "out of bounds",
        ),
        ("sendMessage", {"chat_id": ADA, "text": "😀", "entities": [BOLD]}, "half a character"),
        (
            "sendMessage",
            {"chat_id": GROUP, "text": "a", "message_thread_id": 12},
            "message thread not found",
        ),
        (
            "sendMessage",
            {"chat_id": ADA, "text": "a", "reply_parameters": {"message_id": 404}},
            "message to be replied not found",
        ),
        ("editMessageText", {"chat_id": ADA, "message_id": 1, "text": "a"}, "not found"),
        ("sendMessageDraft", {"chat_id": GROUP, "draft_id": 1, "text": "a"}, "private chats"),
        ("sendMessageDraft", {"chat_id": ADA, "text": "a"}, "must be non-zero"),
        ("sendChatAction", {"chat_id": GROUP, "message_thread_id": 12}, "thread not found"),
        ("flyToTheMoon", {}, "Not Found"),
    ],
)
async def test_refusals(
    telegram: PretendedTelegram, method: str, params: Json, complaint: str
) -> None:
    answer = await ask(telegram, method, params)
    assert complaint in str(answer["description"])


async def test_another_token_is_refused(telegram: PretendedTelegram) -> None:
    assert (await ask(telegram, "getMe", token="1:a"))["error_code"] == 401


async def test_updates_stay_until_an_offset_confirms_them(telegram: PretendedTelegram) -> None:
    async def fetched(**params: object) -> list[int]:
        result = (await ask(telegram, "getUpdates", params))["result"]
        assert isinstance(result, list)
        return [update["update_id"] for update in result]

    assert await fetched() == [1000, 1001]
    assert await fetched(allowed_updates=["edited_message"]) == []
    assert await fetched(offset=1001) == [1001]
    assert await fetched() == [1001]
    telegram.redeliver(1000)
    assert await fetched(offset=1002) == [1000]
    assert await fetched(offset=1002) == []


async def test_a_message_can_be_edited_but_not_into_itself(telegram: PretendedTelegram) -> None:
    sent = (await ask(telegram, "sendMessage", {"chat_id": ADA, "text": "a"}))["result"]
    assert isinstance(sent, dict)
    change: Json = {"chat_id": ADA, "message_id": sent["message_id"], "text": "b"}
    assert (await ask(telegram, "editMessageText", change))["ok"] is True
    again = await ask(telegram, "editMessageText", change)
    assert "message is not modified" in str(again["description"])


async def test_the_rest_is_noted(telegram: PretendedTelegram) -> None:
    commands = [{"command": "help", "description": "Say what I can do"}]
    assert (await ask(telegram, "setMyCommands", {"commands": commands}))["result"] is True
    assert telegram.state.called("setMyCommands")[0].params == {"commands": commands}
    assert (await ask(telegram, "getWebhookInfo"))["result"] == {
        "url": "",
        "pending_update_count": 2,
    }


async def test_a_webhook_is_set_described_and_called_with_its_secret(
    telegram: PretendedTelegram,
) -> None:
    got: list[tuple[str, Json]] = []

    async def take(request: web.Request) -> web.Response:
        got.append((request.headers.get(SECRET_HEADER, ""), await request.json()))
        return web.Response(status=200 if len(got) > 1 else 503)

    app = web.Application()
    app.router.add_post("/hook", take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    wanted: Json = {"url": url, "secret_token": "s", "allowed_updates": ["message"]}
    assert (await ask(telegram, "setWebhook", wanted))["result"] is True
    await telegram.wait_until(lambda: not telegram.has_waiting)
    info = (await ask(telegram, "getWebhookInfo"))["result"]
    await runner.cleanup()
    assert isinstance(info, dict)
    assert (info["url"], info["pending_update_count"]) == (url, 0)
    assert info["last_error_message"] == "Wrong response from the webhook: 503"
    assert [secret for secret, _ in got] == ["s"] * 3
    assert [update["update_id"] for _, update in got] == [1000, 1000, 1001]
    assert "webhook is active" in str((await ask(telegram, "getUpdates"))["description"])
    assert "invalid webhook URL" in str((await ask(telegram, "setWebhook"))["description"])


async def test_a_press_can_be_answered_once(telegram: PretendedTelegram) -> None:
    query = telegram.presses(ADA, 1, "Tok3n")["callback_query"]
    assert isinstance(query, dict)
    press: Json = {"callback_query_id": query["id"]}
    assert (await ask(telegram, "answerCallbackQuery", press))["result"] is True
    assert "too old" in str((await ask(telegram, "answerCallbackQuery", press))["description"])


async def test_a_group_that_moves_says_so_on_both_sides(telegram: PretendedTelegram) -> None:
    telegram.says(-7, "hello", chat_type="group")
    telegram.migrates(-7, -1007)
    result = (await ask(telegram, "getUpdates", {"offset": 1003}))["result"]
    assert isinstance(result, list)
    assert [each["message"]["chat"]["id"] for each in result] == [-7, -1007]
    refused = await ask(telegram, "sendMessage", {"chat_id": -7, "text": "a"})
    assert refused["parameters"] == {"migrate_to_chat_id": -1007}
