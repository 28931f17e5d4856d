"""Who is let in: the operator's lists, and those who claimed the bot with the one-time code."""

from __future__ import annotations

from datetime import datetime

from bot.core.access import AccessPolicy, Attempts, Decision, decide, same_code
from bot.core.chat import ChatKind, InboundMessage, PersonKey, Sender
from bot.ports import Clock, Grant, People

LOCAL_CHANNEL = "console"
"""Whoever sits at the operator's own terminal is the operator."""

TOLD_AGAIN_AFTER_S = 3600.0

FEW_TOLD = 1_000
"""So many strangers are kept in mind without looking whose hour is over."""


class AccessGate:
    """Answers at once, from memory; grants are read once and follow every claim."""

    def __init__(self, policy: AccessPolicy, people: People, clock: Clock) -> None:
        self._policy = policy
        self._people = people
        self._clock = clock
        self._grants: dict[PersonKey, Grant] = {}
        self._told_at: dict[PersonKey, float] = {}
        self._most_told = FEW_TOLD
        self._attempts = Attempts()
        self._owner_code: str | None = None

    async def load(self) -> None:
        """Read who was let in before."""
        self._grants = await self._people.grants()

    @property
    def has_owner(self) -> bool:
        """Whether anybody can administer the bot from a chat."""
        return bool(self._policy.admins) or "owner" in self._grants.values()

    def offer(self, code: str) -> None:
        """Let whoever gives this code become the owner, once."""
        self._owner_code = code

    def decide(self, sender: Sender, kind: ChatKind) -> Decision:
        """Say what somebody may do in a chat of this kind."""
        return decide(
            self._policy,
            sender.names,
            self._grants.get(sender.person_key),
            kind,
            is_local=sender.channel == LOCAL_CHANNEL,
        )

    def greeting(self, stranger: Sender) -> str:
        """Tell somebody who is not let in how to get in."""
        words = (
            f"This is a private bot and I do not know you yet. Ask its owner to let you in: they "
            f"add `{stranger.channel}:{stranger.user_id}` to `allow` in `config.json`."
        )
        if self._owner_code is None:
            return words
        return f"{words} If you are the owner, send me `/claim CODE` with the code from the log."

    def is_to_be_told(self, person: PersonKey) -> bool:
        """Say whether a stranger should read how to get in: now and then, not each time.

        Yes is noted; :meth:`forget_told` takes it back.
        """
        now = self._clock.monotonic()
        told_at = self._told_at.get(person)
        if told_at is not None and now - told_at < TOLD_AGAIN_AFTER_S:
            return False
        if len(self._told_at) >= self._most_told:
            self._told_at = {
                who: at for who, at in self._told_at.items() if now - at < TOLD_AGAIN_AFTER_S
            }
            self._most_told = max(FEW_TOLD, 2 * len(self._told_at))
        self._told_at[person] = now
        return True

    def forget_told(self, person: PersonKey) -> None:
        """Take back that somebody is told: what they wrote could not be stored."""
        self._told_at.pop(person, None)

    async def claim(self, message: InboundMessage, code: str) -> str:
        """Make the sender the owner if the code is right; return what they read."""
        if message.kind != "private":
            return "Send `/claim` in a private chat with me, so that nobody else sees the code."
        if self._owner_code is None:
            return "This bot has an owner already."
        person, now = message.sender.person_key, self._clock.now()
        if not self._attempts.allows(person, now):
            return "Too many wrong codes. Try again in 15 minutes."
        if not same_code(code, self._owner_code):
            self._attempts = self._attempts.after_failure(person, now)
            return "That is not the code. It stands in the bot's log, on the line `no owner yet`."
        return await self._make_owner(message, now)

    async def _make_owner(self, message: InboundMessage, now: datetime) -> str:
        is_owner = await self._people.claim_ownership(message.sender, at=now)
        self._owner_code = None
        if not is_owner:
            return "This bot has an owner already."
        self._grants[message.sender.person_key] = "owner"
        return "You are the owner of this bot now. `/help` shows what it can do."
