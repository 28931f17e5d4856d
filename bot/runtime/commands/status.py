"""``/status``: is it alive, what is it, what is it doing."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.ports import CommandContext, Conversations
from bot.runtime.commands.table import Command
from bot.runtime.health import Health, duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Vitals:
    """What the process knows of itself at this moment.

    ``channels`` says of each in a phrase how it is doing; ``set_aside`` is how many events of the
    last day made no sense to them; ``is_rebuilding`` whether the search index is being made anew.
    """

    version: str
    up_s: float
    model: str
    channels: dict[str, str]
    running_turns: int
    max_turns: int
    set_aside: int = 0
    is_rebuilding: bool = False
    health: Health = field(default_factory=Health)


def status_command(vitals: Callable[[], Vitals], conversations: Conversations) -> Command:
    """Tell how the bot and this chat are doing."""

    async def answer(context: CommandContext) -> str:
        now = vitals()
        conversation = await conversations.load(context.message.address.session_key)
        lines = [
            f"**Daybook {now.version}**, up {duration(now.up_s)}",
            f"- Model: `{now.model}`",
            f"- Channels: {', '.join(f'{name} ({how})' for name, how in now.channels.items())}",
            f"- Answers being written: {now.running_turns}",
            f"- This chat: {len(conversation.turns)} of {now.max_turns} turns in view",
        ]
        if now.set_aside:
            lines.append(
                f"- Set aside since they made no sense, in the last day: {now.set_aside} (the log "
                "says why: `inbound.set_aside`)"
            )
        if now.is_rebuilding:
            lines.append("- Memory: the search index is being made; not all is found yet")
        lines += [f"- Trouble: {reason}" for reason in now.health.reasons]
        return "\n".join(lines)

    return Command(name="status", description="Show how the bot is doing.", handler=answer)
