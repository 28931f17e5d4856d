"""What people read when something is not as usual: one plain sentence each."""

from __future__ import annotations

from datetime import datetime
from typing import assert_never

from bot.core.cost import Scope, Unit
from bot.core.lifecycle import UNKNOWN_FATE
from bot.core.presses import Refusal
from bot.core.turns import Outcome
from bot.core.zone_names import zone_in_words
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
from bot.languages import gettext, gettext_noop

CUT = gettext_noop("*The answer reached its length limit. Say “go on” for the rest.*")
SHORTENED = gettext_noop(
    "*This chat had become too long for the model, so I kept the last few turns and a note of the "
    "rest; `/context undo` brings it back.*"
)
EMPTIED = gettext_noop(
    "*This chat was too long for the model even when shortened, so I answered with your message "
    "alone; `/context undo` brings back what was before.*"
)
LEFT_IN_VAIN = gettext_noop(
    "*What was said before left my view in the attempt; `/context undo` brings it back.*"
)
WITHOUT_MEMORY = gettext_noop(
    "*I could not look into my memory just now, so I answered without it.*"
)
WITHOUT_HISTORY = gettext_noop(
    "*I could not read what was said before in this chat, so I answered your message alone.*"
)
REFUSED = gettext_noop("The model declined to answer this.")
EMPTY = gettext_noop(
    "The model gave an empty answer. `/retry` asks again; perhaps other words help."
)
FAILED = gettext_noop("I could not answer because of a technical problem. `/retry` tries again.")
STOPPED = gettext_noop("*(stopped)*")
UNREAD = gettext_noop("I could not read that message. Please write it again, or in another way.")
ANSWERED_IN_PRIVATE = gettext_noop("That is between you and me: the answer is in our private chat.")

_REFUSED_PRESSES: dict[Refusal, str] = {
    "unknown": gettext_noop("I do not know this button any more."),
    "taken": gettext_noop("This was decided already."),
    "foreign": gettext_noop("This button is for somebody else."),
    "old": gettext_noop("This button is more than a day old. Please give the command again."),
}

_BY_ERROR: dict[type[ModelError], str] = {
    ModelAuthError: gettext_noop(
        "I cannot reach the model: its key was refused. The operator has to mend that."
    ),
    ModelRateLimited: gettext_noop(
        "The model takes no more requests just now. Please send `/retry` in a while."
    ),
    ModelOverloaded: gettext_noop(
        "The model is overloaded just now. Please send `/retry` in a few minutes."
    ),
    ModelUnavailable: gettext_noop(
        "The model cannot be reached. Please send `/retry` in a few minutes."
    ),
    ModelStreamCut: gettext_noop(
        "The model's answer broke off several times. `/retry` asks again."
    ),
    ModelRequestRefused: gettext_noop(
        "The model refused this request as invalid. `/new` starts afresh."
    ),
}


_USED_UP: dict[str, str] = {
    "person": gettext_noop(
        "You have used up what you may use of me in a day. The next day begins at {time}; "
        "`/retry` then answers this."
    ),
    "chat": gettext_noop(
        "This chat has used up what it may use of me in a day. The next day begins at {time}; "
        "`/retry` then answers this."
    ),
    "bot": gettext_noop(
        "What I may spend in a day is used up. The next day begins at {time}; "
        "`/retry` then answers this."
    ),
}

_LITTLE_LEFT: dict[Scope, str] = {
    "person": gettext_noop(
        "*Most of what you may use of me today is used; the next day begins at {time}. "
        "`/usage` tells more.*"
    ),
    "chat": gettext_noop(
        "*Most of what this chat may use of me today is used; the next day begins at {time}. "
        "`/usage` tells more.*"
    ),
}

_LITTLE_LEFT_OF_BOT: dict[Unit, str] = {
    "usd": gettext_noop(
        "Most of what I may spend today is used; the next day begins at {time}. "
        "`/usage` tells on what, `/config caps.bot_usd` changes it."
    ),
    "tokens": gettext_noop(
        "Most of the tokens that I may use today are used; the next day begins at {time}. "
        "`/usage` tells on what, `/config caps.bot_tokens` changes it."
    ),
}


def for_cap(cap: CapReached) -> str:
    """Say that nothing more may be spent today, and when that is over."""
    return gettext(_USED_UP[cap.scope], time=clock_time(cap.resets_at))


def for_little_left(scope: Scope, resets_at: datetime) -> str:
    """Say, below an answer, that most of a day's cap is used, and no number: others read it too."""
    return gettext(_LITTLE_LEFT[scope], time=clock_time(resets_at))


def for_little_left_of_bot(unit: Unit, resets_at: datetime) -> str:
    """Say to admins that most of the bot's own cap is used, and by which key it is changed."""
    return gettext(_LITTLE_LEFT_OF_BOT[unit], time=clock_time(resets_at))


def clock_time(moment: datetime) -> str:
    """Write a moment of today or tomorrow in its own time zone: ``00:00 (Europe/Berlin)``."""
    return gettext(
        "{time} ({zone})", time=moment.strftime("%H:%M"), zone=zone_in_words(moment.tzinfo)
    )


def for_refused_press(refusal: Refusal) -> str:
    """Say why pressing a button did nothing."""
    return gettext(_REFUSED_PRESSES[refusal])


def for_unsendable(name: str) -> str:
    """Say that a file was made and cannot be brought."""
    return gettext("`{name}` is ready, but files cannot be sent here.", name=name)


def for_private_command(name: str) -> str:
    """Say that a command is not answered in a group, and where it is; not what stood behind it."""
    return gettext(
        "That is between you and me. Write `/{name} …` to me in a private chat.", name=name
    )


def for_model_error(error: ModelError, model: str) -> str:
    """Say in one sentence why there is no answer of ``model``, as it is called, and what to do."""
    if isinstance(error, ModelNotFound):
        return gettext(
            "There is no model `{model}`. An admin can name another with `/config model NAME`; "
            "`/config model default` goes back.",
            model=model,
        )
    if isinstance(error, CapReached):
        return for_cap(error)
    if isinstance(error, ContextTooLong):
        return _too_long(error)
    if isinstance(error, CannotFit):
        return gettext(
            "This message is too long: it needs about {needed} tokens, and {limit} may be used. "
            "Please send less of it at once, or let an admin raise `agent_max_context_tokens` "
            "with `/config`.",
            needed=error.needed_tokens,
            limit=error.limit_tokens,
        )
    by_error = (text for kind, text in _BY_ERROR.items() if isinstance(error, kind))
    return gettext(next(by_error, FAILED))


def for_outcome(outcome: Outcome) -> str:
    """Say what is told of a turn's end beside the model's words, or in their place.

    Empty when nothing is to be said: it is answered, or the person stopped it.
    """
    match outcome:
        case "answered" | "stopped":
            return ""
        case "cut":
            return gettext(CUT)
        case "refused":
            return gettext(REFUSED)
        case "empty":
            return gettext(EMPTY)
        case "failed":
            return gettext(FAILED)
        case _:
            assert_never(outcome)


def for_incident(incident: str) -> str:
    """Say that the bot itself failed, with the number under which the log has it."""
    return gettext(
        "Something went wrong on my side (incident {number}). Please try again.", number=incident
    )


def for_given_up(incident: str) -> str:
    """Say that a message brought the whole process down again and again."""
    return gettext(
        "This stopped me several times over (incident {number}), so I have set it aside. "
        "`/retry` tries it once more.",
        number=incident,
    )


def for_undelivered(reason: str) -> str:
    """Say that an answer was written and did not reach the chat."""
    return gettext(
        "An answer could not be delivered: {reason}. `/retry` sends it again.",
        reason=why_undelivered(reason).rstrip("."),
    )


def why_undelivered(reason: str) -> str:
    """Say why a reply did not arrive, as the store has it; a platform's own words stay its own."""
    rest = reason.removeprefix(UNKNOWN_FATE)
    return reason if rest == reason else gettext(UNKNOWN_FATE) + rest


def _too_long(error: ContextTooLong) -> str:
    if not (error.needed_tokens and error.limit_tokens):
        return gettext("This message is too long for the model. Please send less of it at once.")
    return gettext(
        "This message is too long for the model ({needed} tokens, the model reads {limit}). "
        "Please send less of it at once.",
        needed=error.needed_tokens,
        limit=error.limit_tokens,
    )
