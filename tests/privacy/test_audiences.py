"""What is private is shown to nobody else, whatever is asked, and to its own people it is."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest

from bot.testing.planted import PlaceKind, Planted, Seen, may_be_seen, words_in
from bot.testing.privacy_world import PrivacyWorld
from tests.privacy.asking import Asking
from tests.privacy.planting import Planting

pytestmark = pytest.mark.xdist_group("audiences")
"""One process has its answers."""
PATHS = {
    "a turn: request",
    "a turn where it was said: request",
    "memory_search: request",
    "memory_get: request",
    "tool_result_get: request",
    "forget: request",
    "remember: request",
    "an opening: request",
    "/memory",
    "/memory show",
    "/memory search",
    "/memory export",
    "/memory forget",
    "/memory remember",
    "/context detail",
    "/context json",
    "/in 7",
    "/failed",
    "/reminders",
    "reminders: request",
    "/new",
    "home",
    "operator's export",
}
"""Ways of asking by which people get to see something of what was planted."""

SILENT_PATHS = {"/usage", "/status", "/help", "/config", "/context", "/memory history"}
"""Ways that were walked too, and tell nothing in anybody's words."""


@dataclass(frozen=True, repr=False)  # asyncio would write it all out when the run has ended
class Found:
    """What became of a whole run.

    Attributes:
        pairs: Every piece with everything in which it was shown.
        log: What was logged.
    """

    planted: tuple[Planted, ...]
    seen: tuple[Seen, ...]
    pairs: tuple[tuple[Planted, Seen], ...]
    log: tuple[str, ...]


@pytest.fixture(scope="module")  # a thousand questions are asked once, for all tests
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return asyncio.run(run(tmp_path_factory.mktemp("privacy") / "data"))


async def run(folder: Path) -> Found:
    planting = Planting()
    async with PrivacyWorld(folder, planting.make_up) as world:
        await planting.plant_all(world)
        await Asking(world).ask_all()
        assert [] == world.model.refused
    planted, seen = tuple(planting.planted), tuple(world.seen)
    of_word = {each.word: each for each in planted}
    pairs = ((of_word[word], each) for each in seen for word in words_in(each.text))
    return Found(planted=planted, seen=seen, pairs=tuple(pairs), log=tuple(world.log))


def test_mem_9_nothing_is_shown_to_anybody_else(found: Found) -> None:
    leaks = Counter(
        (piece.kind, each.path, each.who)
        for piece, each in found.pairs
        if not may_be_seen(piece, each)
    )

    assert {} == dict(leaks)


@pytest.mark.parametrize("kind", get_args(PlaceKind))
def test_mem_9_what_is_planted_is_shown_where_it_was_said(found: Found, kind: PlaceKind) -> None:
    """Or else that it is shown nowhere would say nothing."""
    planted = {piece for piece in found.planted if piece.kind == kind}
    shown = {piece for piece, each in found.pairs if piece.audience == each.audience}

    assert planted
    assert set() == planted - shown


def test_mem_9_what_somebody_said_in_a_group_is_shown_to_them_in_private(found: Found) -> None:
    said = {piece for piece in found.planted if piece.said_by and not piece.owner}
    privately = {
        piece
        for piece, each in found.pairs
        if each.audience is not None and each.audience.kind == "private"
    }

    assert said
    assert set() == {piece for piece in said - privately if piece.kind != "former fact"}


def test_every_way_of_asking_shows_something_or_nothing_at_all(found: Found) -> None:
    walked = {each.path for each in found.seen}
    telling = {each.path for _, each in found.pairs}

    assert set() == (PATHS | SILENT_PATHS) - walked
    assert set() == PATHS - telling
    assert set() == SILENT_PATHS & telling


def test_what_the_operator_wrote_is_for_everybody(found: Found) -> None:
    (page,) = (piece for piece in found.planted if piece.kind == "knowledge")
    readers = {each.who for piece, each in found.pairs if piece == page}

    assert {piece.audience for piece in found.planted if piece.audience} <= {
        each.audience for piece, each in found.pairs if piece == page
    }
    assert len(readers) >= 9


def test_prv_4_the_log_has_nobodys_words(found: Found) -> None:
    told = [line[:80] for line in found.log if words_in(line)]

    assert len(found.log) > 1_000
    assert [] == told
