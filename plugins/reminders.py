"""Reminders: has people told something later, or a request of theirs carried out then."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Annotated, TypeVar

from bot.api import (
    REMIND_REPEATS,
    REMIND_USAGE,
    Choice,
    CommandAnswer,
    CommandContext,
    PluginAPI,
    Reminder,
    ReminderKind,
    ReminderWish,
    StoreError,
    ToolContext,
    ToolError,
    gettext,
    gettext_noop,
    moment_in_words,
    read_local,
    read_remind,
    reminder_confirmed,
    reminder_in_list,
    zone_in_words,
)

MOST_BUTTONS = 8
"""Below one list; the others are cancelled by writing their number."""

NOT_NOW = "Reminders cannot be read or kept at this moment. Tell the person so."
NONE_OPEN = gettext_noop("No reminder is open here. `/remind` shows how to make one.")
CANCEL_USAGE = gettext_noop(
    "Write `/reminders` for the list, `/reminders cancel NUMBER` to cancel one."
)
RESET = "default"
EXAMPLE_ZONE = gettext_noop("Europe/Lisbon")
"""Each language has one where it is spoken."""

CLOCK = gettext_noop(
    "Your time zone is {zone}, where it is {now}. `/timezone {example}` sets another, "
    "`/timezone default` gives up what you set."
)
CLOCK_CHANGED = gettext_noop(
    "Your time zone is {zone}, where it is {now}. `/timezone {example}` sets another, "
    "`/timezone default` gives up what you set. Reminders that are open keep their moments."
)

Value = TypeVar("Value")


def register(api: PluginAPI) -> None:
    """Offer ``remind``, ``reminders`` and ``cancel_reminder``, and three commands."""
    _offer_tools(api)
    _offer_commands(api)
    _offer_time_zone(api)


def _offer_tools(api: PluginAPI) -> None:
    @api.tool(safe_to_repeat=True)  # the same call keeps no second one
    async def remind(
        context: ToolContext,
        text: Annotated[str, "What to tell the person; of a prompt, the request to carry out."],
        at_local: Annotated[
            str,
            "When, as YYYY-MM-DDTHH:MM on the person's own clock, which you are told with each "
            "message; with repeat, the first time.",
        ],
        repeat: Annotated[
            str,
            f"Empty for once. Else {REMIND_REPEATS}.",
        ] = "",
        kind: Annotated[
            ReminderKind,
            "words: the text is told as it stands. prompt: you are asked it then, with all your "
            "tools, and answer in this chat.",
        ] = "words",
    ) -> str:
        """Tell the person something at a later moment, or carry out a request of theirs then.

        Only where they ask for it. Repeat to them what is answered, with the moment.
        """
        wish = ReminderWish(text=text, kind=kind, local=read_local(at_local), repeat=repeat)
        return _confirmed(api, await _stored(api.reminders.add(context, wish)))

    @api.tool(safe_to_repeat=True)
    async def reminders(context: ToolContext) -> str:
        """List the person's open reminders and scheduled prompts with their numbers."""
        found = await _stored(api.reminders.open(context))
        return "\n".join(_lines(api, context, found)) or "None is open here."

    @api.tool
    async def cancel_reminder(
        context: ToolContext, number: Annotated[int, "As it stands in the list."]
    ) -> str:
        """Cancel an open reminder or scheduled prompt."""
        gone = await _stored(api.reminders.cancel(context, number))
        return f"Cancelled: {_in_list(api, gone)}"


def _offer_commands(api: PluginAPI) -> None:
    @api.command("remind", gettext_noop("Be reminded later: /remind tomorrow 9:00 call Ann."))
    async def remind_me(context: CommandContext) -> str | CommandAnswer:
        sender = context.message.sender
        if not context.arguments:
            return f"{gettext(REMIND_USAGE)}\n\n{_clock_of(api, context)}"
        now = api.clock.now().astimezone(api.zones.of(sender)).replace(tzinfo=None)
        try:
            wish = read_remind(context.arguments, now)
            reminder = await api.reminders.add(context, wish)
        except ToolError as error:
            return str(error)
        return CommandAnswer(text=_confirmed(api, reminder), choices=(_cancelling(reminder),))

    @api.command("reminders", gettext_noop("List your reminders, or cancel one."))
    async def list_reminders(context: CommandContext) -> str | CommandAnswer:
        if context.arguments:
            return await _cancelled(api, context)
        found = await api.reminders.open(context)
        if not found:
            return gettext(NONE_OPEN)
        lines = "\n".join(f"- {line}" for line in _lines(api, context, found))
        return CommandAnswer(
            text=f"{lines}\n\n{gettext(CANCEL_USAGE)}",
            choices=tuple(map(_cancelling, found[:MOST_BUTTONS])) if context.has_buttons else (),
        )


def _offer_time_zone(api: PluginAPI) -> None:
    @api.command("timezone", gettext_noop("Your time zone: /timezone Europe/Lisbon sets it."))
    async def time_zone(context: CommandContext) -> str:
        name, sender = context.arguments.strip(), context.message.sender
        if not name:
            return _clock_of(api, context)
        if not sender.is_person:
            return gettext("Only somebody who writes as themselves has a time zone.")
        try:
            zone = None if name.lower() == RESET else await api.zones.find(name)
        except ToolError as error:
            return str(error)
        await api.zones.choose(sender, zone)
        return _clock_of(api, context, CLOCK_CHANGED)


async def _cancelled(api: PluginAPI, context: CommandContext) -> str:
    word, _, number = context.arguments.partition(" ")
    number = number.strip().lstrip("#")
    if word.lower() != "cancel" or not (number.isascii() and number.isdigit()):
        return gettext(CANCEL_USAGE)
    try:
        gone = await api.reminders.cancel(context, int(number[:20]))
    except ToolError as error:
        return str(error)
    return gettext("Cancelled: {reminder}", reminder=_in_list(api, gone))


async def _stored(work: Awaitable[Value]) -> Value:
    """Let the model know when the store fails, and go on."""
    try:
        return await work
    except StoreError as error:
        raise ToolError(NOT_NOW) from error


def _confirmed(api: PluginAPI, reminder: Reminder) -> str:
    return reminder_confirmed(reminder, api.zones.named(reminder.zone))


def _in_list(api: PluginAPI, reminder: Reminder, *, with_author: bool = False) -> str:
    return reminder_in_list(reminder, api.zones.named(reminder.zone), with_author=with_author)


def _lines(
    api: PluginAPI, context: ToolContext | CommandContext, found: tuple[Reminder, ...]
) -> list[str]:
    """Write a list; of somebody else's it is said whose."""
    sender = context.sender if isinstance(context, ToolContext) else context.message.sender
    mine = sender.person_key
    return [_in_list(api, each, with_author=each.author.person_key != mine) for each in found]


def _cancelling(reminder: Reminder) -> Choice:
    label = gettext("Cancel {number}", number=reminder.id)
    return Choice(label=label, command=f"reminders cancel {reminder.id}")


def _clock_of(api: PluginAPI, context: CommandContext, sentence: str = CLOCK) -> str:
    zone = api.zones.of(context.message.sender)
    return gettext(
        sentence,
        zone=zone_in_words(zone),
        now=moment_in_words(api.clock.now(), zone),
        example=gettext(EXAMPLE_ZONE),
    )
