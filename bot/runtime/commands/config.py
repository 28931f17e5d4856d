"""``/config``: see and change settings in the chat."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import tzinfo

from bot.config.changes import CHANGEABLE, Value, changeable, read_change
from bot.errors import ConfigError
from bot.ports import EVERYWHERE, CommandContext
from bot.runtime.commands.table import Command
from bot.runtime.live_settings import Changed, LiveSettings, Setting

HERE = "--here"
BACK = "default"
UNDO = "undo"

_HERE = re.compile(r"(--|[\u2013\u2014])here", re.IGNORECASE)  # telephones make one dash of two


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What somebody wants of the settings.

    Attributes:
        words: The command's words without ``--here``.
        chat: The scope of the chat in which it was said.
        scope: Where a change is to hold: there, or everywhere.
        by: Who wants it.
    """

    words: tuple[str, ...]
    chat: str
    scope: str
    by: str


def config_command(settings: LiveSettings, zone: tzinfo) -> Command:
    """List, show, set and take back settings; for admins."""

    async def answer(context: CommandContext) -> str:
        wish = _read(context)
        try:
            match wish.words:
                case ():
                    return _listed(settings, wish.chat)
                case (word,) if word.lower() == UNDO:
                    return _undone(
                        settings, wish, await settings.undo(scope=wish.scope, by=wish.by)
                    )
                case (key,):
                    return _shown(settings, key.lower(), wish.chat, zone)
                case (key, *value):
                    return await _set(settings, key.lower(), " ".join(value), wish)
        except ConfigError as error:
            return str(error)
        raise AssertionError(wish)

    description = "Show or change a setting."
    return Command(name="config", description=description, handler=answer, is_for_admins=True)


def _read(context: CommandContext) -> _Wish:
    words = context.arguments.split()
    chat = str(context.message.address.session_key)
    return _Wish(
        words=tuple(word for word in words if not _HERE.fullmatch(word)),
        chat=chat,
        scope=chat if any(map(_HERE.fullmatch, words)) else EVERYWHERE,
        by=str(context.message.sender.person_key),
    )


async def _set(settings: LiveSettings, key: str, text: str, wish: _Wish) -> str:
    described = changeable(key)
    if wish.scope and not described.is_for_one_chat_too:
        return f"`{key}` holds for all chats: leave `{HERE}` out."
    value: Value = None if text.lower() == BACK else read_change(key, text)
    changed = await settings.change(key, value, scope=wish.scope, by=wish.by)
    if changed is None:
        setting = settings.setting(key, wish.scope)
        return f"`{key}` is {_worded(setting)} already ({_source(settings, setting)})."
    undo = f"/config {UNDO} {HERE}" if wish.scope else f"/config {UNDO}"
    return f"{_told(settings, wish, changed)} `{undo}` takes it back."


def _undone(settings: LiveSettings, wish: _Wish, changed: Changed | None) -> str:
    if changed is None:
        return f"There is no change {_where(wish.scope)} to take back."
    if changed.after.key not in CHANGEABLE:
        return "Taken back: a change of a setting that this version of the bot does not have."
    return f"Taken back: {_told(settings, wish, changed)}"


def _told(settings: LiveSettings, wish: _Wish, changed: Changed) -> str:
    """Tell what a change did, from when on it counts, and where it does not."""
    key, before, after = changed.after.key, changed.before, changed.after
    if before.value == after.value:
        return f"`{key}` stays {_worded(after)} ({_source(settings, after)})."
    step = f"{_worded(before)} → {_worded(after)}"
    told = f"`{key}`: {step}, {_where(changed.scope)}, {changeable(key).acts}."
    here = settings.setting(key, wish.chat)
    if not changed.scope and here.source == "here":
        told += f" This chat keeps its own {_worded(here)}."
    return told


def _listed(settings: LiveSettings, chat: str) -> str:
    lines = ["**Settings** of this chat", ""]
    for key in CHANGEABLE:
        setting = settings.setting(key, chat)
        lines.append(f"- `{key}`: {_worded(setting)} ({_source(settings, setting)})")
    lines += [
        "",
        f"`/config KEY` tells more of one. `/config KEY VALUE` sets it for all chats, and with "
        f"`{HERE}` behind it for this chat only; `/config KEY {BACK}` takes that away again. "
        f"`/config {UNDO}` takes the last change back.",
    ]
    return "\n".join(lines)


def _shown(settings: LiveSettings, key: str, chat: str, zone: tzinfo) -> str:
    described = changeable(key)
    setting = settings.setting(key, chat)
    lines = [
        f"`{key}` is {_worded(setting)} ({_source(settings, setting)})",
        "",
        f"- {described.description}",
        f"- It may be {described.allowed}.",
        f"- {_others(settings, setting)}.",
    ]
    if setting.changed is not None:
        at = setting.changed.changed_at.astimezone(zone)
        lines.append(f"- Set by `{_person(setting.changed.changed_by)}`, {at:%Y-%m-%d %H:%M}.")
    lines.append(f"- A change acts {described.acts}.")
    return "\n".join(lines)


def _others(settings: LiveSettings, setting: Setting) -> str:
    """Tell what would hold if it were not for who had the last word."""
    key = setting.key
    told = [f"Default: {_value(key, changeable(key).default)}"]
    if setting.source != "operator":
        told.append(f"the operator has {_value(key, settings.operator_value(key))}")
    if setting.source == "here":
        everywhere = settings.setting(key)
        if everywhere.source == "everywhere":
            told.append(f"all chats have {_worded(everywhere)}")
    return "; ".join(told)


def _source(settings: LiveSettings, setting: Setting) -> str:
    if setting.source == "here":
        return "set for this chat"
    if setting.source == "everywhere":
        return "set for all chats"
    is_default = setting.value == changeable(setting.key).default
    return "default" if is_default else "the operator's"


def _where(scope: str) -> str:
    return "for this chat" if scope else "for all chats"


def _worded(setting: Setting) -> str:
    return _value(setting.key, setting.value)


def _value(key: str, value: Value) -> str:
    return changeable(key).unset if value is None else f"`{value}`"


def _person(key: str) -> str:
    """Write a person as the settings file does, without a realm where there is none."""
    return key.replace("::", ":")
