"""What the models of a vendor cost.

Money is whole nano-dollars, so that sums are exact: the cheapest token there is costs ten of them,
and a price per million tokens is a whole number of them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.core.llm import Usage

NANO = 1_000_000_000
"""Nano-dollars of a dollar."""

CACHE_READ_SHARE, CACHE_WRITE_SHARE = 0.1, 1.25
"""What the vendor's cache costs, as shares of the price of input, where nothing else is said: it is
written for five minutes. Source: Anthropic, Pricing, read 2026-11-30."""

_MILLION = 1_000_000
_END = re.compile(r"$|[@:/_\[]|[-.](?!\d{1,3}(?!\d))")
"""What may stand behind the beginning of a name: a date, a tag; a number more is another model."""

_BEFORE = re.compile(r"[/:]|\.(?=[a-z])")
"""What stands behind the name of a gateway, a vendor, a region: ``us.anthropic.claude-opus-5``."""

_RELEASE = re.compile(r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|v\d{1,2}(?::\d{1,2})?))*")
"""A date or a version, by which models of one name are told apart."""

_DECIMAL = re.compile(r"(?<=\d)\.(?=\d)")
_LATEST = "-latest"
_OF_THE_VENDOR = "claude-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens of each kind cost, in nano-dollars."""

    input: int
    output: int
    cache_read: int
    cache_write: int

    def of(self, usage: Usage) -> int:
        """Give what a call cost, rounded once to whole nano-dollars."""
        millionths = (
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + usage.cache_read_tokens * self.cache_read
            + usage.cache_write_tokens * self.cache_write
        )
        return (millionths + _MILLION // 2) // _MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """The prices of a model; ``long`` holds for all tokens of a call with a longer prompt."""

    price: Price
    long: Price | None = None
    long_above_tokens: int = 0

    def cost(self, usage: Usage) -> int:
        """Give what a call cost, in nano-dollars."""
        return self._price(usage.prompt_tokens).of(usage)

    def most(self, prompt_tokens: int, max_tokens: int) -> int:
        """Give the most that a call may cost: all of its prompt dear, its answer as long as may be.

        Whether the prompt is in the cache already, or is written there, nobody knows before.
        """
        price = self._price(prompt_tokens)
        is_dear = price.cache_write > price.input
        return price.of(
            Usage(
                input_tokens=0 if is_dear else prompt_tokens,
                cache_write_tokens=prompt_tokens if is_dear else 0,
                output_tokens=max_tokens,
            )
        )

    def _price(self, prompt_tokens: int) -> Price:
        is_long = self.long is not None and prompt_tokens > self.long_above_tokens
        return self.long if is_long and self.long is not None else self.price


def price_of(
    input_usd: float,
    output_usd: float,
    *,
    cache_read_usd: float | None = None,
    cache_write_usd: float | None = None,
) -> Price:
    """Make a price of dollars per million tokens; the cache's follow from that of input."""
    read = input_usd * CACHE_READ_SHARE if cache_read_usd is None else cache_read_usd
    write = input_usd * CACHE_WRITE_SHARE if cache_write_usd is None else cache_write_usd
    return Price(
        input=nano_usd(input_usd),
        output=nano_usd(output_usd),
        cache_read=nano_usd(read),
        cache_write=nano_usd(write),
    )


def nano_usd(dollars: float) -> int:
    """Give an amount of dollars in whole nano-dollars."""
    return round(dollars * NANO)


FREE = Tariff(price=Price(input=0, output=0, cache_read=0, cache_write=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Finds what a model costs.

    Attributes:
        tariffs: By the beginnings of names, each up to a mark that separates: ``claude-opus-4`` is
            that of ``claude-opus-4-20250514`` and neither of ``claude-opus-40`` nor of
            ``claude-opus-4-9``, which is another model. The longest counts. Gateways put their own
            word before a name, and write ``claude-opus-4.5``.
        own: The operator's, of the same kind: they go before all others, however short they are.
        all_free: Whoever answers does it on a machine of the operator's, or is no model at all;
            what is called as the vendor's models are is one of those all the same.
    """

    tariffs: dict[str, Tariff]
    own: dict[str, Tariff] = field(default_factory=dict)
    all_free: bool = False

    def of(self, *names: str) -> Tariff | None:
        """Give the tariff of the first of names that has one: who answered, then who was asked."""
        known = next((each for each in map(self._of, names) if each is not None), None)
        if known is None and self.all_free and not any(map(_is_of_the_vendor, names)):
            return FREE
        return known

    def at_most(self, *names: str) -> Tariff:
        """Give the tariff that counts towards caps: where none is known, the dearest there is."""
        known = self.of(*names)
        return self._dearest() if known is None else known

    def name_of(self, answered: str, asked: str) -> str:
        """Name who answered in sums, by one of few names, whatever a gateway makes up.

        The name of who answered where it has a price, or is that of who was asked, and nothing
        behind it but a date or a version; else that of who was asked.
        """
        known = {*self.own, *self.tariffs}
        known.update(name.removesuffix(_LATEST) for name in _tails(asked) if name)
        for name in _tails(answered):
            for each in known:
                if name.startswith(each) and _RELEASE.fullmatch(name, len(each)):
                    return name
        return asked or answered

    def _of(self, name: str) -> Tariff | None:
        for each in _tails(name):
            if (found := _find(each, self.own)) is not None:
                return found
        for each in _tails(name):
            if (found := _find(_DECIMAL.sub("-", each), self.tariffs)) is not None:
                return found
        return None

    def _dearest(self) -> Tariff:
        """Give the most that is asked for each kind of token by anybody."""
        all_prices = [
            price
            for tariff in (*self.own.values(), *self.tariffs.values())
            for price in (tariff.price, tariff.long)
            if price is not None
        ]
        return Tariff(
            price=Price(
                input=max((each.input for each in all_prices), default=0),
                output=max((each.output for each in all_prices), default=0),
                cache_read=max((each.cache_read for each in all_prices), default=0),
                cache_write=max((each.cache_write for each in all_prices), default=0),
            )
        )


def _tails(name: str) -> Iterator[str]:
    """Give a name as it is, then without what gateways put before it, piece by piece."""
    yield name
    for mark in _BEFORE.finditer(name):
        yield name[mark.end() :]


def _is_of_the_vendor(name: str) -> bool:
    return any(each.startswith(_OF_THE_VENDOR) for each in _tails(name))


def _find(name: str, tariffs: dict[str, Tariff]) -> Tariff | None:
    longest = max((each for each in tariffs if _begins(name, each)), key=len, default=None)
    return None if longest is None else tariffs[longest]


def _begins(name: str, beginning: str) -> bool:
    return name.startswith(beginning) and _END.match(name, len(beginning)) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A row of the list: what a model costs, by whose word, and when that was so."""

    model: str
    tariff: Tariff
    source: str
    as_of: str


_PAGE = "Anthropic, Pricing, platform.claude.com/docs/en/about-claude/pricing"
_OPUS_5_5 = "Anthropic, Claude Opus 5.5, platform.claude.com/docs/en/models/opus-5-5/overview"
_NEW = "Anthropic, Models overview, and claudit 1.9.2, which checked it against the pricing page"


def _listed(model: str, price: Price, source: str = _PAGE, as_of: str = "2026-11-30") -> Listed:
    return Listed(model=model, tariff=Tariff(price=price), source=source, as_of=as_of)


PRICE_LIST: tuple[Listed, ...] = (
    _listed("claude-fable-5-1", price_of(10, 50, cache_read_usd=0.25)),
    _listed("claude-mythos-5-1", price_of(10, 50, cache_read_usd=0.25)),
    _listed("claude-fable-5", price_of(10, 50)),
    _listed("claude-mythos-5", price_of(10, 50)),
    _listed("claude-opus-5-5", price_of(4, 20, cache_read_usd=0.20), _OPUS_5_5),
    _listed("claude-opus-5", price_of(5, 25)),
    _listed("claude-opus-4-8", price_of(5, 25)),
    _listed("claude-opus-4-7", price_of(5, 25)),
    _listed("claude-opus-4-6", price_of(5, 25)),
    _listed("claude-opus-4-5", price_of(5, 25)),
    _listed("claude-opus-4-1", price_of(15, 75)),
    _listed("claude-opus-4", price_of(15, 75)),
    _listed("claude-sonnet-5-5", price_of(2, 10, cache_read_usd=0.10), _NEW, "2026-10-24"),
    _listed("claude-sonnet-5", price_of(2, 10)),
    _listed("claude-sonnet-4-6", price_of(3, 15)),
    _listed("claude-sonnet-4-5", price_of(3, 15)),
    _listed("claude-sonnet-4", price_of(3, 15)),
    Listed(
        model="claude-haiku-5-5",
        tariff=Tariff(
            price=price_of(0.10, 0.50), long=price_of(0.50, 2.50), long_above_tokens=100_000
        ),
        source=_NEW,
        as_of="2026-10-24",
    ),
    _listed("claude-haiku-4-5", price_of(1, 5)),
    _listed("claude-3-5-haiku", price_of(0.80, 4)),
)
"""What the vendor asks for; who pays another price says so in the settings, under ``prices``."""
