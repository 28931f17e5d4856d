"""What people are shown beside the chat: the settings as a form, and a page about themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo

from bot.config.changes import CHANGEABLE, bounds_of, changeable, read_change
from bot.core.addresses import short_name
from bot.core.chat import ChatAddress, ChatKind, PersonKey, Sender
from bot.core.cost import span_of
from bot.core.memory.audience import Audience, audience_of, viewer_of
from bot.core.memory.daily import shown_lines
from bot.core.screens import HomePage, Row, Section, SettingField, Wish
from bot.errors import ConfigError, StoreError, StoreLost
from bot.languages import Language, gettext, gettext_noop, ngettext, speaking
from bot.ports import OF_GROUPS, ChatMemories, Clock, Facts, MemoryFiles, UsageLog
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands.context_pages import short
from bot.runtime.commands.memory_pages import NO_FACTS, Scene, TitleOf, plain_fact
from bot.runtime.commands.usage_pages import spent_words
from bot.runtime.live_settings import LiveSettings, Setting
from bot.runtime.runner import AgentRunner

REMEMBERED_DAYS = 7
"""How many of the last days a page shows what is remembered of."""

REMEMBERED_LINES = 20
"""The most that is shown of a day: its newest lines."""

SHOWN_FACTS = 10
"""The most that is shown of what is known of somebody: what was said last."""

USED_DAYS = 30

_UNREADABLE = gettext_noop("They cannot be read at this moment.")
_OFF = gettext_noop("Memory is off: nothing is added or recalled.")

NOT_LET_IN = gettext_noop("Nobody has let you in yet. Write to me, and I tell you how.")
NOT_TO_BE_LET_IN = gettext_noop(
    "Nobody has let you in. Ask an admin of the bot, to whom you are {person}."
)
"""Said to those whom a word to the bot brings no answer: guests, say, or who was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideTheChat:
    """Fills :class:`~bot.ports.Screens`.

    Attributes:
        files: None where nothing is remembered.
        title_of: Names groups.
    """

    gate: AccessGate
    live: LiveSettings
    runner: AgentRunner
    usage: UsageLog
    facts: Facts
    memories: ChatMemories
    files: MemoryFiles | None
    title_of: TitleOf
    clock: Clock
    zone: tzinfo

    def settings(
        self, address: ChatAddress, sender: Sender, kind: ChatKind
    ) -> tuple[SettingField, ...] | None:
        """Give the settings as they hold in a chat, to whoever may change them for all."""
        if self.gate.decide(sender, kind, address) != "admin":
            return None
        scope = str(address.session_key)
        with speaking(self.live.language(address, sender)):
            return tuple(_field(self.live, self.live.setting(key, scope)) for key in CHANGEABLE)

    def faults(self, values: Mapping[str, str]) -> dict[str, str]:
        """Say which values are none."""
        found = {}
        for key, text in values.items():
            try:
                changeable(key)
                if text.strip():
                    read_change(key, text)
            except ConfigError as error:
                found[key] = str(error).replace("`", "")
        return found

    async def home(self, address: ChatAddress, sender: Sender) -> HomePage:
        """Give a person's own page."""
        with speaking(self.live.language(address, sender)):
            return await self._home(address, sender)

    def language(self, address: ChatAddress, sender: Sender) -> Language:
        """Choose the language for what is shown to a person."""
        return self.live.language(address, sender)

    async def _home(self, address: ChatAddress, sender: Sender) -> HomePage:
        decision = self.gate.decide(sender, "private", address)
        if decision not in ("admin", "allowed"):
            line = gettext(NOT_LET_IN)
            if decision == "silent":
                line = gettext(NOT_TO_BE_LET_IN, person=short_name(sender))
            return HomePage(sections=(Section(title="Daybook", lines=(line,)),))
        return HomePage(
            sections=(
                await self._context(address),
                await self._used(sender.person_key),
                await self._known(address, sender.person_key),
                await self._remembered(address),
            ),
            may_configure=decision == "admin",
        )

    async def _context(self, address: ChatAddress) -> Section:
        view = await self.runner.steering_of(address.session_key).view()
        lines = [
            ngettext(
                "I see {count} turn of at most {most}, about {tokens} of {limit} tokens.",
                "I see {count} turns of at most {most}, about {tokens} of {limit} tokens.",
                view.turns,
                most=view.max_turns,
                tokens=short(view.report.total_tokens),
                limit=short(view.max_tokens),
            ),
            gettext("{model} answers.", model=view.model),
        ]
        if gone := view.turns_left:
            left = ngettext("{count} turn left my view.", "{count} turns left my view.", gone)
            lines.insert(1, left)
        wishes = []
        if view.turns > 1:
            wishes.append(Wish(label=gettext("Compact"), command="compact"))
        if view.turns:
            wishes.append(Wish(label=gettext("Clear"), command="context clear"))
        if view.can_undo:
            wishes.append(Wish(label=gettext("Undo"), command="context undo"))
        title = gettext("Our conversation")
        return Section(title=title, lines=tuple(lines), wishes=tuple(wishes))

    async def _used(self, person_key: PersonKey) -> Section:
        today = self.clock.now().astimezone(self.zone).date()
        day = span_of(today, self.zone)
        first, _ = span_of(today - timedelta(days=USED_DAYS - 1), self.zone)
        spans = (day, (first, day[1]))
        spent, of_late = await self.usage.spent_in(spans, person_key=person_key)
        lines = (
            gettext("Today: {spent}", spent=spent_words(spent)),
            gettext("{days} days: {spent}", days=USED_DAYS, spent=spent_words(of_late)),
        )
        return Section(title=gettext("What you used"), lines=lines)

    async def _known(self, address: ChatAddress, person_key: PersonKey) -> Section:
        """Show the newest facts about a person; each can be forgotten, all of it taken away."""
        viewer = viewer_of(address.session_key, "private", person_key)
        is_on = self.memories.is_remembered(address.session_key)
        title = gettext("What I remember about you")
        wishes = (
            Wish(label=gettext("Export"), command="memory export"),
            Wish(label=gettext("Switch memory off"), command="memory off")
            if is_on
            else Wish(label=gettext("Switch memory on"), command="memory on"),
        )
        try:
            facts = await self.facts.facts_for(viewer)
        except StoreLost:
            raise
        except StoreError:
            return Section(title=title, lines=(gettext(_UNREADABLE),), wishes=wishes)
        scene = Scene(
            viewer=viewer, now=self.clock.now().astimezone(self.zone), title_of=self.title_of
        )
        newest = sorted(facts, key=lambda fact: fact.confirmed_at, reverse=True)[:SHOWN_FACTS]
        rows = tuple(
            Row(
                text=plain_fact(scene, fact),
                wish=Wish(label=gettext("Forget"), command=f"memory forget f{fact.id}"),
            )
            for fact in newest
        )
        lines = [] if is_on else [gettext(_OFF)]
        if not rows:
            lines.append(gettext(NO_FACTS))
        if more := len(facts) - len(rows):
            lines.append(
                gettext(
                    "The newest {count}; /memory shows {more} more.", count=len(rows), more=more
                )
            )
        return Section(title=title, lines=tuple(lines), rows=rows, wishes=wishes)

    async def _remembered(self, address: ChatAddress) -> Section:
        """Show what the daily files of the private chat have: nobody else's words are in them."""
        audience = audience_of(address.session_key, "private")
        today = self.clock.now().astimezone(self.zone).date()
        lines: list[str] = []
        for ago in range(REMEMBERED_DAYS):
            day = today - timedelta(days=ago)
            if of_day := await self._of_day(audience, day):
                lines += (day.isoformat(), *of_day[-REMEMBERED_LINES:])
        empty = gettext("Nothing of the last {days} days.", days=REMEMBERED_DAYS)
        title = gettext("What I remember of our talks")
        return Section(title=title, lines=tuple(lines) or (empty,))

    async def _of_day(self, audience: Audience, day: date) -> tuple[str, ...]:
        if self.files is None:
            return ()
        try:
            return shown_lines(await self.files.read_day(audience, day))
        except StoreError:
            return (gettext("(the file of this day cannot be read)"),)


def _field(live: LiveSettings, setting: Setting) -> SettingField:
    key = setting.key
    described, bounds = changeable(key), bounds_of(key)
    operator = live.operator_value(key)
    return SettingField(
        key=key,
        description=described.description,
        kind=bounds.kind,
        value="" if setting.value is None else str(setting.value),
        source=_source(setting, described.default),
        left_empty=described.unset if operator is None else str(operator),
        least=bounds.least,
        most=bounds.most,
        choices=bounds.choices,
        is_of_groups=key in OF_GROUPS,
    )


def _source(setting: Setting, default: object) -> str:
    if setting.source == "here":
        return gettext("set for this chat")
    if setting.source == "everywhere":
        return gettext("set for all chats")
    return gettext("the default") if setting.value == default else gettext("the operator's")
