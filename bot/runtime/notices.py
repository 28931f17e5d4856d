"""What people read when something is not as usual: one plain sentence each."""

from __future__ import annotations

from datetime import datetime
from typing import assert_never

from bot.core.presses import Refusal
from bot.core.turns import Outcome
from bot.errors import (
    CannotFit,
    CapReached,
    ContextTooLong,
    ModelAuthError,
    ModelError,
    ModelNotFound,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRefused,
    ModelStreamCut,
    ModelUnavailable,
)

CUT = "*The answer reached its length limit. Say “go on” for the rest.*"
SHORTENED = (
    "*This chat had become too long for the model, so I kept the last few turns and a note of the "
    "rest; `/context undo` brings it back.*"
)
EMPTIED = (
    "*This chat was too long for the model even when shortened, so I answered with your message "
    "alone; `/context undo` brings back what was before.*"
)
LEFT_IN_VAIN = "*What was said before left my view in the attempt; `/context undo` brings it back.*"
WITHOUT_MEMORY = "*I could not look into my memory just now, so I answered without it.*"
WITHOUT_HISTORY = (
    "*I could not read what was said before in this chat, so I answered your message alone.*"
)
REFUSED = "The model declined to answer this."
EMPTY = "The model gave an empty answer. `/retry` asks again; perhaps other words help."
FAILED = "I could not answer because of a technical problem. `/retry` tries again."
STOPPED = "*(stopped)*"
UNREAD = "I could not read that message. Please write it again, or in another way."
ANSWERED_IN_PRIVATE = "That is between you and me: the answer is in our private chat."

_REFUSED_PRESSES: dict[Refusal, str] = {
    "unknown": "I do not know this button any more.",
    "taken": "This was decided already.",
    "foreign": "This button is for somebody else.",
    "old": "This button is more than a day old. Please give the command again.",
}

_BY_ERROR: dict[type[ModelError], str] = {
    ModelAuthError: "I cannot reach the model: its key was refused. The operator has to mend that.",
    ModelRateLimited: "The model takes no more requests just now. Please send `/retry` in a while.",
    ModelOverloaded: "The model is overloaded just now. Please send `/retry` in a few minutes.",
    ModelUnavailable: "The model cannot be reached. Please send `/retry` in a few minutes.",
    ModelStreamCut: "The model's answer broke off several times. `/retry` asks again.",
    ModelRequestRefused: "The model refused this request as invalid. `/new` starts afresh.",
}


_WHOSE = {
    "person": "You have used up what you may use of me in a day",
    "chat": "This chat has used up what it may use of me in a day",
    "bot": "What I may spend in a day is used up",
}


def for_cap(cap: CapReached) -> str:
    """Say that nothing more may be spent today, and when that is over."""
    return (
        f"{_WHOSE[cap.scope]}. The next day begins at {clock_time(cap.resets_at)}; "
        "`/retry` then answers this."
    )


def for_little_left(scope: str, resets_at: datetime) -> str:
    """Say that most of a day's cap is used, and no number: others may read it too."""
    whose = {"person": "what you may use of me", "chat": "what this chat may use of me"}
    return (
        f"*Most of {whose[scope]} today is used; the next day begins at "
        f"{clock_time(resets_at)}. `/usage` tells more.*"
    )


def clock_time(moment: datetime) -> str:
    """Write a moment of today or tomorrow in its own time zone: ``00:00 (Europe/Berlin)``."""
    return f"{moment:%H:%M} ({moment.tzinfo})"


def for_refused_press(refusal: Refusal) -> str:
    """Say why pressing a button did nothing."""
    return _REFUSED_PRESSES[refusal]


def for_unsendable(name: str) -> str:
    """Say that a file was made and cannot be brought."""
    return f"`{name}` is ready, but files cannot be sent here."


def for_private_command(name: str) -> str:
    """Say that a command is not answered in a group, and where it is; not what stood behind it."""
    return f"That is between you and me. Write `/{name} …` to me in a private chat."


def for_model_error(error: ModelError, model: str) -> str:
    """Say in one sentence why there is no answer of ``model``, as it is called, and what to do."""
    if isinstance(error, ModelNotFound):
        return (
            f"There is no model `{model}`. An admin can name another with `/config model NAME`; "
            "`/config model default` goes back."
        )
    if isinstance(error, CapReached):
        return for_cap(error)
    if isinstance(error, ContextTooLong):
        return _too_long(error)
    if isinstance(error, CannotFit):
        return (
            f"This message is too long: it needs about {error.needed_tokens} tokens, and "
            f"{error.limit_tokens} may be used. Please send less of it at once, or let an admin "
            "raise `agent_max_context_tokens` with `/config`."
        )
    return _BY_ERROR.get(type(error), FAILED)


def for_outcome(outcome: Outcome) -> str:
    """Say what is told of a turn's end beside the model's words, or in their place.

    Empty when nothing is to be said: it is answered, or the person stopped it.
    """
    match outcome:
        case "answered" | "stopped":
            return ""
        case "cut":
            return CUT
        case "refused":
            return REFUSED
        case "empty":
            return EMPTY
        case "failed":
            return FAILED
        case _:
            assert_never(outcome)


def for_incident(incident: str) -> str:
    """Say that the bot itself failed, with the number under which the log has it."""
    return f"Something went wrong on my side (incident {incident}). Please try again."


def for_given_up(incident: str) -> str:
    """Say that a message brought the whole process down again and again."""
    return (
        f"This stopped me several times over (incident {incident}), so I have set it aside. "
        f"`/retry` tries it once more."
    )


def for_undelivered(reason: str) -> str:
    """Say that an answer was written and did not reach the chat."""
    return f"An answer could not be delivered: {reason.rstrip('.')}. `/retry` sends it again."


def _too_long(error: ContextTooLong) -> str:
    size = ""
    if error.needed_tokens and error.limit_tokens:
        size = f" ({error.needed_tokens} tokens, the model reads {error.limit_tokens})"
    return f"This message is too long for the model{size}. Please send less of it at once."
