"""Who is let in: the operator's lists, and the people and groups decided on in chats."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from bot.core.access import (
    AccessPolicy,
    Decision,
    Grant,
    GroupMode,
    Hearing,
    PlaceState,
    Utterance,
    after_move,
    decide,
    for_guests,
    hearing,
)
from bot.core.addresses import sender_of
from bot.core.chat import ChatAddress, ChatKind, ChatMoved, InboundMessage, PersonKey, Reply, Sender
from bot.core.lifecycle import OutboxItem
from bot.core.memory.audience import Audience
from bot.errors import StoreError, StoreLost
from bot.languages import gettext, gettext_noop
from bot.ports import Clock, Granted, People, Place
from bot.runtime.claims import Claims

logger = logging.getLogger(__name__)

LOCAL_CHANNEL = "console"
"""Whoever sits at the operator's own terminal is the operator."""

YOU_ARE_OWNER = gettext_noop("You are the owner of this bot now. `/help` shows what it can do.")
OWNER_ALREADY = gettext_noop("You are the owner of this bot already. `/help` shows what it can do.")
OWNED = gettext_noop("This bot has an owner already.")
UNCLAIMED = gettext_noop("There is nothing to claim: the admins of this bot stand in its settings.")
IN_PRIVATE = gettext_noop(
    "Send `/claim` in a private chat with me, so that nobody else sees the code."
)

OPERATOR = "operator"
"""Who made a change that came over the command line."""


class AccessGate:
    """Answers at once, from memory; what was decided before is read once and followed from then on.

    Attributes:
        claims: The code by which the first owner comes in.
        on_admins_change: Is called when somebody became or ceased to be an admin, or can be reached
            elsewhere.
    """

    def __init__(
        self,
        policy: AccessPolicy,
        people: People,
        clock: Clock,
        *,
        mode_of: Callable[[ChatAddress], GroupMode] = lambda _: "mention",
        is_workspace_admin: Callable[[PersonKey], bool] = lambda _: False,
    ) -> None:
        """Begin with what the operator says.

        Args:
            policy: That.
            people: Where all else is kept.
            clock: For when it was decided.
            mode_of: Which messages a group wants the bot to listen to.
            is_workspace_admin: Whether somebody is an admin by the platform's own rules.
        """
        self._policy = policy
        self._people = people
        self._clock = clock
        self._mode_of = mode_of
        self._is_workspace_admin = is_workspace_admin
        self._granted: dict[PersonKey, Granted] = {}
        self._places: dict[ChatAddress, Place] = {}
        self._homes: dict[PersonKey, ChatAddress] = {}
        self._moved: dict[ChatAddress, ChatAddress] = {}
        self.claims = Claims(clock)
        self.on_admins_change: Callable[[], None] = lambda: None

    async def load(self) -> None:
        """Read what was decided before; may be called again when others changed it."""
        self._granted = {each.person_key: each for each in await self._people.grants()}
        self._places = {each.address: each for each in await self._people.places()}
        self._homes = await self._people.homes()
        for old, new in await self._people.moves():
            self._follow(old, new)

    def follow(self, moved: ChatMoved) -> None:
        """Let what was decided of a group hold under its new id, as the store soon says.

        Under its old id it is the same group: a button may be pressed that was made before.
        """
        old = moved.address.whole_chat
        self._follow(old, replace(old, chat=moved.new_chat))

    def _follow(self, old: ChatAddress, new: ChatAddress) -> None:
        if old == new:
            return
        self._moved.pop(new, None)  # whatever went before: it is where the group is now
        self._moved = {chat: new if now == old else now for chat, now in self._moved.items()}
        self._moved[old] = new
        place, there = self._places.pop(old, None), self._places.get(new)
        if place is None:
            return
        state = after_move(place.state, None if there is None else there.state)
        if there is None or state != there.state:
            self._places[new] = replace(place, address=new)

    @property
    def has_owner(self) -> bool:
        """Whether anybody can administer the bot from a chat."""
        return bool(self._policy.admins) or self._knows_owner

    @property
    def is_open(self) -> bool:
        """Whether everybody may talk to the bot, so that nobody has to be asked."""
        return self._policy.mode == "open"

    @property
    def granted(self) -> tuple[Granted, ...]:
        """All people that were decided on in a chat."""
        return tuple(self._granted.values())

    @property
    def places(self) -> tuple[Place, ...]:
        """All groups that were decided on, or are to be."""
        return tuple(self._places.values())

    @property
    def admin_homes(self) -> tuple[ChatAddress, ...]:
        """The private chats in which those who are admins now can be reached."""
        return tuple(home for person, home in self._homes.items() if self.is_admin(person))

    @property
    def former_homes(self) -> tuple[ChatAddress, ...]:
        """The private chats of those who are known from when they were admins."""
        return tuple(home for person, home in self._homes.items() if not self.is_admin(person))

    def title_of(self, audience: Audience) -> str:
        """Give what people call a group; empty where that is not known."""
        address = ChatAddress(
            channel=audience.channel, account=audience.account, chat=audience.chat
        )
        place = self.place_of(address)
        return "" if place is None else place.title

    def place_of(self, address: ChatAddress) -> Place | None:
        """Give what is known of a group as a whole; None when it was never asked about."""
        return self._places.get(self._now(address).whole_chat)

    def decide(self, sender: Sender, kind: ChatKind, address: ChatAddress) -> Decision:
        """Say what somebody may do in a chat of this kind."""
        policy, place = self._policy, self._state_of(address) if kind == "group" else None
        if sender.is_guest:
            policy, place = for_guests(policy, place)
        return decide(
            policy,
            sender.names,
            self._grant_of(sender.person_key),
            kind,
            is_local=sender.channel == LOCAL_CHANNEL,
            place=place,
        )

    def hear(self, message: InboundMessage, decision: Decision, *, is_command: bool) -> Hearing:
        """Say whether a message is meant for the bot; a command may be another bot's."""
        said = Utterance(
            kind=message.kind, is_addressed=message.is_addressed, is_command=is_command
        )
        return hearing(
            decision,
            said,
            mode="mention" if message.kind == "private" else self._mode_of(message.address),
            place=self._state_of(message.address),
        )

    def overhears(self, message: InboundMessage) -> bool:
        """Say whether what is not said to the bot is to be looked at nevertheless: at once."""
        return (
            self._state_of(message.address) == "allowed" and self._mode_of(message.address) == "all"
        )

    def grant_of(self, person: PersonKey) -> Granted | None:
        """Give what was decided of somebody in a chat."""
        return self._granted.get(person)

    def is_admin(self, person: PersonKey) -> bool:
        """Say whether somebody steers the bot, wherever they write."""
        sender = sender_of(person)
        decision = decide(self._policy, sender.names, self._grant_of(person), "private")
        return decision == "admin"

    def is_named(self, sender: Sender) -> bool:
        """Say whether the operator's lists name somebody, whatever is decided in a chat."""
        return bool(sender.names & (self._policy.admins | self._policy.allowed))

    async def decide_on(
        self, granted: Granted, *, by: str, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]:
        """Set what a person may do from now on; give what is to be delivered about it."""
        at = self._clock.now()
        items = await self._people.decide_on(granted, by=by, at=at, told=told)
        self._granted[granted.person_key] = granted
        about = {"person": granted.person_key, "grant": granted.grant, "by": by}
        logger.info("access.decided", extra=about)
        return items

    async def set_place(
        self, place: Place, *, by: str, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]:
        """Set what becomes of a group from now on; give what is to be delivered about it."""
        place = replace(place, address=self._now(place.address))
        items = await self._people.set_place(place, by=by, at=self._clock.now(), told=told)
        known = self.place_of(place.address)  # it may have moved meanwhile, decided on and all
        title = place.title or ("" if known is None else known.title)
        decided = known if known is not None and place.state == "asked" else place
        address = self._now(place.address)
        self._places[address] = replace(decided, title=title, address=address)
        about = {"session": place.address.session_key, "state": place.state, "by": by}
        logger.info("place.decided", extra=about)
        return items

    def is_new_home(self, message: InboundMessage) -> bool:
        """Say whether an admin writes in a private chat other than where they are reached."""
        home = self._homes.get(message.sender.person_key)
        is_remote = message.kind == "private" and message.sender.channel != LOCAL_CHANNEL
        return is_remote and home != message.address.whole_chat

    async def note_home(self, person: PersonKey, address: ChatAddress | None) -> None:
        """Keep the private chat in which an admin can be reached; None when they blocked the bot.

        Of others nothing is kept.
        """
        if address is None and person not in self._homes:
            return
        home = None if address is None else address.whole_chat
        await self._people.note_home(person, home)
        if home is None:
            self._homes.pop(person, None)
        else:
            self._homes[person] = home
        self.on_admins_change()

    async def keep_home(self, person: PersonKey, address: ChatAddress | None) -> None:
        """Do as :meth:`note_home`, or let it be: the next message tells it again."""
        try:
            await self.note_home(person, address)
        except StoreLost:
            raise
        except StoreError as error:
            logger.debug("access.home_not_kept", extra={"person": person, "why": str(error)})

    async def claim(self, message: InboundMessage, code: str) -> str:
        """Make the sender the owner if the code is right; return what they read."""
        if message.kind != "private":
            return gettext(IN_PRIVATE)
        person = message.sender.person_key
        if not self.claims.awaits_owner:
            if self._grant_of(person) == "owner":  # asked again, or cut when it was done
                return gettext(OWNER_ALREADY)
            return gettext(OWNED if self._knows_owner else UNCLAIMED)
        if refusal := self.claims.refusal(person, code):
            return refusal
        is_owner = await self._people.claim_ownership(message.sender, at=self._clock.now())
        self.claims.end()
        if not is_owner:
            return gettext(OWNED)
        self._granted[person] = Granted(person_key=person, grant="owner", name=message.sender.name)
        await self.note_home(person, message.address)
        return gettext(YOU_ARE_OWNER)

    @property
    def _knows_owner(self) -> bool:
        return any(each.grant == "owner" for each in self._granted.values())

    def _grant_of(self, person: PersonKey) -> Grant | None:
        if self._is_workspace_admin(person):
            return "admin"
        granted = self._granted.get(person)
        return None if granted is None else granted.grant

    def _state_of(self, address: ChatAddress) -> PlaceState | None:
        place = self.place_of(address)
        return None if place is None else place.state

    def _now(self, address: ChatAddress) -> ChatAddress:
        """Say where a chat goes on of which the old id may be given."""
        after = self._moved.get(address.whole_chat)
        return address if after is None else replace(after, thread=address.thread)
