"""The code by which somebody becomes the owner of a bot that has none, and who may try it."""

from __future__ import annotations

from bot.core.access import Attempts, same_code
from bot.core.chat import PersonKey
from bot.languages import gettext, gettext_noop
from bot.ports import Clock

TOO_MANY = gettext_noop("Too many wrong codes. Try again in 15 minutes.")
NOT_THE_CODE = gettext_noop(
    "That is not the code. It stands in the bot's log, on the line `no owner yet`."
)


class Claims:
    """Knows the code as long as an owner is awaited; nothing of it is stored."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._code: str | None = None
        self._heard = Attempts()
        self._wrong = Attempts()

    @property
    def awaits_owner(self) -> bool:
        """Whether somebody can become the owner with a code."""
        return self._code is not None

    def offer(self, code: str) -> None:
        """Let whoever gives this code become the owner, once."""
        self._code = code

    def end(self) -> None:
        """Await nobody any more."""
        self._code = None

    def is_to_be_heard(self, person: PersonKey) -> bool:
        """Say whether a stranger's claim is to be stored and answered: a few in 15 minutes.

        So many wrong codes as are looked at, and one that reads that these were too many. Yes is
        noted; :meth:`forget` takes it back.
        """
        now = self._clock.now()
        if not self.awaits_owner or not self._heard.is_answered(person, now):
            return False
        self._heard = self._heard.after_failure(person, now)
        return True

    def forget(self, person: PersonKey) -> None:
        """Take back that somebody is heard: what they wrote could not be stored."""
        self._heard = self._heard.without_last(person)

    def refusal(self, person: PersonKey, code: str) -> str:
        """Say why a code is not taken; empty when it is the one."""
        now = self._clock.now()
        if not self._wrong.allows(person, now):
            return gettext(TOO_MANY)
        if self._code is not None and same_code(code, self._code):
            return ""
        self._wrong = self._wrong.after_failure(person, now)
        return gettext(NOT_THE_CODE)
