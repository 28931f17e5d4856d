"""Strangers asking to be let in, and admins deciding on them.

What a stranger writes is not kept; that they asked is, for a day, so that an admin who looks late
can still let them in. The code is good for an hour.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.core.access import (
    Attempts,
    Grant,
    format_code,
    same_code,
)
from bot.core.addresses import read_name, sender_of, short_name
from bot.core.chat import InboundMessage, PersonKey, Reply, Sender
from bot.languages import gettext, gettext_noop
from bot.ports import Choice, Clock, CommandAnswer, Granted, Pairing, People
from bot.runtime.access_gate import AccessGate
from bot.runtime.claims import TOO_MANY
from bot.runtime.telling import Telling, in_code

CODE_LASTS = timedelta(hours=1)
ASKING_LASTS = timedelta(days=1)
"""How long an admin can still decide on somebody who asked, by pressing or by name."""

MOST_WAITING = 100
"""So many have a good code at a time; whoever comes then gets none until an hour is over."""

FEW_TOLD = 1_000
"""So many strangers are kept in mind without looking whose hour is over."""

LET_IN = gettext_noop("You are let in: write to me as to a person. `/help` shows what I can do.")

NO_OWNER = gettext_noop(
    "This is a private bot and has no owner yet. If that is you, send me `/claim CODE` with the "
    "code from the bot's log. To the operator you are `{person}`."
)
YOUR_CODE = gettext_noop(
    "This is a private bot and I do not know you yet. Your code is `{code}`, good for one hour: "
    "an admin lets you in with `/pair {code}`. To the operator you are `{person}`."
)
TOO_MANY_ASK = gettext_noop(
    "This is a private bot and I do not know you yet. Too many people ask to be let in just now: "
    "try again later."
)
MAY_TALK = gettext_noop("{person} may talk to me now.")
MAY_NOT_TALK = gettext_noop("{person} gets no answer from me any more.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What became of a wish to let somebody in or to refuse them; ``text`` is for who wished it."""

    is_done: bool
    text: str


class Pairings:
    """Answers strangers at once, from memory; what they and the admins do is stored first."""

    def __init__(
        self,
        gate: AccessGate,
        people: People,
        telling: Telling,
        clock: Clock,
        draw: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._gate = gate
        self._people = people
        self._telling = telling
        self._clock = clock
        self._draw = draw
        self._asking: dict[PersonKey, Pairing] = {}
        self._tags: dict[PersonKey, str] = {}
        self._told_s: dict[PersonKey, float] = {}
        self._most_told = FEW_TOLD
        self._told_of_claims = False
        self._attempts = Attempts()

    async def load(self) -> None:
        """Read who asked before, so that nobody is told again within the hour."""
        self._asking = {each.person_key: each for each in await self._people.pairings()}
        now, now_s = self._clock.now(), self._clock.monotonic()
        for person, pairing in self._asking.items():
            self._told_s[person] = now_s - max(0.0, (now - pairing.asked_at).total_seconds())

    def is_to_be_told(self, person: PersonKey) -> bool:
        """Say whether a stranger should read how to get in: once an hour, not each time.

        Yes is noted; :meth:`forget_told` takes it back.
        """
        if self._told_of_claims and not self._gate.claims.awaits_owner:
            self._told_of_claims = False  # who read that there is no owner has yet to get a code
            self._told_s.clear()
        now_s, again_after_s = self._clock.monotonic(), CODE_LASTS.total_seconds()
        told_s = self._told_s.get(person)
        if told_s is not None and now_s - told_s < again_after_s:
            return False
        if len(self._told_s) >= self._most_told:
            self._told_s = {
                who: at_s for who, at_s in self._told_s.items() if now_s - at_s < again_after_s
            }
            self._most_told = max(FEW_TOLD, 2 * len(self._told_s))
        self._told_s[person] = now_s
        return True

    def forget_told(self, person: PersonKey) -> None:
        """Take back that somebody is told: what they wrote could not be stored."""
        self._told_s.pop(person, None)

    @property
    def asking(self) -> tuple[Pairing, ...]:
        """Who waits to be decided on, the longest waiting first."""
        since = self._clock.now() - ASKING_LASTS
        self._asking = {
            who: each
            for who, each in self._asking.items()
            if each.asked_at >= since and not self._may_talk(who)
        }
        self._tags = {who: tag for who, tag in self._tags.items() if who in self._asking}
        return tuple(self._asking.values())

    async def greet(self, message: InboundMessage) -> str:
        """Give a stranger a code and tell the admins of them; return what the stranger reads.

        As long as there is nobody to let them in, they read how to become the owner instead.
        """
        if self._gate.claims.awaits_owner:
            self._told_of_claims = True
            return gettext(NO_OWNER, person=short_name(message.sender))
        known = self._asking.get(message.sender.person_key)
        now = self._clock.now()
        if known is None or now - known.asked_at >= CODE_LASTS:
            if not self._has_room():
                return gettext(TOO_MANY_ASK)
            known = await self._ask(message)
        self._tags[message.sender.person_key] = message.sender.language
        return gettext(YOUR_CODE, code=known.code, person=short_name(message.sender))

    async def let_in(self, who: str, *, by: str) -> Decided:
        """Let somebody talk to the bot, by their code or by their name, and tell them.

        Args:
            who: A code, or a person as the settings name them.
            by: The key of who decides, for the audit and against guessing.
        """
        found = self._find(who, by)
        if isinstance(found, Decided):
            return found
        return await self._decide(found, "allowed", by)

    async def refuse(self, who: str, *, by: str) -> Decided:
        """Answer somebody no more, anywhere; they are not told."""
        found = self._find(who, by)
        if isinstance(found, Decided):
            return found
        if self._gate.is_named(found):
            text = gettext(
                "{person} is named in the settings: that is the operator's to change.",
                person=_worded(found),
            )
            return Decided(is_done=False, text=text)
        return await self._decide(found, "refused", by)

    def _may_talk(self, person: PersonKey) -> bool:
        """Say whether somebody came in without being decided on: by becoming the owner."""
        granted = self._gate.grant_of(person)
        return granted is not None and granted.grant == "owner"

    def _has_room(self) -> bool:
        """Say whether one more may wait; those whose hour is over make room, the oldest first."""
        now = self._clock.now()
        for pairing in self.asking:
            if len(self._asking) < MOST_WAITING or now - pairing.asked_at < CODE_LASTS:
                break
            del self._asking[pairing.person_key]
        return len(self._asking) < MOST_WAITING

    async def _ask(self, message: InboundMessage) -> Pairing:
        sender, now = message.sender, self._clock.now()
        pairing = Pairing(
            person_key=sender.person_key,
            code=format_code(self._draw(8)),
            name=sender.name,
            address=message.address,
            asked_at=now,
        )
        told = await self._telling.to_admins(lambda: _question(sender, pairing.code))
        items = await self._people.ask_for(pairing, since=now - ASKING_LASTS, told=told)
        self._asking.pop(sender.person_key, None)  # so that who asks anew waits behind the others
        self._asking[sender.person_key] = pairing
        self._telling.deliver(items)
        return pairing

    def _find(self, who: str, by: str) -> Sender | Decided:
        """Find whom a code or a name means, or say why nobody is meant."""
        named = read_name(who)
        if named is not None:
            if not self._telling.reaches(named.channel):
                text = gettext("There is no channel {name} here.", name=in_code(named.channel))
                return Decided(is_done=False, text=text)
            return self._with_name(named)
        guesser, now = PersonKey(by), self._clock.now()
        if not self._attempts.allows(guesser, now):
            return Decided(is_done=False, text=gettext(TOO_MANY))
        for pairing in self.asking:
            is_good = now - pairing.asked_at < CODE_LASTS
            if is_good and same_code(who, pairing.code):
                return sender_of(pairing.person_key, pairing.name)
        self._attempts = self._attempts.after_failure(guesser, now)
        text = gettext(
            "Nobody has that code, or no longer: it is good for one hour. `/pair` lists who waits."
        )
        return Decided(is_done=False, text=text)

    def _with_name(self, person: Sender) -> Sender:
        key = person.person_key
        pairing, granted = self._asking.get(key), self._gate.grant_of(key)
        name = pairing.name if pairing else granted.name if granted else ""
        return sender_of(key, name)

    async def _decide(self, person: Sender, grant: Grant, by: str) -> Decided:
        key = person.person_key
        before = self._gate.grant_of(key)
        if before is not None and before.grant in ("owner", "admin"):
            text = gettext(
                "{person} is an admin of this bot; that cannot be changed here.",
                person=_worded(person),
            )
            return Decided(is_done=False, text=text)
        pairing = self._asking.get(key)
        told: tuple[Reply, ...] = ()
        if grant == "allowed" and pairing is not None:
            reader = replace(person, language=self._tags.get(key, ""))
            told = await self._telling.to(pairing.address, lambda: gettext(LET_IN), reader=reader)
        granted = Granted(person_key=key, grant=grant, name=person.name)
        items = await self._gate.decide_on(granted, by=by, told=told)
        self._asking.pop(key, None)
        self._tags.pop(key, None)
        self._told_s.pop(key, None)
        self._telling.deliver(items)
        done = MAY_TALK if grant == "allowed" else MAY_NOT_TALK
        return Decided(is_done=True, text=gettext(done, person=_worded(person)))


def _question(sender: Sender, code: str) -> CommandAnswer:
    """Ask admins what becomes of a stranger."""
    short = short_name(sender)
    return CommandAnswer(
        text=gettext(
            "{person} wants to talk to me. `/pair {code}` lets them in.",
            person=_worded(sender),
            code=code,
        ),
        choices=(
            Choice(label=gettext("Allow"), command=f"pair {short}", for_anyone=True),
            Choice(label=gettext("Refuse"), command=f"unpair {short}", for_anyone=True),
        ),
    )


def _worded(person: Sender) -> str:
    """Name somebody by what people call them, and by what cannot be made up."""
    short = short_name(person)
    if not person.name:
        return f"`{short}`"
    return gettext("{name} (`{person}`)", name=in_code(person.name), person=short)
