"""What is secret is written down nowhere, and nothing is lost by that."""

import asyncio
import json
import logging
import string
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import plugins
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import App, Outside
from bot.config import Config
from bot.core.llm import ModelRequest
from bot.core.messages import Text, ToolCall
from bot.runtime.redaction import NOT_LOOKED_THROUGH
from bot.testing.clock import FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel, answer
from bot.testing.secret_texts import card_number, in_fours, made_up
from bot.testing.store import InMemoryStore
from tests.e2e.test_access import code_of

PASSWORD = "Tr0ub" + "4dor&3"
CARD = in_fours(card_number())
TOKEN = "gh" + "p_" + made_up(36)
PIN = made_up(6, string.digits)

VAULT = """
from typing import Annotated

def register(api):
    @api.tool
    async def open_vault(password: Annotated[str, "It."], pin: Annotated[int, "It."]) -> str:
        "Say what is in the vault."
        is_right = (len(password), len(str(pin))) == (11, 6)
        return f"Right: {is_right}. In it: " + "gh" + "p_" + %r
"""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "vault.py").write_text(VAULT % made_up(36), encoding="utf-8")
    monkeypatch.setattr(plugins, "__path__", [*plugins.__path__, str(folder)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield "vault"
    sys.modules.pop("plugins.vault", None)
    vars(plugins).pop("vault", None)


def words_of(request: ModelRequest) -> str:
    return repr(request.messages)


def written_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def secrets_in(written: dict[str, bytes]) -> list[tuple[str, str]]:
    return [
        (name, secret)
        for name, content in written.items()
        for secret in (PASSWORD, CARD, CARD.replace(" ", ""), TOKEN, PIN)
        if secret.encode() in content or json.dumps(secret)[1:-1].encode() in content
    ]


async def test_prv_1_nothing_secret_is_in_the_bytes_of_the_database(
    tmp_path: Path, vault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor in its log, but for a reply, which stands there as written until the log is emptied."""
    folder = tmp_path / "data"
    folder.mkdir()
    caplog.set_level(logging.DEBUG, "bot")
    meanwhile: list[dict[str, bytes]] = []
    repeated = f"Done. The password is {PASSWORD}, and I keep {TOKEN} for you."
    call = ToolCall(
        id="c1", name="open_vault", arguments=f'{{"password": "{PASSWORD}", "pin": {PIN}}}'
    )

    def repeat(request: ModelRequest) -> str:
        meanwhile.append(written_in(folder))
        return repeated

    model = ScriptedModel([answer(Text(text=f"I try password: {PASSWORD}"), call), repeat, "Bye."])
    config = Config(access="open", plugins=(vault,))
    store = SqliteStore.open(folder / "daybook.db", inline=True)
    async with Dialogue(model, config=config, store=store) as dialogue:
        replies = await dialogue.says(f"My password is {PASSWORD}, the card {CARD}.")
        replies += await dialogue.says("Thanks")
    await store.close()
    (before_the_reply,) = meanwhile
    afterwards = written_in(folder)

    assert [] == model.refused
    asked, after_the_tool, later = map(words_of, model.requests)
    assert "My password is [redacted:password], the card [redacted:card]." in asked
    assert "I try password: [redacted:password]" in after_the_tool
    assert '"password": "[redacted:password]", "pin": "[redacted:password]"' in after_the_tool
    assert "The password is [redacted:password], and I keep [redacted:token] for you." in later
    # Tools are called with what the model wrote, and people read what it wrote.
    assert "Right: True. In it: [redacted:token]" in after_the_tool
    assert [repeated, "Bye."] == replies
    assert [] == secrets_in({"requests": (asked + after_the_tool + later).encode()})
    assert [] == secrets_in({"log": caplog.text.encode()})
    assert b"[redacted:card]" in b"".join(before_the_reply.values())
    assert b"[redacted:token]" in b"".join(afterwards.values())
    assert [] == secrets_in(before_the_reply)
    assert [] == secrets_in(afterwards)


async def test_a_bot_is_claimed_with_its_code() -> None:
    async with Dialogue(ScriptedModel(), config=Config()) as dialogue:
        (reply,) = await dialogue.says(f"/claim {code_of(dialogue)}")

    assert "You are the owner" in reply


class Broken:
    """A redactor that fails on every text that has an odd word in it."""

    def redact(self, text: str) -> str:
        if "odd" in text:
            raise ZeroDivisionError
        return text


async def test_a_message_that_cannot_be_looked_through_is_answered_without_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Refused, it would be brought again for ever; kept as it is, a secret might be in it."""
    channel, store, model = LoopbackChannel(), InMemoryStore(), ScriptedModel(["Say it again?"])
    outside = Outside(
        store=store,
        model=model,
        model_name="scripted",
        channels={channel.name: channel},
        clock=FakeClock(),
        announce=lambda line: None,
        redactor=Broken(),
    )
    app = App(Config(access="open", plugins=()), outside)
    message = channel.message("an odd password")
    running = asyncio.ensure_future(app.run())
    await settle()
    channel.push(message)
    await settle()
    await app.settled(message.address)
    app.stop()
    await running

    assert ["Say it again?"] == channel.texts(message.address.chat)
    assert NOT_LOOKED_THROUGH in words_of(model.requests[0])
    assert "odd password" not in words_of(model.requests[0])
    assert [message.event_id] == [
        vars(record)["event"] for record in caplog.records if record.msg == "message.failed"
    ]
