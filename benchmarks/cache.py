"""How much of a chat's requests a vendor reads from its cache, and what compaction costs there.

    python3 benchmarks/cache.py

A chat of fifty turns with tools, compactions included, each request laid against what the requests
before it left in the cache: a prefix that ends at a mark can be read by a later request that begins
with it. Prices are relative to a token that is not cached: written 1.25, read 0.1.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bot.core.llm import ModelRequest
from bot.core.tokens import weigh_message, weigh_request
from bot.testing.chat_run import LIMITS, ChatRun, RuleOfThumb

TURNS = 50
WRITTEN, READ = 1.25, 0.1
WORDS = "the invoice of last Tuesday was paid and the meeting is on Thursday at ten in the morning "
COUNT = RuleOfThumb().count


@dataclass(slots=True)
class Cache:
    """What a vendor keeps, and what requests took from it, in tokens."""

    prefixes: set[int] = field(default_factory=set)
    total: int = 0
    read: int = 0
    written: int = 0

    def ask(self, request: ModelRequest) -> None:
        """Lay a request against what is kept, then keep what it marks."""
        marks = {(mark.message, mark.block) for mark in request.cache_marks}
        size = weigh_request(request.system, request.tools, (), COUNT)
        prefix = hash((request.system, request.tools))
        places = [(prefix, size)]
        for number, message in enumerate(request.messages):
            for place, block in enumerate(message.blocks):
                prefix = hash((prefix, message.role, block))
                size += weigh_message(replace(message, blocks=(block,)), COUNT)
                if (number, place) in marks:
                    places.append((prefix, size))
        found = max((at for known, at in places if known in self.prefixes), default=0)
        self.total += size
        self.read += found
        self.written += places[-1][1] - found
        self.prefixes.update(known for known, _ in places)

    @property
    def price(self) -> float:
        """Give the price of everything, in tokens that are not cached."""
        fresh = self.total - self.read - self.written
        return fresh + WRITTEN * self.written + READ * self.read


class Watched(ChatRun):
    """A chat whose requests are laid against a cache."""

    cache: Cache

    def watch(self, cache: Cache) -> Watched:
        """Report each request's size, having asked the cache."""
        self.cache = cache

        def measure(request: ModelRequest) -> int:
            cache.ask(request)
            return weigh_request(request.system, request.tools, request.messages, COUNT)

        self.measure = measure
        return self


async def chat(max_turns: int, rounds: int, *, has_digest_only: bool) -> Cache:
    """Have a chat; a summary that lands changes the beginning once more."""
    run = Watched(instructions=WORDS * 40).watch(Cache())
    run.limits = replace(LIMITS, max_turns=max_turns)
    for number in range(TURNS):
        left = run.left
        text = f"{number}: {WORDS}"
        await run.turn(
            text, WORDS * 4, rounds=[(f"{number} {each} " + WORDS * 20,) for each in range(rounds)]
        )
        if run.left > left and not has_digest_only:
            # A landed summary stands where the digest stood: another beginning, about as long.
            kept = await run.store.load(run.key)
            landed = replace(kept.cut, digest=f"[Summary {number}] {WORDS * 8}")
            await run.store.save_cut(
                run.key, landed, generation=kept.generation, at=run.clock.now()
            )
            run.manager.forget()
    return run.cache


async def main() -> None:
    """Print the share read from the cache, and the price against no cache at all."""
    print("| turns kept | tool rounds a turn | compaction | read | price |\n|---|---|---|---|---|")
    for max_turns, rounds in ((20, 0), (20, 2), (20, 4), (200, 2)):
        for has_digest_only in (False, True):
            cache = await chat(max_turns, rounds, has_digest_only=has_digest_only)
            kind = "digest alone" if has_digest_only else "digest, then summary"
            share, price = cache.read / cache.total, cache.price / cache.total
            print(f"| {max_turns} | {rounds} | {kind} | {share:.1%} | {price:.2f} |")


if __name__ == "__main__":
    asyncio.run(main())
