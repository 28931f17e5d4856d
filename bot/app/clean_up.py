"""The clean-up of silent chats when an operator asks for it, with or without a running bot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo

from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.adapters.store.switching import DATABASE, has_data
from bot.config import Config
from bot.config.changes import operator_values
from bot.core.schedule import silent_before
from bot.errors import BotError
from bot.ports import Clock
from bot.runtime.housekeeping import CleanUp, CleanUpParts, clean_up, plan_clean_up
from bot.runtime.live_settings import LiveSettings
from bot.runtime.nouns import how_many

Answer = Mapping[str, object]
"""What a clean-up says, in JSON: ``chats`` with ``chat``, ``turns`` and ``heard_at``, an ISO moment
or None; ``max_age_days``; ``held_back``, how many chats as silent stay for now; ``early``, how many
of those that go the clean-up of the night leaves, until ``early_until``, an ISO moment or None.
"""

_OTHER_VERSION = "the bot that was asked is of another version"


async def answer_clean_up(parts: CleanUpParts, *, is_dry_run: bool) -> Answer:
    """Clean up by the calendar, or only look, and say what went or would go.

    Raises:
        StoreError: It could not be done to its end.
    """
    return _answer(await (plan_clean_up if is_dry_run else clean_up)(parts, by_calendar=True))


async def clean_up_alone(config: Config, clock: Clock, *, is_dry_run: bool) -> Answer:
    """Clean up the data of a bot that does not run, under the lock that keeps it from starting.

    Raises:
        DataFolderBusy: It does run.
        DataError: The data cannot be used.
    """
    if not has_data(config.data_dir):
        before = silent_before(clock.now(), config.conversation_max_age_days)
        nothing = CleanUp(max_age_days=config.conversation_max_age_days, before=before, chats=())
        return _answer(nothing)
    with lock_data_folder(config.data_dir):
        store = SqliteStore.open(config.data_dir / DATABASE)
        try:
            settings = LiveSettings(operator_values(config), store, clock)
            await settings.load()
            parts = CleanUpParts(
                sessions=store,
                clock=clock,
                stretches=store.stretches,
                max_age_days=lambda: settings.number("conversation_max_age_days"),
                forget=settings.forget,
            )
            return await answer_clean_up(parts, is_dry_run=is_dry_run)
        finally:
            await store.close()


def word_clean_up(answer: Answer, zone: tzinfo, *, is_dry_run: bool) -> tuple[str, ...]:
    """Word what a clean-up said: a line a chat, then all of it together."""
    match answer:
        case {
            "max_age_days": int(days),
            "chats": list(rows),
            "held_back": int(held_back),
            "early": int(early),
            "early_until": str() | None as early_until,
        }:
            chats = tuple(_read(rows))
        case _:
            raise BotError(_OTHER_VERSION)
    waiting = _word_held_back(held_back, is_more=bool(chats))
    if not chats:
        whose = "other chat" if held_back else "chat"
        nothing = f"Nothing to remove: no {whose} has been silent for {how_many(days, 'day')}."
        return (nothing, *waiting)
    width = max(len(name) for name, _, _ in chats)
    names = (
        f"{name:<{width}}  {how_many(turns, 'turn')}, silent since {_when(heard_at, zone)}"
        for name, turns, heard_at in chats
    )
    verb = "would be removed" if is_dry_run else "removed; their memory files are kept"
    turns = sum(turns for _, turns, _ in chats)
    by_night = _word_early(early, early_until, zone, is_dry_run=is_dry_run)
    total = f"{how_many(len(chats), 'chat')} with {how_many(turns, 'turn')}"
    gone = f"{total}, silent for {how_many(days, 'day')}: {verb}."
    return (*names, gone, *by_night, *waiting)


def _word_held_back(count: int, *, is_more: bool) -> tuple[str, ...]:
    if not count:
        return ()
    chats = "chat as silent stays" if count == 1 else "chats as silent stay"
    more = "more " if is_more else ""
    return (
        f"{count} {more}{chats} for now: the daily files do not have all that was said there or "
        "something is still to be delivered, which a running bot sees to, or a reminder is to "
        "come.",
    )


def _word_early(
    count: int, until: str | None, zone: tzinfo, *, is_dry_run: bool
) -> tuple[str, ...]:
    if not count or until is None:
        return ()
    day = datetime.fromisoformat(until).astimezone(zone).date()
    keeps = "would keep" if is_dry_run else "would have kept"
    return (
        f"Of these the nightly clean-up {keeps} {count} until {day} at the latest, since the bot "
        "was away for a part of their silence.",
    )


def _read(rows: list[object]) -> Iterator[tuple[str, int, datetime | None]]:
    for row in rows:
        match row:
            case {"chat": str(name), "turns": int(turns), "heard_at": str() | None as heard_at}:
                yield name, turns, None if heard_at is None else datetime.fromisoformat(heard_at)
            case _:
                raise BotError(_OTHER_VERSION)


def _when(moment: datetime | None, zone: tzinfo) -> str:
    return "ever" if moment is None else f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def _answer(done: CleanUp) -> Answer:
    return {
        "max_age_days": done.max_age_days,
        "held_back": done.held_back,
        "early": done.early,
        "early_until": None if done.early_until is None else done.early_until.isoformat(),
        "chats": [
            {
                "chat": chat.session_key,
                "turns": chat.turns,
                "heard_at": chat.heard_at.isoformat() if chat.heard_at is not None else None,
            }
            for chat in done.chats
        ],
    }
