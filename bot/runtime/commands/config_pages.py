"""What ``/config`` tells of settings: a list of all, one of them, and the words for both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo

from bot.config.changes import CHANGEABLE, Value, changeable
from bot.languages import gettext, gettext_noop
from bot.languages.rows import in_clauses, one_behind_the_other
from bot.runtime.live_settings import LiveSettings, Setting

HERE = "--here"
BACK = "default"
UNDO = "undo"
WAYS = gettext_noop(
    "`/config KEY` tells more of one. `/config KEY VALUE` sets it for all chats, and with `--here` "
    "behind it for this chat only; `/config KEY default` takes that away again."
)
USAGE_OF_UNDO = gettext_noop(
    "`/config undo` takes the last change for all chats back, `/config undo --here` the last one "
    "for this chat."
)


def listed(settings: LiveSettings, chat: str) -> str:
    """List all settings as they are in a chat."""
    lines = [gettext("**Settings** of this chat"), ""]
    for key in CHANGEABLE:
        setting = settings.setting(key, chat)
        value, source = worded(setting), source_of(settings, setting)
        line = gettext("`{key}`: {value} ({source})", key=key, value=value, source=source)
        lines.append(f"- {line}")
    lines += ["", one_behind_the_other(gettext(WAYS), gettext(USAGE_OF_UNDO))]
    return "\n".join(lines)


def shown(settings: LiveSettings, key: str, chat: str, zone: tzinfo) -> str:
    """Tell all that there is to know of one setting in a chat.

    What it is for stands there in English, as in the documents.
    """
    setting = settings.setting(key, chat)
    head = gettext(
        "`{key}` is {value} ({source})",
        key=key,
        value=worded(setting),
        source=source_of(settings, setting),
    )
    return "\n".join((head, "", *(f"- {line}" for line in _told_of(settings, setting, zone))))


def _told_of(settings: LiveSettings, setting: Setting, zone: tzinfo) -> Iterator[str]:
    described = changeable(setting.key)
    yield described.description
    yield gettext("It may be {allowed}.", allowed=described.allowed)
    yield gettext("{clauses}.", clauses=in_clauses(_others(settings, setting)))
    if setting.changed is not None:
        at = setting.changed.changed_at.astimezone(zone)
        by = _person(setting.changed.changed_by)
        yield gettext("Set by `{person}`, {when}.", person=by, when=f"{at:%Y-%m-%d %H:%M}")
    yield gettext("A change acts {acts}.", acts=described.acts)


def _others(settings: LiveSettings, setting: Setting) -> Iterator[str]:
    """Tell what would hold if it were not for who had the last word."""
    key = setting.key
    yield gettext("Default: {value}", value=in_words(key, changeable(key).default))
    if setting.source != "operator":
        value = in_words(key, settings.operator_value(key))
        yield gettext("the operator has {value}", value=value)
    if setting.source == "here":
        everywhere = settings.setting(key)
        if everywhere.source == "everywhere":
            yield gettext("all chats have {value}", value=worded(everywhere))


def source_of(settings: LiveSettings, setting: Setting) -> str:
    """Say who had the last word on a setting."""
    if setting.source == "here":
        return gettext("set for this chat")
    if setting.source == "everywhere":
        return gettext("set for all chats")
    is_default = setting.value == changeable(setting.key).default
    return gettext("default") if is_default else gettext("the operator's")


def worded(setting: Setting) -> str:
    """Write what a setting is."""
    return in_words(setting.key, setting.value)


def in_words(key: str, value: Value) -> str:
    """Write a value of a setting; None is that it has none."""
    return changeable(key).unset if value is None else f"`{value}`"


def _person(key: str) -> str:
    """Write a person as the settings file does, without a realm where there is none."""
    return key.replace("::", ":")
