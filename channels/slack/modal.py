"""The form of settings: ``/config`` as a modal, and what was filled in as commands.

The law of this file: a form changes nothing. What differs from what its reader saw becomes the
command that would set it, given by them, so that rights, checks, answers and undo are the same
whichever way it was said.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import BaseModel, Field, ValidationError

from bot.api import (
    ChatAddress,
    ChatKind,
    InboundMessage,
    SessionKey,
    SettingField,
    gettext,
)
from channels.slack.commands import Person, Who

OPENS = "/config"
"""The command that shows the form to whoever may use it; with words behind it is a plain one."""

CALLBACK = "settings"
ACTION = "value"
SCOPE = "scope"

_HERE = " --here"
_BACK = "default"
_FOR_ALL, _FOR_THIS = "all", "here"

MOST_HINT_CHARS = 2_000
MOST_OPTION_CHARS = 75
MOST_WORD_CHARS = 128
"""The longest name of a model."""

Json = dict[str, object]


class _Choice(BaseModel):
    value: str


class _State(BaseModel):
    value: str | None = None
    selected_option: _Choice | None = None


class _Values(BaseModel):
    values: dict[str, dict[str, _State]]


class _Seen(BaseModel):
    """What the form carries along: where it was opened and what its reader saw."""

    at: str
    kind: ChatKind
    before: dict[str, str]
    of_groups: tuple[str, ...] = ()


class _View(BaseModel):
    id: str = Field(min_length=1)
    callback_id: str
    private_metadata: str
    state: _Values


class _Submission(BaseModel):
    user: Person
    view: _View


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What was changed in a form: values by key, empty to give one back, and the commands."""

    values: Mapping[str, str]
    commands: tuple[InboundMessage, ...]


def view_of(form: tuple[SettingField, ...], address: ChatAddress, kind: ChatKind) -> Json:
    """Lay a form out that was asked for at an address."""
    seen = _Seen(
        at=address.session_key,
        kind=kind,
        before={each.key: each.value for each in form},
        of_groups=tuple(each.key for each in form if each.is_of_groups),
    )
    is_private = kind == "private"
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "title": _plain(gettext("Settings")),
        "submit": _plain(gettext("Set")),
        "close": _plain(gettext("Cancel")),
        "private_metadata": seen.model_dump_json(),
        "blocks": [
            {"type": "section", "text": _plain(_intro(is_private, seen.of_groups))},
            *([_scope()] if is_private else []),
            *map(_input, form),
        ],
    }


def _intro(is_private: bool, of_groups: tuple[str, ...]) -> str:
    if is_private:
        return gettext(
            "A change holds from the next request to the model on. What is left empty is given"
            " back to the operator."
        )
    return gettext(
        "A change holds from the next request to the model on. What is left empty is given back"
        " to the operator. Set for this channel: {keys}. All else is set for all chats.",
        keys=", ".join(of_groups),
    )


def _scope() -> Json:
    for_all = _option(_FOR_ALL, gettext("All chats"))
    return {
        "type": "input",
        "block_id": SCOPE,
        "label": _plain(gettext("Where")),
        "element": {
            "type": "static_select",
            "action_id": ACTION,
            "options": [for_all, _option(_FOR_THIS, gettext("This chat only"))],
            "initial_option": for_all,
        },
    }


def _input(field: SettingField) -> Json:
    hint = gettext(
        "{description} Now {source}; left empty: {value}.",
        description=field.description,
        source=field.source,
        value=field.left_empty,
    )
    return {
        "type": "input",
        "block_id": field.key,
        "optional": True,
        "label": _plain(field.key),
        "hint": _plain(hint[:MOST_HINT_CHARS]),
        "element": {"action_id": ACTION} | _element(field),
    }


def _element(field: SettingField) -> Json:
    if field.kind == "choice":
        options = {choice: _option(choice, choice) for choice in field.choices}
        # Nobody can empty a choice again once it is made.
        given_back = _option(_BACK, gettext("Default: {value}", value=field.left_empty))
        first: Json = {"initial_option": options[field.value]} if field.value in options else {}
        return {"type": "static_select", "options": [*options.values(), given_back]} | first
    filled: Json = {"initial_value": field.value} if field.value else {}
    if field.kind == "word":
        return {"type": "plain_text_input", "max_length": MOST_WORD_CHARS} | filled
    limits = {"min_value": field.least, "max_value": field.most}
    given: Json = {name: str(limit) for name, limit in limits.items() if limit is not None}
    return {"type": "number_input", "is_decimal_allowed": False} | given | filled


def _option(value: str, text: str) -> Json:
    return {"text": _plain(text[:MOST_OPTION_CHARS]), "value": value}


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}


def read(payload: Mapping[str, object], who: Who, at: datetime) -> Filled | None:
    """Read what was filled in; None when it is not our form."""
    try:
        submission = _Submission.model_validate(payload)
        if submission.view.callback_id != CALLBACK:
            return None
        seen = _Seen.model_validate(json.loads(submission.view.private_metadata))
        address = ChatAddress.from_session_key(SessionKey(seen.at))
    except (ValidationError, ValueError):
        return None
    written = {key: _written(state) for key, state in submission.view.state.values.items()}
    here = written.pop(SCOPE, _FOR_ALL) == _FOR_THIS
    values = {
        key: value
        for key, value in written.items()
        if key in seen.before and value != seen.before[key]
    }
    user, view_id = submission.user, submission.view.id
    model = InboundMessage(
        event_id="",
        address=address,
        kind=seen.kind,
        sender=who.sender(user.id, user.team_id, user.name),
        message_id=view_id,
        text="",
        is_addressed=True,
        sent_at=at,
    )
    commands = []
    for key, value in values.items():
        is_here = here or (seen.kind == "group" and key in seen.of_groups)
        text = f"{OPENS} {key} {value or _BACK}{_HERE if is_here else ''}"
        # Sent off again because the answer was slow, it is the same; corrected, it is another.
        mark = hashlib.sha256(text.encode()).hexdigest()[:16]
        event_id = f"form:{address.account}:{view_id}:{mark}"
        commands.append(replace(model, event_id=event_id, text=text))
    return Filled(values=values, commands=tuple(commands))


def _written(state: Mapping[str, _State]) -> str:
    filled = state.get(ACTION)
    if filled is None:
        return ""
    chosen = filled.selected_option
    if chosen is None:
        return (filled.value or "").strip()
    return "" if chosen.value == _BACK else chosen.value


def refusal(faults: Mapping[str, str]) -> Json:
    """Tell, field by field, what is wrong; the form stays open."""
    return {"response_action": "errors", "errors": dict(faults)}
