"""How much may be spent in a day, and what was.

The law of this file: a call that is not over counts with the most that it may take, so that what
is asked side by side never goes over a cap together. A price that nobody knows is None, never
nothing: a sum says how many calls it is without, and towards a cap they count at the dearest price.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Literal

from bot.core.addresses import SessionKey
from bot.core.llm import Payer, Usage
from bot.core.prices import NANO, Prices, Tariff

WARNED_AT = 0.8
"""From this share of a cap on people are told how little is left; and that is left to them: nothing
is summarised or remembered at their expense any more until the next day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """So many tokens, of all kinds together, and so much money."""

    tokens: int = 0
    nano_usd: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(tokens=self.tokens + other.tokens, nano_usd=self.nano_usd + other.nano_usd)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(tokens=self.tokens - other.tokens, nano_usd=self.nano_usd - other.nano_usd)


def amount_of(usage: Usage, nano_usd: int) -> Amount:
    """Give what a call takes of a cap."""
    return Amount(tokens=usage.prompt_tokens + usage.output_tokens, nano_usd=nano_usd)


def at_least(reported: Usage, prompt_tokens: int, written_tokens: int) -> Usage:
    """Give what an answer took that broke off, by local count where less of it was reported.

    Vendors report the prompt as an answer begins, and what was written as it ends.
    """
    given = reported.input_tokens if reported.prompt_tokens else prompt_tokens
    written = max(reported.output_tokens, written_tokens)
    return replace(reported, input_tokens=given, output_tokens=written)


def reservation(tariff: Tariff, prompt_tokens: int, max_tokens: int) -> Amount:
    """Give the most that a call may take, to be held until it is known what it took."""
    most = tariff.most(prompt_tokens, max_tokens)
    return Amount(tokens=prompt_tokens + max_tokens, nano_usd=most)


Unit = Literal["usd", "tokens"]
"""What a cap counts, by the end of its key in the settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """The most of a day; None for no limit."""

    tokens: int | None = None
    nano_usd: int | None = None

    def stops(self, used: Amount, call: Amount) -> bool:
        """Say whether nothing is left that a call would take of.

        A call may go over it, by what is held of it at most: else what is left of a cap that is
        smaller than the longest answer could never be used. What costs nothing needs no money.
        """
        lacks_tokens = self.tokens is not None and used.tokens >= self.tokens
        lacks_money = self.nano_usd is not None and used.nano_usd >= self.nano_usd
        return lacks_tokens or (lacks_money and call.nano_usd > 0)

    def part(self, share: float) -> Cap:
        """Give a smaller cap: that share of this one."""
        return Cap(
            tokens=None if self.tokens is None else int(self.tokens * share),
            nano_usd=None if self.nano_usd is None else int(self.nano_usd * share),
        )

    def share(self, used: Amount) -> float:
        """Say how much of it is used, 1 for all; a cap of nothing is not begun before it is."""
        return max(self._share_of_money(used), self._share_of_tokens(used))

    def nearest(self, used: Amount) -> Unit:
        """Say of what most is used: what has to be raised where little is left."""
        return "tokens" if self._share_of_tokens(used) > self._share_of_money(used) else "usd"

    def _share_of_money(self, used: Amount) -> float:
        return used.nano_usd / self.nano_usd if self.nano_usd else 0.0

    def _share_of_tokens(self, used: Amount) -> float:
        return used.tokens / self.tokens if self.tokens else 0.0


Scope = Literal["person", "chat", "bot"]
"""Whose cap: of one person in all chats, of one chat with all its threads, of all together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """The caps of a day."""

    person: Cap = field(default_factory=Cap)
    chat: Cap = field(default_factory=Cap)
    bot: Cap = field(default_factory=Cap)

    def of(self, scope: Scope) -> Cap:
        """Give one of them."""
        caps: dict[Scope, Cap] = {"person": self.person, "chat": self.chat, "bot": self.bot}
        return caps[scope]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a cap stands: what of it was used today."""

    scope: Scope
    cap: Cap
    used: Amount

    @property
    def is_used_up(self) -> bool:
        """Whether it stops what costs anything because so much was used: not for it being 0."""
        return self.used != Amount() and self.cap.stops(self.used, self.used)


Place = tuple[Scope, str]
"""A scope and whose it is: a person's key, that of a chat as a whole, or nothing."""


def places_of(payer: Payer) -> tuple[Place, ...]:
    """Say what a call counts towards, the narrowest first: that is told to whom it stops."""
    return (
        ("person", payer.person_key),
        ("chat", chat_of(payer.session_key)),
        ("bot", ""),
    )


def chat_of(session_key: SessionKey) -> SessionKey:
    """Give the key of a chat with all its threads."""
    return SessionKey(session_key[: session_key.rindex(":") + 1])  # no part has a colon in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What calls of a model took.

    Attributes:
        nano_usd: The money, of calls whose price is known.
        unpriced: How many others there are.
    """

    usage: Usage = field(default_factory=Usage)
    nano_usd: int = 0
    calls: int = 0
    unpriced: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            usage=self.usage + other.usage,
            nano_usd=self.nano_usd + other.nano_usd,
            calls=self.calls + other.calls,
            unpriced=self.unpriced + other.unpriced,
        )

    @property
    def amount(self) -> Amount:
        """What it takes of a cap."""
        return amount_of(self.usage, self.nano_usd)

    @property
    def cache_rate(self) -> float | None:
        """Which share of all prompts came from the vendor's cache; None where there were none."""
        prompt = self.usage.prompt_tokens
        return self.usage.cache_read_tokens / prompt if prompt else None


Axis = Literal["chat", "person", "model", "purpose"]
"""What calls are told apart by; each call counts once on every axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentLine:
    """What one chat, person, model or purpose took.

    Attributes:
        name: Of a chat the session key, each thread for itself; of a person the key, empty for
            nobody.
    """

    axis: Axis
    name: str
    spent: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpricedLine:
    """What calls took together whose price nobody knew when they were made.

    Attributes:
        model: The name of who answered.
        asked: The name that was asked for; empty for the same.
    """

    payer: Payer
    model: str
    asked: str
    usage: Usage


def used_by_place(
    lines: Iterable[SpentLine], unpriced: Iterable[UnpricedLine], prices: Prices
) -> defaultdict[Place, Amount]:
    """Add up what counts towards each cap, as :func:`places_of` says of a single call.

    What has no price counts with the most that ``prices`` say it may have cost; ``unpriced`` is
    that part of ``lines``.
    """
    used: defaultdict[Place, Amount] = defaultdict(Amount)
    for line in lines:
        amount = line.spent.amount
        if line.axis == "chat":
            used["chat", chat_of(SessionKey(line.name))] += amount
            used["bot", ""] += amount
        elif line.axis == "person":
            used["person", line.name] += amount
    for each in unpriced:
        money = Amount(nano_usd=prices.at_most(each.model, each.asked).cost(each.usage))
        for place in places_of(each.payer):
            used[place] += money
    return used


def total(spent: Iterable[Spent]) -> Spent:
    """Add up."""
    whole = Spent()
    for each in spent:
        whole += each
    return whole


Span = tuple[datetime, datetime]
"""From a moment on, up to another and without that."""


def span_of(day: date, zone: tzinfo) -> Span:
    """Give a day of the calendar, from midnight to midnight there: 23 to 25 hours."""
    begin = datetime.combine(day, time(), zone)
    return begin, datetime.combine(day + timedelta(days=1), time(), zone)


def days_through(last: date, count: int) -> tuple[date, ...]:
    """Give so many days, the last one included, oldest first."""
    return tuple(last - timedelta(days=ago) for ago in range(count - 1, -1, -1))


def dollars(amount: int) -> str:
    """Write nano-dollars to the tenth of a cent: ``$1.234``."""
    tenths = (amount + NANO // 2_000) // (NANO // 1_000)
    return f"${tenths // 1_000:,}.{tenths % 1_000:03d}"
