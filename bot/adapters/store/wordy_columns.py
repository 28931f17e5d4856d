"""Which columns hold words that somebody said, or that were made of these.

The law of this file: every column of text or bytes in the schema is in one of the two lists, and a
test holds them complete. So nothing that is forgotten, or looked through for secrets, can be
overlooked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal["json", "text", "bytes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordyColumn:
    """A column with words; ``form`` says whether it holds them bare, in JSON, or in files."""

    table: str
    column: str
    form: Form


_IN_JSON = (
    *(("turn", "request"), ("step", "answer"), ("step_result", "body"), ("step_result", "whole")),
    *(("inbox", "body"), ("outbox", "body"), ("session", "cut"), ("session", "former")),
    *(("session", "task"), ("session", "former_task"), ("summary", "body")),
    *(("correction", "body"), ("episode", "body"), ("reminder", "body")),
)
_BARE = (
    *(("memory_entry", "text"), ("fact", "text"), ("fact", "key"), ("button", "command")),
    *(("outbox", "reason"), ("inbox", "reason")),
)
_OF_FILES = (("outbox", "content"), ("turn_file", "content"))

WORDY = (
    *(WordyColumn(table=table, column=column, form="json") for table, column in _IN_JSON),
    *(WordyColumn(table=table, column=column, form="text") for table, column in _BARE),
    *(WordyColumn(table=table, column=column, form="bytes") for table, column in _OF_FILES),
)

WORDLESS = {
    "audience": "channel account chat kind",
    "audit": "who what old new",
    "button": "token person taken_by message_id",
    "change": "ref",
    "chat_move": "chat_key event_id new_chat state",
    "cursor": "channel value",
    "episode": "session_key channel account chat kind person_key",
    "fact": "person_key channel account chat kind topic origin said_again",
    "forgetting": "session_key person_key body",
    "forgetting_gone": "body",
    "home": "person_key session_key",
    "inbox": "channel event_id session_key route state files",
    "installation": "id",
    "job_slot": "name",
    "memory_entry": "channel account chat kind day",
    "memory_job": "kind session_key reason",
    "migration": "name",
    "model_limit": "model",
    "outbox": "session_key state receipt replaces",
    "pairing": "person_key code name session_key",
    "person": "person_key grant name",
    "person_zone": "person_key zone",
    "place": "chat_key state title changed_by",
    "reminder": "session_key person_key origin",
    "session": "key kind person_key compaction opened_by",
    "setting": "scope key value changed_by",
    "setting_change": "scope key old new",
    "step": "stop started",
    "step_result": "call_id",
    "correction": "session_key",
    "summary": "session_key",
    "turn": "session_key outcome said",
    "turn_file": "call_id name media_type",
    "usage": "session_key person_key model purpose asked",
    "usage_sum": "axis name",
}
"""Names, keys and states: what people are called stands there, not what they said."""
