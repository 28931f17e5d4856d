"""Changing messages in dialogues, and looking at what the model is asked."""

from dataclasses import replace
from datetime import timedelta

from bot.config import Config
from bot.core.chat import InboundDeletion, InboundEdit, InboundMessage
from bot.core.llm import ModelRequest
from bot.core.messages import Text
from bot.core.window.notes import words_of
from bot.core.window.summary.extract import extractive_answer, is_summary_request
from bot.testing.clock import settle
from bot.testing.dialogue import Dialogue
from bot.testing.model import Answer, ScriptedModel

SHORT = Config(access="open", plugins=(), agent_max_context_turns=3)


def changed(message: InboundMessage, text: str, seconds: int = 1) -> InboundEdit:
    return InboundEdit(
        event_id=f"edit:{message.event_id}:{seconds}:{text}",
        message=replace(message, text=text),
        edited_at=message.sent_at + timedelta(seconds=seconds),
    )


def taken_back(message: InboundMessage) -> InboundDeletion:
    return InboundDeletion(
        event_id=f"deletion:{message.event_id}",
        address=message.address,
        message_id=message.message_id,
        message_event_id=message.event_id,
    )


def texts_of(request: ModelRequest) -> list[str]:
    """Give all that the user's messages of a request say, the bot's notes too."""
    return [
        block.text
        for message in request.messages
        if message.role == "user"
        for block in message.blocks
        if isinstance(block, Text)
    ]


def said_in(request: ModelRequest) -> list[str]:
    return [
        text for message in request.messages if message.role == "user" for text in words_of(message)
    ]


def obliging(request: ModelRequest) -> Answer:
    if is_summary_request(request.system):
        return extractive_answer(request.messages[0].text)
    return "Certainly."


def answered(model: ScriptedModel) -> list[ModelRequest]:
    return [each for each in model.requests if not is_summary_request(each.system)]


async def written_down() -> None:
    """Let a summary be written, word by word, and daily files."""
    for _ in range(60):
        await settle()


async def says(dialogue: Dialogue, *texts: str) -> list[InboundMessage]:
    messages = [dialogue.channel.message(text) for text in texts]
    for each in messages:
        await dialogue.together(each)
    return messages
