"""``/config``: see and change settings in the chat."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo

from bot.config.changes import CHANGEABLE, Value, changeable, read_change
from bot.errors import ConfigError
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
    where,
    worded,
)
from bot.runtime.commands.table import Command
from bot.runtime.live_settings import Changed, LiveSettings

YES = "--yes"
ONLY_HERE = f"Only the bot's admins change what holds for all chats; `{HERE}` changes this group's."

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
            return ONLY_HERE
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

    description = "Show or change a setting."
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
    if not told or isinstance(done, str):
        return f"{done} {told}" if told else done
    is_asked = any(choice.label == "Keep" for choice in done.choices)
    return done if is_asked else replace(done, text=f"{done.text} {told}")


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
        return f"`{key}` holds for all chats: leave `{HERE}` out."
    value: Value = None if text.lower() == BACK else read_change(key, text)
    if wish.has_buttons and not wish.is_sure and _lets_turns_leave(settings, key, value, wish):
        return _ask(settings, key, value, f"{key} {text}", wish)
    changed = await settings.change(key, value, scope=wish.scope, by=wish.by)
    if changed is None:
        setting = settings.setting(key, wish.scope)
        return f"`{key}` is {worded(setting)} already ({source_of(settings, setting)})."
    told = _told(settings, wish, changed)
    if wish.has_buttons:
        return CommandAnswer(text=told, choices=(_way_back(changed),))
    undo = f"/config {UNDO} {HERE}" if wish.scope else f"/config {UNDO}"
    return f"{told} `{undo}` takes it back."


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
    now = worded(settings.setting(key, wish.scope))
    then = in_words(key, _next(settings, key, value, wish))
    return CommandAnswer(
        text=(
            f"Set `{key}` from {now} to {then}? With less, turns that are in view may leave it "
            f"{where(wish.scope)}; summaries stand for them."
        ),
        choices=(
            Choice(label="Change", command=f"config {words}{_behind(wish.scope)} {YES}"),
            Choice(label="Keep", command=f"config {key}"),
        ),
    )


def _way_back(changed: Changed) -> Choice:
    """Offer to set what was set before: however often it is pressed, and whatever came since."""
    before = changed.before
    was_set = before.source == ("here" if changed.scope else "everywhere")
    value = before.value if was_set else BACK
    command = f"config {before.key} {value}{_behind(changed.scope)} {YES}"
    return Choice(label="Undo", command=command)


def _behind(scope: str) -> str:
    return f" {HERE}" if scope else ""


async def _undo(settings: LiveSettings, wish: _Wish, *keys: str) -> str | CommandAnswer:
    """Take the newest change back, or ask first; with a key, only if it is one of that setting."""
    last = await settings.undoable(wish.scope)
    if keys and not wish.is_sure:
        return USAGE_OF_UNDO
    if keys and (last is None or keys != (last[0],)):
        return "Not taken back: something else was changed since then."
    if last is not None and wish.has_buttons and not wish.is_sure:
        key, value = last
        if _lets_turns_leave(settings, key, value, wish):
            return _ask(settings, key, value, f"{UNDO} {key}", wish)
    return _undone(settings, wish, await settings.undo(scope=wish.scope, by=wish.by))


def _undone(settings: LiveSettings, wish: _Wish, changed: Changed | None) -> str:
    if changed is None:
        other = f"/config {UNDO}" if wish.scope else f"/config {UNDO} {HERE}"
        return (
            f"There is no change {where(wish.scope)} to take back; `{other}` looks for one "
            f"{where('' if wish.scope else wish.chat)}."
        )
    if changed.after.key not in CHANGEABLE:
        return "Taken back: a change of a setting that this version of the bot does not have."
    return f"Taken back: {_told(settings, wish, changed)}"


def _told(settings: LiveSettings, wish: _Wish, changed: Changed) -> str:
    """Tell what a change did, from when on it counts, and where it does not."""
    key, before, after = changed.after.key, changed.before, changed.after
    if before.value == after.value:
        return f"`{key}` stays {worded(after)} ({source_of(settings, after)})."
    step = f"{worded(before)} → {worded(after)}"
    told = f"`{key}`: {step}, {where(changed.scope)}, {changeable(key).acts}."
    here = settings.setting(key, wish.chat)
    if not changed.scope and here.source == "here":
        told += f" This chat keeps its own {worded(here)}."
    return told
