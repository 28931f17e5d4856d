"""What ``/config`` tells of settings: a list of all, one of them, and the words for both."""

from __future__ import annotations

from datetime import tzinfo

from bot.config.changes import CHANGEABLE, Value, changeable
from bot.runtime.live_settings import LiveSettings, Setting

HERE = "--here"
BACK = "default"
UNDO = "undo"
USAGE_OF_UNDO = (
    f"`/config {UNDO}` takes the last change for all chats back, `/config {UNDO} {HERE}` the last "
    "one for this chat."
)


def listed(settings: LiveSettings, chat: str) -> str:
    """List all settings as they are in a chat."""
    lines = ["**Settings** of this chat", ""]
    for key in CHANGEABLE:
        setting = settings.setting(key, chat)
        lines.append(f"- `{key}`: {worded(setting)} ({source_of(settings, setting)})")
    lines += [
        "",
        f"`/config KEY` tells more of one. `/config KEY VALUE` sets it for all chats, and with "
        f"`{HERE}` behind it for this chat only; `/config KEY {BACK}` takes that away again. "
        f"{USAGE_OF_UNDO}",
    ]
    return "\n".join(lines)


def shown(settings: LiveSettings, key: str, chat: str, zone: tzinfo) -> str:
    """Tell all that there is to know of one setting in a chat."""
    described = changeable(key)
    setting = settings.setting(key, chat)
    lines = [
        f"`{key}` is {worded(setting)} ({source_of(settings, setting)})",
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
    told = [f"Default: {in_words(key, changeable(key).default)}"]
    if setting.source != "operator":
        told.append(f"the operator has {in_words(key, settings.operator_value(key))}")
    if setting.source == "here":
        everywhere = settings.setting(key)
        if everywhere.source == "everywhere":
            told.append(f"all chats have {worded(everywhere)}")
    return "; ".join(told)


def source_of(settings: LiveSettings, setting: Setting) -> str:
    """Say who had the last word on a setting."""
    if setting.source == "here":
        return "set for this chat"
    if setting.source == "everywhere":
        return "set for all chats"
    is_default = setting.value == changeable(setting.key).default
    return "default" if is_default else "the operator's"


def where(scope: str) -> str:
    """Say where what is set in a scope holds."""
    return "for this chat" if scope else "for all chats"


def worded(setting: Setting) -> str:
    """Write what a setting is."""
    return in_words(setting.key, setting.value)


def in_words(key: str, value: Value) -> str:
    """Write a value of a setting; None is that it has none."""
    return changeable(key).unset if value is None else f"`{value}`"


def _person(key: str) -> str:
    """Write a person as the settings file does, without a realm where there is none."""
    return key.replace("::", ":")
