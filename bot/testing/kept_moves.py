"""Chats that go on under another id, as the store in memory follows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from bot.core.access import after_move
from bot.core.chat import ChatAddress, ChatMoved, PersonKey, SessionKey
from bot.core.lifecycle import ModelCall, Received, SetAside
from bot.core.memory.audience import Audience
from bot.core.memory.jobs import MemoryEntry
from bot.core.memory.pieces import folder_ref
from bot.core.turns import Turn, TurnId
from bot.testing.chat_session import ChatSession
from bot.testing.kept_items import KeptRecallable
from bot.testing.kept_people import KeptPeople
from bot.testing.mailboxes import MemoryInbox, MemoryOutbox

_Where = tuple[str, str, str]
"""Channel, account and chat."""


class KeptMoves(KeptRecallable, KeptPeople):
    """Gives chats another id in all that a store in memory keeps."""

    def __init__(self, installation: str) -> None:
        self.calls: list[ModelCall] = []
        self._turns_by_id: dict[TurnId, Turn] = {}
        super().__init__(lambda: self._turns_by_id.values(), self.calls)
        KeptPeople.__init__(self)
        self._inbox = MemoryInbox()
        self._outbox = MemoryOutbox(installation)
        self._installation = installation
        self._asked_moves: dict[_Where, ChatMoved] = {}
        self._new_chats: dict[_Where, str] = {}
        self._unmoved_files: list[ChatAddress] = []

    async def move_chat(self, old: ChatAddress, new_chat: str) -> None:
        """Give a chat another id, wherever it is written."""
        where = _where(old)
        there = (old.channel, old.account, new_chat)
        if where == there:
            return
        open_turns = (each for each in self._turns_by_id.values() if each.outcome is None)
        if any(_where_of(each.session_key) in (where, there) for each in open_turns):
            raise ValueError(f"a turn of {old.chat} is open")
        if where not in self._new_chats:
            self._unmoved_files.append(old.whole_chat)
        self._asked_moves.pop(where, None)
        self._new_chats[where] = new_chat
        self._move_all(lambda address: _after(address, where, new_chat))

    async def moves(self) -> tuple[tuple[ChatAddress, ChatAddress], ...]:
        """Give the chats that go on, or soon will, under another id, with that."""
        asked = {where: moved.new_chat for where, moved in self._asked_moves.items()}
        return tuple(
            (address, replace(address, chat=new_chat))
            for (channel, account, chat), new_chat in {**self._new_chats, **asked}.items()
            for address in (ChatAddress(channel=channel, account=account, chat=chat),)
        )

    async def moved_audiences(self) -> tuple[tuple[Audience, Audience], ...]:
        """Give the audiences whose files are still to be moved."""
        return tuple(
            (_audience(old), _audience(replace(old, chat=self._new_chats[_where(old)])))
            for old in self._unmoved_files
        )

    async def installation(self) -> str:
        """Give the name that keys of replies begin with."""
        return self._installation

    async def mark_moved(self, old: Audience) -> None:
        """Note that the files of an audience were moved."""
        self._note(folder_ref(old), folder_ref(self._audience_now(old)))
        self._unmoved_files = [
            each for each in self._unmoved_files if _audience(each).folder != old.folder
        ]

    def _note_moves(self, events: Iterable[Received | SetAside], are_new: tuple[bool, ...]) -> None:
        """Note which chats are to be moved."""
        for event, is_new in zip(events, are_new, strict=True):
            if is_new and isinstance(event, Received) and isinstance(event.inbound, ChatMoved):
                self._asked_moves.setdefault(_where(event.inbound.address), event.inbound)

    def _keep(self, entries: tuple[MemoryEntry, ...]) -> None:
        super()._keep(tuple(map(self._moved_entry, entries)))

    def _moved_entry(self, entry: MemoryEntry) -> MemoryEntry:
        return replace(entry, audience=self._audience_now(entry.audience))

    def _name_of(self, person_key: PersonKey) -> str:
        granted = self._granted.get(person_key)
        return "" if granted is None else granted.name

    def _audience_now(self, audience: Audience) -> Audience:
        new = self._new_chats.get((audience.channel, audience.account, audience.chat))
        return audience if new is None else replace(audience, chat=new)

    def _move_all(self, change: Callable[[ChatAddress], ChatAddress]) -> None:
        def rename(key: SessionKey) -> SessionKey:
            return change(ChatAddress.from_session_key(key)).session_key

        self._inbox.readdress(change)
        self._outbox.readdress(change)
        for turn in tuple(self._turns_by_id.values()):
            self._turns_by_id[turn.id] = replace(turn, session_key=rename(turn.session_key))
        self.calls[:] = [replace(call, session_key=rename(call.session_key)) for call in self.calls]
        self._move_sessions(rename)
        self._move_jobs(rename)
        self._move_episodes(rename)
        self.move_facts(change)
        self.move_audiences(change)
        self.entries = {key: self._moved_entry(each) for key, each in self.entries.items()}
        self._homes = {key: change(address) for key, address in self._homes.items()}
        self._move_places(change)
        self.rename_scopes(rename)

    def _move_sessions(self, rename: Callable[[SessionKey], SessionKey]) -> None:
        for key in tuple(self._sessions):
            after = rename(key)
            if after == key:
                continue
            session = self._sessions.pop(key)
            there = self._sessions.get(after)
            self._sessions[after] = session if there is None else _merged(session, there)

    def _move_jobs(self, rename: Callable[[SessionKey], SessionKey]) -> None:
        for key, kind in tuple(self._jobs):
            after = rename(key)
            if after == key:
                continue
            job, there = self._jobs.pop((key, kind)), self._jobs.get((after, kind))
            if there is None:
                self._newest_job += 1
                job.id, job.session_key = self._newest_job, after
                job.attempts, job.generation = 0, self._sessions[after].generation
                self._jobs[after, kind] = job
            else:
                there.through = max(there.through, job.through)
                there.due_at = min(there.due_at, job.due_at)

    def _move_places(self, change: Callable[[ChatAddress], ChatAddress]) -> None:
        for key, place in tuple(self._places.items()):
            address = change(place.address)
            if address != place.address:
                del self._places[key]
                there = self._places.get(address.session_key)
                state = after_move(place.state, None if there is None else there.state)
                kept = place if there is None or state != there.state else there
                self._places[address.session_key] = replace(kept, address=address)


def _merged(old: ChatSession, new: ChatSession) -> ChatSession:
    """Put a chat before what its new id has by now; what that one has cut stays cut."""
    if not new.cut.kept_from:
        new.cut, new.former, new.compaction = old.cut, old.former, old.compaction
        new.calls_after = old.calls_after
    new.generation += old.generation + 1
    new.task, new.former_task = new.task or old.task, new.former_task or old.former_task
    new.is_open = old.is_open
    if old.heard_at is not None:
        new.hear(old.heard_at)
    return new


def _where(address: ChatAddress) -> _Where:
    return address.channel, address.account, address.chat


def _where_of(key: SessionKey) -> _Where:
    return _where(ChatAddress.from_session_key(key))


def _after(address: ChatAddress, where: _Where, new_chat: str) -> ChatAddress:
    return replace(address, chat=new_chat) if _where(address) == where else address


def _audience(address: ChatAddress) -> Audience:
    channel, account, chat = _where(address)
    return Audience(channel=channel, account=account, chat=chat, kind="group")
