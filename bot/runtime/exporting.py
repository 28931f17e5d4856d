"""Everything that is kept of a person, put together for them to take away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.core.addresses import sender_of
from bot.core.chat import PersonKey
from bot.core.files import MOST_FILE_BYTES
from bot.core.memory.audience import Audience, Viewer, audience_of, viewer_of
from bot.core.memory.export import Belongings, ChatSwitch, OwnTurn, as_json, without_oldest
from bot.core.memory.versions import MemoryFile
from bot.core.reminders import Reminder
from bot.ports import (
    Clock,
    FileVersions,
    People,
    PersonalRecords,
    PersonZones,
    Redactor,
    Reminders,
    UsageLog,
)

_EVER = (datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """Puts exports together.

    Attributes:
        files: None where nothing is kept in files.
        is_on: Says whether an audience is remembered.
    """

    records: PersonalRecords
    people: People
    usage: UsageLog
    reminders: Reminders
    zones: PersonZones
    files: FileVersions | None
    is_on: Callable[[Audience], bool]
    redactor: Redactor
    clock: Clock

    async def export(self, viewer: Viewer, *, most_bytes: int = MOST_FILE_BYTES) -> str:
        """Give as JSON what a viewer may take with them from a private chat.

        What does not find room loses its oldest turns, and says how many.

        Raises:
            StoreError: Some of it cannot be read.
        """
        return await self._written(viewer.person_key, (viewer,), most_bytes)

    async def export_person(self, person_key: PersonKey) -> str:
        """Give as JSON what there is of somebody in all their private chats, and of groups.

        Raises:
            StoreError: Some of it cannot be read.
        """
        chats = await self.records.private_chats_of(person_key)
        viewers = tuple(viewer_of(chat.session_key, "private", person_key) for chat in chats)
        return await self._written(person_key, viewers or (_nowhere(person_key),), None)

    async def _written(
        self, person_key: PersonKey, viewers: tuple[Viewer, ...], most_bytes: int | None
    ) -> str:
        belongings = await self._belongings(person_key, viewers)
        return await asyncio.to_thread(self._fitting, belongings, most_bytes)

    def _fitting(self, belongings: Belongings, most_bytes: int | None) -> str:
        text = as_json(belongings, self.redactor.redact)
        while most_bytes is not None and len(text.encode()) > most_bytes and belongings.turns:
            belongings = without_oldest(belongings)
            text = as_json(belongings, self.redactor.redact)
        return text

    async def _belongings(self, person_key: PersonKey, viewers: tuple[Viewer, ...]) -> Belongings:
        """Gather what each viewer may see; what two of them may is there once."""
        facts, episodes, turns = {}, {}, {}
        files: list[MemoryFile] = []
        switches = []
        for viewer in viewers:
            facts.update({each.id: each for each in await self.records.versions_for(viewer)})
            episodes.update({each.id: each for each in await self.records.episodes_for(viewer)})
            turns.update({each.id: each for each in await self._turns(viewer)})
            files += await self._files(viewer)
            switches.append(ChatSwitch(audience=viewer.audience, is_on=self.is_on(viewer.audience)))
        (spent,) = await self.usage.spent_in((_EVER,), person_key=person_key)
        granted = {each.person_key: each for each in await self.people.grants()}.get(person_key)
        return Belongings(
            person_key=person_key,
            at=self.clock.now(),
            name="" if granted is None else granted.name,
            grant="" if granted is None else granted.grant,
            switches=tuple(switches),
            facts=tuple(facts.values()),
            episodes=tuple(episodes.values()),
            files=tuple(files),
            turns=tuple(turns[each] for each in sorted(turns)),
            used=spent.usage,
            calls=spent.calls,
            nano_usd=spent.nano_usd,
            zone=(await self.zones.chosen_zones()).get(person_key),
            reminders=await self._reminders(person_key, viewers),
            conversations=tuple(
                [each for of in viewers for each in await self.records.conversations_for(of)]
            ),
        )

    async def _reminders(
        self, person_key: PersonKey, viewers: tuple[Viewer, ...]
    ) -> tuple[Reminder, ...]:
        """Give those that are told in these chats, and in groups."""
        here = {viewer.audience for viewer in viewers}
        return tuple(
            each
            for each in await self.reminders.reminders_of(person_key)
            if each.chat_kind == "group"
            or audience_of(each.address.session_key, each.chat_kind) in here
        )

    async def _turns(self, viewer: Viewer) -> list[OwnTurn]:
        turns: list[OwnTurn] = []
        after: int | None = 0
        while after is not None:
            stretch = await self.records.own_turns(viewer, after=after)
            turns += stretch.turns
            after = stretch.next_after
        return turns

    async def _files(self, viewer: Viewer) -> tuple[MemoryFile, ...]:
        """Give the files of a private chat; those of a group have others' words in them."""
        if self.files is None or viewer.audience.kind != "private":
            return ()
        return await self.files.files_of(viewer)


def _nowhere(person_key: PersonKey) -> Viewer:
    """Stand for somebody without a private chat: what they said in groups is theirs as well."""
    channel = sender_of(person_key).channel
    audience = Audience(channel=channel, account="", chat="", kind="private")
    return Viewer(audience=audience, person_key=person_key)
