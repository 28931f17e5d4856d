"""Windows of all kinds, and a rule of thumb for their size."""

from __future__ import annotations

from random import Random

from bot.core.messages import ContentBlock, Image, ToolCall, ToolResult
from bot.core.window.assemble import assemble
from bot.core.window.window import Limits, Window
from bot.testing.chats import RandomChats


def count(text: str) -> int:
    """Four characters a token."""
    return len(text) // 4 + 1


def tokens_of(window: Window) -> int:
    """Four characters a token, twenty a block, 1 600 tokens a picture."""
    layout = assemble(window)
    chars = len(layout.system)
    for message in layout.messages:
        chars += sum(map(chars_of, message.blocks))
    return chars // 4


def chars_of(block: ContentBlock) -> int:
    if isinstance(block, Image):
        return 6_400
    if isinstance(block, ToolCall):
        return 20 + len(block.name) + len(block.arguments)
    return 20 + len(block.content if isinstance(block, ToolResult) else block.text)


def limits(max_tokens: int = 50_000, max_turns: int = 20) -> Limits:
    return Limits(
        max_turns=max_turns,
        max_tokens=max_tokens,
        weigh=tokens_of,
        digest=lambda turns: f"[{len(turns)} turns, in short]" if turns else "",
    )


def random_window(seed: int) -> tuple[Window, Limits]:
    dice = Random(seed)
    chats = RandomChats(dice, dice.choice((20, 120, 800)), is_broken=dice.random() < 0.3)
    past = chats.past(dice.randrange(30))
    window = Window(
        past=past,
        open_turn=chats.turn(len(past) + 1, is_open=True),
        instructions="Be kind to everybody.\n" * 50,
        volatile=("It is Monday.",),
        opening="[What it opened with: some.]" * dice.randrange(2),
        summary="[Summary of what was before: much.]" if dice.random() < 0.3 else "",
        conduct="Ask before you rely on it." * dice.randrange(2),
        facts="- fact:1, a fact:\n| Likes tea.\n" * dice.randrange(20),
        recalled="- turn:1#0, said by Ann:\n| The keys.\n" * dice.randrange(40),
    )
    size = dice.choice((3_000, 10_000, 45_000, 150_000, 900_000))
    return window, limits(size, dice.choice((1, 2, 3, 5, 20, 40)))
