"""What is kept of one person, as the store in memory knows it."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import ChatAddress, PersonKey, SessionKey
from bot.core.memory.audience import Origin, Viewer, audience_of, may_recall
from bot.core.memory.blanking import is_blank
from bot.core.memory.episodes import Episode
from bot.core.memory.export import OwnTurn, own_turn
from bot.core.memory.facts import Fact
from bot.core.memory.own_conversations import OwnConversation
from bot.core.window.notes import is_note
from bot.core.window.summary.own import own_summary
from bot.ports import KeptOfChat, OwnTurns
from bot.testing.kept_presence import KeptPresence

STRETCH = 3


class KeptPersonal(KeptPresence):
    """Fills the port PersonalRecords from dicts."""

    async def private_chats_of(
        self, person_key: PersonKey, *, near: ChatAddress | None = None
    ) -> tuple[ChatAddress, ...]:
        """Give the private chats of a person, the one heard last first."""
        heard = sorted(
            (
                (session.heard_at, key)
                for key, session in self._sessions.items()
                if session.heard_at and session.kind == "private"
                if session.person_key == person_key
            ),
            reverse=True,
        )
        chats = dict.fromkeys(ChatAddress.from_session_key(key).whole_chat for _, key in heard)
        return tuple(
            chat
            for chat in chats
            if near is None or (chat.channel, chat.account) == (near.channel, near.account)
        )

    async def versions_for(self, viewer: Viewer) -> tuple[Fact, ...]:
        """Give all versions of the facts about a person."""
        own = (
            fact
            for fact in self.facts.values()
            if fact.person_key == viewer.person_key
            if may_recall(viewer, Origin(audience=fact.audience, said_by=fact.person_key))
        )
        return tuple(sorted(own, key=lambda fact: (fact.key, fact.valid_from, fact.id)))

    async def episodes_for(self, viewer: Viewer) -> tuple[Episode, ...]:
        """Give the records of the sessions of a person's private chat."""
        return tuple(
            episode
            for _, episode in sorted(self._episodes.items())
            if episode.audience == viewer.audience and viewer.audience.kind == "private"
        )

    async def conversations_for(self, viewer: Viewer) -> tuple[OwnConversation, ...]:
        """Give what stands for turns of a person's private chat."""
        own = (
            self._conversation(key)
            for key, session in sorted(self._sessions.items())
            if viewer.audience.kind == session.kind == "private"
            and audience_of(key, "private") == viewer.audience
        )
        return tuple(each for each in own if not each.is_empty)

    def _conversation(self, key: SessionKey) -> OwnConversation:
        session = self._sessions[key]
        cuts = [cut for cut in (session.cut, session.former) if cut is not None]
        summaries = (self._summaries.get(cut.summary_version) for cut in cuts)
        return OwnConversation(
            session_key=key,
            tasks=tuple(each for each in (session.task, session.former_task) if each is not None),
            summaries=tuple(
                dict.fromkeys(own_summary(each) for each in summaries if each is not None)
            ),
            digests=tuple(dict.fromkeys(cut.digest for cut in cuts if cut.digest)),
        )

    async def own_turns(self, viewer: Viewer, *, after: int) -> OwnTurns:
        """Give what a person said in a stretch of turns."""
        through = after + STRETCH
        own: list[OwnTurn] = []
        for turn_id, turn in sorted(self._turns_by_id.items()):
            kind = self._sessions[turn.session_key].kind
            origin = Origin(audience=audience_of(turn.session_key, kind), said_by=viewer.person_key)
            if not after < turn_id <= through or not may_recall(viewer, origin):
                continue
            mine = own_turn(turn, self.who_said.get(turn_id, ()), kind, viewer.person_key, is_note)
            if mine is not None:
                own.append(replace(mine, is_off_record=turn_id in self._off_record))
        newest = max(self._turns_by_id, default=0)
        return OwnTurns(turns=tuple(own), next_after=through if through < newest else None)

    async def kept_in(self, viewer: Viewer) -> KeptOfChat:
        """Count what is kept of an audience, but for what is off the record or was forgotten."""
        of = viewer.audience
        turns = [
            turn
            for turn in self._turns_by_id.values()
            if audience_of(turn.session_key, of.kind) == of
            and turn.id not in self._off_record
            and not is_blank(turn.request)
        ]
        entries = {entry.day for entry in self.entries.values() if entry.audience == of}
        sessions = [each for each in self._episodes.values() if each.audience == of]
        return KeptOfChat(turns=len(turns), sessions=len(sessions), days=len(entries))
