"""``/config``: see and change settings in the chat."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo

from bot.config.changes import CHANGEABLE, Value, changeable, read_change
from bot.errors import ConfigError
from bot.languages import gettext, gettext_noop
from bot.languages.rows import one_behind_the_other
from bot.ports import EVERYWHERE, OF_GROUPS, Choice, CommandAnswer, CommandContext
from bot.runtime.commands.config_pages import (
    BACK,
    HERE,
    UNDO,
    USAGE_OF_UNDO,
    in_words,
    listed,
    shown,
    source_of,
    worded,
)
from bot.runtime.commands.table import Command
from bot.runtime.live_settings import Changed, LiveSettings

YES = "--yes"
KEEP = gettext_noop("Keep")
ONLY_HERE = gettext_noop(
    "Only the bot's admins change what holds for all chats; `--here` changes this group's."
)

SET = gettext_noop("`{key}`: {before} → {after}, for all chats, {acts}.")
SET_HERE = gettext_noop("`{key}`: {before} → {after}, for this chat, {acts}.")
NO_CHANGE = gettext_noop(
    "There is no change for all chats to take back; `/config undo --here` looks for one for this "
    "chat."
)
NO_CHANGE_HERE = gettext_noop(
    "There is no change for this chat to take back; `/config undo` looks for one for all chats."
)
LEAVE = gettext_noop(
    "Set `{key}` from {now} to {then}? With less, turns that are in view may leave it for all "
    "chats; summaries stand for them."
)
LEAVE_HERE = gettext_noop(
    "Set `{key}` from {now} to {then}? With less, turns that are in view may leave it for this "
    "chat; summaries stand for them."
)

_HERE = re.compile(r"(--|[\u2013\u2014])here", re.IGNORECASE)  # telephones make one dash of two
_YES = re.compile(r"(--|[\u2013\u2014])yes", re.IGNORECASE)
_LET_TURNS_LEAVE = ("agent_max_context_tokens", "agent_max_context_turns", "model_window_tokens")
"""Of these, less makes what is in view now leave it at once, in chats that nobody looks at."""


InForce = Callable[[str, str], str]
"""Says of a setting and a chat what holds there in its place; empty when its value does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What somebody wants of the settings.

    Attributes:
        words: The command's words without ``--here``.
        chat: The scope of the chat in which it was said.
        scope: Where a change is to hold: there, or everywhere.
        by: Who wants it.
        has_buttons: The chat shows buttons.
        is_sure: Nothing is to be asked first.
    """

    words: tuple[str, ...]
    chat: str
    scope: str
    by: str
    has_buttons: bool
    is_sure: bool


def config_command(settings: LiveSettings, zone: tzinfo, in_force: InForce) -> Command:
    """List, show, set and take back settings; for admins."""

    async def answer(context: CommandContext) -> str | CommandAnswer:
        wish = _read(context)
        if not context.is_admin and _is_for_all(wish):
            return gettext(ONLY_HERE)
        try:
            match wish.words:
                case ():
                    return listed(settings, wish.chat)
                case (word,) if word.lower() in ("help", "list"):
                    return listed(settings, wish.chat)
                case (word, *keys) if word.lower() == UNDO:
                    return await _undo(settings, wish, *keys)
                case (key,):
                    page = shown(settings, key.lower(), wish.chat, zone)
                    told = in_force(key.lower(), wish.chat)
                    return f"{page}\n- {told}" if told else page
                case (key, *value):
                    done = await _set(settings, key.lower(), " ".join(value), wish)
                    return _with_what_holds(done, in_force(key.lower(), wish.chat))
        except ConfigError as error:
            return str(error)
        raise AssertionError(wish)

    description = gettext_noop("Show or change a setting.")
    return Command(
        name="config",
        description=description,
        handler=answer,
        is_for_admins=True,
        heeds_chat_admins=True,
        is_about_conversation=_is_for_one_conversation,
    )


def _with_what_holds(done: str | CommandAnswer, told: str) -> str | CommandAnswer:
    """Add what is in force to what was set, unless it is only being asked for."""
    if isinstance(done, str):
        return one_behind_the_other(done, told)
    is_asked = any(choice.label == gettext(KEEP) for choice in done.choices)
    return done if is_asked else replace(done, text=one_behind_the_other(done.text, told))


def _is_for_one_conversation(arguments: str) -> bool:
    """Tell what is set for one conversation from what is set for its whole group."""
    words = arguments.lower().split()
    return any(map(_HERE.fullmatch, words)) and OF_GROUPS.isdisjoint(words)


def _is_for_all(wish: _Wish) -> bool:
    """Tell a wish to change what holds for all chats from one to see or change what holds here."""
    changes = len(wish.words) > 1 or tuple(map(str.lower, wish.words)) == (UNDO,)
    return changes and wish.scope == EVERYWHERE


def _read(context: CommandContext) -> _Wish:
    words = context.arguments.split()
    chat = str(context.message.address.session_key)
    return _Wish(
        words=tuple(
            each for each in words if not _HERE.fullmatch(each) and not _YES.fullmatch(each)
        ),
        chat=chat,
        scope=chat if any(map(_HERE.fullmatch, words)) else EVERYWHERE,
        by=str(context.message.sender.person_key),
        has_buttons=context.has_buttons,
        is_sure=any(map(_YES.fullmatch, words)),
    )


async def _set(settings: LiveSettings, key: str, text: str, wish: _Wish) -> str | CommandAnswer:
    described = changeable(key)
    if wish.scope and not described.is_for_one_chat_too:
        return gettext("`{key}` holds for all chats: leave `--here` out.", key=key)
    value: Value = None if text.lower() == BACK else read_change(key, text)
    if wish.has_buttons and not wish.is_sure and _lets_turns_leave(settings, key, value, wish):
        return _ask(settings, key, value, f"{key} {text}", wish)
    changed = await settings.change(key, value, scope=wish.scope, by=wish.by)
    if changed is None:
        setting = settings.setting(key, wish.scope)
        return gettext(
            "`{key}` is {value} already ({source}).",
            key=key,
            value=worded(setting),
            source=source_of(settings, setting),
        )
    told = _told(settings, wish, changed)
    if wish.has_buttons:
        return CommandAnswer(text=told, choices=(_way_back(changed),))
    undo = f"/config {UNDO} {HERE}" if wish.scope else f"/config {UNDO}"
    return one_behind_the_other(told, gettext("`{command}` takes it back.", command=undo))


def _lets_turns_leave(settings: LiveSettings, key: str, value: Value, wish: _Wish) -> bool:
    if key not in _LET_TURNS_LEAVE:
        return False
    now, then = settings.setting(key, wish.scope).value, _next(settings, key, value, wish)
    return isinstance(now, int) and isinstance(then, int) and then < now


def _next(settings: LiveSettings, key: str, value: Value, wish: _Wish) -> Value:
    """Say what a value means: None gives the setting back to whoever is next."""
    if value is not None:
        return value
    return settings.setting(key).value if wish.scope else settings.operator_value(key)


def _ask(settings: LiveSettings, key: str, value: Value, words: str, wish: _Wish) -> CommandAnswer:
    """Ask before turns leave the view: an undo of the setting does not bring them back.

    Args:
        settings: What holds now.
        key: The setting.
        value: What it is to be, None for what whoever is next has.
        words: What stands behind ``/config`` to make it so.
        wish: Whose it is.
    """
    question = LEAVE_HERE if wish.scope else LEAVE
    now = worded(settings.setting(key, wish.scope))
    then = in_words(key, _next(settings, key, value, wish))
    change = f"config {words}{_behind(wish.scope)} {YES}"
    return CommandAnswer(
        text=gettext(question, key=key, now=now, then=then),
        choices=(
            Choice(label=gettext("Change"), command=change),
            Choice(label=gettext(KEEP), command=f"config {key}"),
        ),
    )


def _way_back(changed: Changed) -> Choice:
    """Offer to set what was set before: however often it is pressed, and whatever came since."""
    before = changed.before
    was_set = before.source == ("here" if changed.scope else "everywhere")
    value = before.value if was_set else BACK
    command = f"config {before.key} {value}{_behind(changed.scope)} {YES}"
    return Choice(label=gettext("Undo"), command=command)


def _behind(scope: str) -> str:
    return f" {HERE}" if scope else ""


async def _undo(settings: LiveSettings, wish: _Wish, *keys: str) -> str | CommandAnswer:
    """Take the newest change back, or ask first; with a key, only if it is one of that setting."""
    last = await settings.undoable(wish.scope)
    if keys and not wish.is_sure:
        return gettext(USAGE_OF_UNDO)
    if keys and (last is None or keys != (last[0],)):
        return gettext("Not taken back: something else was changed since then.")
    if last is not None and wish.has_buttons and not wish.is_sure:
        key, value = last
        if _lets_turns_leave(settings, key, value, wish):
            return _ask(settings, key, value, f"{UNDO} {key}", wish)
    return _undone(settings, wish, await settings.undo(scope=wish.scope, by=wish.by))


def _undone(settings: LiveSettings, wish: _Wish, changed: Changed | None) -> str:
    if changed is None:
        return gettext(NO_CHANGE_HERE) if wish.scope else gettext(NO_CHANGE)
    if changed.after.key not in CHANGEABLE:
        return gettext(
            "Taken back: a change of a setting that this version of the bot does not have."
        )
    return gettext("Taken back: {change}", change=_told(settings, wish, changed))


def _told(settings: LiveSettings, wish: _Wish, changed: Changed) -> str:
    """Tell what a change did, from when on it counts, and where it does not."""
    key, before, after = changed.after.key, changed.before, changed.after
    if before.value == after.value:
        source = source_of(settings, after)
        return gettext(
            "`{key}` stays {value} ({source}).", key=key, value=worded(after), source=source
        )
    told = gettext(
        SET_HERE if changed.scope else SET,
        key=key,
        before=worded(before),
        after=worded(after),
        acts=changeable(key).acts,
    )
    here = settings.setting(key, wish.chat)
    if changed.scope or here.source != "here":
        return told
    own = gettext("This chat keeps its own {value}.", value=worded(here))
    return one_behind_the_other(told, own)
