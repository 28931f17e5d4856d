"""Strangers and admins that many of whom do no harm."""

from bot.core.access import AccessPolicy
from bot.core.chat import PersonKey
from bot.runtime.access_gate import AccessGate
from bot.runtime.pairing import CODE_LASTS, FEW_TOLD, Pairings
from bot.runtime.telling import Telling
from tests.runtime.post import Post


async def test_many_strangers_are_not_kept_in_mind_for_ever(post: Post) -> None:
    gate = AccessGate(AccessPolicy(mode="pairing"), post.store, post.clock)
    telling = Telling({"loopback": post.channel}, gate, post.delivery, post.clock)
    pairings = Pairings(gate, post.store, telling, post.clock)
    for number in range(3 * FEW_TOLD):
        if number % FEW_TOLD == 0:
            await post.clock.advance(CODE_LASTS.total_seconds())
        assert pairings.is_to_be_told(PersonKey(f"loopback::{number}"))

    assert FEW_TOLD == len(pairings._told_s)
