"""Messages that make no sense to a channel: whoever wrote one is told, and the operator can see."""

from __future__ import annotations

from dataclasses import replace

from bot.config import Config
from bot.core.chat import ChatAddress, InboundMessage, Sender
from bot.core.lifecycle import SetAside
from bot.runtime.notices import UNREAD
from bot.testing.clock import START, FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.model import ScriptedModel

OPEN = Config(access="open", plugins=())
DAY_S = 86_400.0

ODD = SetAside(event_id="update:1", channel="loopback", raw="{}", reason="no sense")
WHOSE = InboundMessage(
    event_id="message:1001:1",
    address=ChatAddress(channel="loopback", account="bot", chat="1001"),
    kind="private",
    sender=Sender(channel="loopback", user_id="1001", name="Ann"),
    message_id="1",
    text="",
    is_addressed=True,
    sent_at=START,
    is_unread=True,
)


def in_group(*, is_addressed: bool) -> InboundMessage:
    address = replace(WHOSE.address, chat="-7")
    return replace(WHOSE, address=address, kind="group", is_addressed=is_addressed)


async def test_who_wrote_it_is_told_once_and_no_model_is_asked() -> None:
    model = ScriptedModel([])
    async with Dialogue(model, config=OPEN) as dialogue:
        dialogue.channel.push(ODD)
        await dialogue.together(WHOSE)
        dialogue.channel.push(ODD)
        await dialogue.together(WHOSE)

        assert [UNREAD] == dialogue.channel.texts("1001")
    assert () == tuple(model.requests)


async def test_a_stranger_is_greeted_as_ever() -> None:
    async with Dialogue(ScriptedModel([]), config=Config(plugins=())) as dialogue:
        dialogue.channel.push(ODD)
        await dialogue.together(WHOSE)

        assert UNREAD not in dialogue.channel.texts("1001")
        assert 1 == len(dialogue.channel.texts("1001"))


async def test_in_a_group_only_what_is_said_to_the_bot_is_answered() -> None:
    async with Dialogue(ScriptedModel([]), config=OPEN) as dialogue:
        await dialogue.together(in_group(is_addressed=False))
        assert [] == dialogue.channel.texts("-7")

        await dialogue.together(in_group(is_addressed=True))
        assert [UNREAD] == dialogue.channel.texts("-7")


async def test_status_counts_them_for_a_day() -> None:
    clock = FakeClock()
    async with Dialogue(ScriptedModel([]), config=OPEN, clock=clock) as dialogue:
        (before,) = await dialogue.says("/status")
        dialogue.channel.push(ODD)
        dialogue.channel.push(replace(ODD, event_id="update:2"))
        (counted,) = await dialogue.says("/status")
        await clock.advance(DAY_S + 1)
        (after,) = await dialogue.says("/status")

    assert "in the last day: 2" in counted
    assert "Set aside" not in before + after
