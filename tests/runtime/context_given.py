"""What requests say, and chats with some turns."""

from bot.core.llm import ModelRequest
from bot.core.messages import ToolResult
from bot.testing.chat_run import ChatRun


def texts(request: ModelRequest) -> list[str]:
    """All that people and the model said, block by block, the bot's own notes left out."""
    return [
        block.text
        for message in request.messages
        for block in message.blocks
        if hasattr(block, "text") and not block.text.startswith("[")
    ]


def notes(request: ModelRequest) -> str:
    return "\n".join(
        block.text
        for message in request.messages
        for block in message.blocks
        if hasattr(block, "text") and block.text.startswith("[")
    )


def results(request: ModelRequest) -> list[str]:
    return [
        block.content
        for message in request.messages
        for block in message.blocks
        if isinstance(block, ToolResult)
    ]


async def talk(chat: ChatRun, turns: int) -> ModelRequest:
    request = await chat.turn()
    for _ in range(turns - 1):
        request = await chat.turn()
    return request
