"""What people and channels are called, and who is a guest: asked of Slack, and kept in mind."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import MappingProxyType

from bot.api import ChannelError, Clock, DeliveryError
from channels.slack.settings import CHANNEL

logger = logging.getLogger(__name__)

KEPT_S = 24 * 3600.0
"""How long an entry is believed; people rename themselves seldom."""

REFUSED_KEPT_S = 600.0
"""How long Slack is not asked again for what it does not tell."""

PAUSE_S = 5.0
"""How long nothing is asked after a failure, unless Slack asks for more."""

LEARN_WITHIN_S = 1.5
"""How long a message waits for the names in it: half of what Slack gives for acknowledging it."""

ASKED_AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What Slack says of a person or a channel.

    Attributes:
        timezone: A person's, by its IANA name; empty where Slack tells none.
        language: That of a person's app, a BCP 47 tag; likewise.
    """

    name: str
    is_guest: bool = False
    timezone: str = ""
    language: str = ""


def is_of_workspace(user: Mapping[str, object], team_id: str) -> bool:
    """Say whether somebody, as Slack describes them, belongs to a workspace.

    In an Enterprise organization people may belong to several. Of whom Slack names no workspace,
    none is known.
    """
    enterprise = user.get("enterprise_user")
    teams = enterprise.get("teams") if isinstance(enterprise, Mapping) else None
    return user.get("team_id") == team_id or (isinstance(teams, list) and team_id in teams)


LookUp = Callable[[str], Awaitable[Entry]]


class NameBook:
    """Entries by id.

    A message waits for the names in it, but not for long: without one it has the bare id. Of a
    person of whom Slack refuses to tell anything, nothing is known that would let them in.
    """

    def __init__(self, look_up: LookUp, clock: Clock) -> None:
        self._look_up = look_up
        self._clock = clock
        self._names: dict[str, str] = {}
        self._zones: dict[str, str] = {}
        self._languages: dict[str, str] = {}
        self._guests: set[str] = set()
        self._good_until_s: dict[str, float] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(ASKED_AT_ONCE)
        self._paused_until_s = -math.inf

    @property
    def names(self) -> Mapping[str, str]:
        """The names known at this moment; grows by itself."""
        return MappingProxyType(self._names)

    @property
    def zones(self) -> Mapping[str, str]:
        """The time zones of people that are known at this moment; grows by itself."""
        return MappingProxyType(self._zones)

    @property
    def languages(self) -> Mapping[str, str]:
        """The languages of people that are known at this moment; grows by itself."""
        return MappingProxyType(self._languages)

    @property
    def guests(self) -> AbstractSet[str]:
        """Who is known to be a guest; grows by itself."""
        return self._guests

    @property
    def known(self) -> AbstractSet[str]:
        """Of whom Slack has answered, now or some time ago; grows by itself."""
        return self._good_until_s.keys()

    def is_known(self, who: str) -> bool:
        """Say whether Slack was asked about somebody, now or some time ago, and has answered."""
        return who in self._good_until_s

    async def learn(self, ids: Iterable[str], background: asyncio.TaskGroup) -> None:
        """Look up what is unknown or old; what is only old is not waited for."""
        now_s = self._clock.monotonic()
        asking: list[asyncio.Task[None]] = []
        for each in ids:
            if self._good_until_s.get(each, now_s) > now_s or now_s < self._paused_until_s:
                continue
            task = self._asking.get(each)
            if task is None:
                task = self._asking[each] = background.create_task(self._learn(each))
            if not self.is_known(each):
                asking.append(task)
        if asking:
            await asyncio.wait(asking, timeout=LEARN_WITHIN_S)

    async def _learn(self, who: str) -> None:
        try:
            async with self._slots:
                entry = await self._look_up(who)
        except DeliveryError as error:
            self._note_failure(who, error)
        except ChannelError as error:
            self._note_failure(who, DeliveryError(str(error)))
        else:
            self._note(who, entry, KEPT_S)
        finally:
            del self._asking[who]

    def _note_failure(self, who: str, error: DeliveryError) -> None:
        about = {"channel": CHANNEL, "id": who, "why": str(error)}
        if not error.can_retry:
            logger.warning("name.refused", extra=about)
            self._note(who, Entry(name=self._names.get(who, who), is_guest=True), REFUSED_KEPT_S)
            return
        logger.debug("name.unknown", extra=about)
        pause_s = max(PAUSE_S, error.retry_after_s or 0.0)
        self._paused_until_s = max(self._paused_until_s, self._clock.monotonic() + pause_s)

    def _note(self, who: str, entry: Entry, kept_s: float) -> None:
        self._names[who] = entry.name
        if entry.timezone:
            self._zones[who] = entry.timezone
        if entry.language:
            self._languages[who] = entry.language
        (self._guests.add if entry.is_guest else self._guests.discard)(who)
        self._good_until_s[who] = self._clock.monotonic() + kept_s
