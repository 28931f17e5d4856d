"""``/status``: is it alive, what is it, what is it doing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bot.languages import gettext, gettext_noop
from bot.languages.rows import in_a_row
from bot.ports import CommandContext, Conversations
from bot.runtime.commands.table import Command
from bot.runtime.durations import duration
from bot.runtime.health import Health


@dataclass(frozen=True, slots=True, kw_only=True)
class Vitals:
    """What the process knows of itself at this moment, in the language that is spoken.

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
        head = gettext(
            "**Daybook {version}**, up {duration}",
            version=now.version,
            duration=duration(now.up_s),
        )
        lines = (f"- {line}" for line in _lines(now, len(conversation.turns)))
        return "\n".join((head, *lines))

    description = gettext_noop("Show how the bot is doing.")
    return Command(name="status", description=description, handler=answer)


def _lines(now: Vitals, turns: int) -> Iterator[str]:
    channels = (
        gettext("{channel} ({state})", channel=name, state=how)
        for name, how in now.channels.items()
    )
    yield gettext("Model: `{model}`", model=now.model)
    yield gettext("Channels: {channels}", channels=in_a_row(channels))
    yield gettext("Answers being written: {count}", count=now.running_turns)
    yield gettext("This chat: {turns} of {most} turns in view", turns=turns, most=now.max_turns)
    if now.set_aside:
        yield gettext(
            "Set aside since they made no sense, in the last day: {count} (the log says why: "
            "`inbound.set_aside`)",
            count=now.set_aside,
        )
    if now.is_rebuilding:
        yield gettext("Memory: the search index is being made; not all is found yet")
    for reason in now.health.reasons:
        yield gettext("Trouble: {reason}", reason=reason)
