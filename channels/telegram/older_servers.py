"""Updates as a Bot API server of former days writes them, made readable for the SDK of today.

People run servers of their own and leave them as they are. The SDK refuses a message as a whole for
want of a field that came later, although nothing here asks for it.
"""

from __future__ import annotations

_HOLDERS = ("message", "edited_message", "reply_to_message", "external_reply")
"""What can hold a poll, or something that holds one."""

_OF_POLLS: dict[str, object] = {"allows_revoting": False, "members_only": False}
_OF_OPTIONS: dict[str, object] = {"persistent_id": ""}
"""What python-telegram-bot 22.8 requires since Bot API 9.6 and 10.0, read 2026-11-30."""


def filled_in(raw: dict[str, object]) -> dict[str, object]:
    """Give an update, or a part of one, with what polls did not always have."""
    filled = dict(raw)
    for name in _HOLDERS:
        match filled.get(name):
            case dict(holder):
                filled[name] = filled_in(holder)
    match filled.get("poll"):
        case {"options": list(options), **poll}:
            filled["poll"] = _OF_POLLS | poll | {"options": [*map(_filled_option, options)]}
    return filled


def _filled_option(option: object) -> object:
    return _OF_OPTIONS | option if isinstance(option, dict) else option
