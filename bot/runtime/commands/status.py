"""``/status``: is it alive, what is it, what is it doing."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.ports import Clock, CommandContext, Conversations
from bot.runtime.commands.table import Command


@dataclass(frozen=True, slots=True, kw_only=True)
class Vitals:
    """What the process knows of itself at this moment; ``channels`` as ``name: state``."""

    version: str
    model: str
    channels: tuple[str, ...]
    running_turns: int
    max_turns: int


def status_command(
    vitals: Callable[[], Vitals], conversations: Conversations, clock: Clock
) -> Command:
    """Tell how the bot and this chat are doing."""
    started = clock.monotonic()

    async def answer(context: CommandContext) -> str:
        now = vitals()
        conversation = await conversations.load(context.message.address.session_key)
        lines = [
            f"**Daybook {now.version}**, up {_duration(clock.monotonic() - started)}",
            f"- Model: `{now.model}`",
            f"- Channels: {', '.join(now.channels)}",
            f"- Answers being written: {now.running_turns}",
            f"- This chat: {len(conversation.turns)} of {now.max_turns} turns in view",
        ]
        return "\n".join(lines)

    return Command(name="status", description="Show how the bot is doing.", handler=answer)


def _duration(seconds: float) -> str:
    minutes, rest_s = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest_s, "s")]
    shown = [f"{value} {unit}" for value, unit in parts if value][:2]
    return " ".join(shown) or "0 s"
