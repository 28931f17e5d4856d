"""What people are shown beside the chat: the settings as a form, and a page about themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo

from bot.config.changes import CHANGEABLE, bounds_of, changeable, read_change
from bot.core.chat import ChatAddress, ChatKind, PersonKey, Sender
from bot.core.llm import Usage
from bot.core.memory.audience import Audience, audience_of
from bot.core.memory.daily import shown_lines
from bot.core.screens import HomePage, Section, SettingField, Wish
from bot.errors import ConfigError, StoreError
from bot.ports import OF_GROUPS, Clock, MemoryFiles, UsageLog
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands.context_pages import counted, short
from bot.runtime.live_settings import LiveSettings, Setting
from bot.runtime.runner import AgentRunner

REMEMBERED_DAYS = 7
"""How many of the last days a page shows what is remembered of."""

REMEMBERED_LINES = 20
"""The most that is shown of a day: its newest lines."""

USED_DAYS = 30

NOT_LET_IN = "Nobody has let you in yet. Write to me, and I tell you how."


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideTheChat:
    """Fills :class:`~bot.ports.Screens`; ``files`` is None where nothing is remembered."""

    gate: AccessGate
    live: LiveSettings
    runner: AgentRunner
    usage: UsageLog
    files: MemoryFiles | None
    clock: Clock
    zone: tzinfo

    def settings(
        self, address: ChatAddress, sender: Sender, kind: ChatKind
    ) -> tuple[SettingField, ...] | None:
        """Give the settings as they hold in a chat, to whoever may change them for all."""
        if self.gate.decide(sender, kind, address) != "admin":
            return None
        scope = str(address.session_key)
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
        decision = self.gate.decide(sender, "private", address)
        if decision not in ("admin", "allowed"):
            return HomePage(sections=(Section(title="Daybook", lines=(NOT_LET_IN,)),))
        return HomePage(
            sections=(
                await self._context(address),
                await self._used(sender.person_key),
                await self._remembered(address),
            ),
            may_configure=decision == "admin",
        )

    async def _context(self, address: ChatAddress) -> Section:
        view = await self.runner.steering_of(address.session_key).view()
        lines = [
            f"I see {counted(view.turns)} of at most {view.max_turns}, about "
            f"{short(view.report.total_tokens)} of {short(view.max_tokens)} tokens.",
            f"{counted(view.turns_left)} left my view.",
            f"{view.model} answers.",
        ]
        wishes = []
        if view.turns > 1:
            wishes.append(Wish(label="Compact", command="compact"))
        if view.turns:
            wishes.append(Wish(label="Clear", command="context clear"))
        if view.can_undo:
            wishes.append(Wish(label="Undo", command="context undo"))
        return Section(title="Our conversation", lines=tuple(lines), wishes=tuple(wishes))

    async def _used(self, person_key: PersonKey) -> Section:
        now = self.clock.now()
        midnight = now.astimezone(self.zone).replace(hour=0, minute=0, second=0, microsecond=0)
        today = await self.usage.used_by(person_key, since=midnight)
        of_late = await self.usage.used_by(person_key, since=now - timedelta(days=USED_DAYS))
        lines = (f"Today: {_tokens(today)}", f"{USED_DAYS} days: {_tokens(of_late)}")
        return Section(title="What you used", lines=lines)

    async def _remembered(self, address: ChatAddress) -> Section:
        """Show what the daily files of the private chat have: nobody else's words are in them."""
        audience = audience_of(address.session_key, "private")
        today = self.clock.now().astimezone(self.zone).date()
        lines: list[str] = []
        for ago in range(REMEMBERED_DAYS):
            day = today - timedelta(days=ago)
            if of_day := await self._of_day(audience, day):
                lines += (day.isoformat(), *of_day[-REMEMBERED_LINES:])
        empty = f"Nothing of the last {REMEMBERED_DAYS} days."
        return Section(title="What I remember of our talks", lines=tuple(lines) or (empty,))

    async def _of_day(self, audience: Audience, day: date) -> tuple[str, ...]:
        if self.files is None:
            return ()
        try:
            return shown_lines(await self.files.read_day(audience, day))
        except StoreError:
            return ("(the file of this day cannot be read)",)


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
        return "set for this chat"
    if setting.source == "everywhere":
        return "set for all chats"
    return "the default" if setting.value == default else "the operator's"


def _tokens(used: Usage) -> str:
    counts = (used.prompt_tokens, used.output_tokens)
    read, written = (f"{count:,}".replace(",", " ") for count in counts)
    return f"{read} tokens read, {written} written"
