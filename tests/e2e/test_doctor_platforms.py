"""Every finding about a platform is made by the whole of ``doctor``, too.

What each says, and when, its channel's own tests tell.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bot.core.findings import Grade
from bot.testing.slack_server import PretendedSlack
from bot.testing.telegram_server import PretendedTelegram
from channels.slack.manifest import SCOPES
from channels.telegram import examine as telegram_examining
from tests.e2e.doctoring import Machine
from tests.repo.findings import ids_in_code

Seen = tuple[str, Grade]


async def on_telegram(machine: Machine, **given: object) -> set[Seen]:
    """Give what the whole doctor finds of a bot in a group that it is not in."""
    async with PretendedTelegram() as telegram:
        telegram.bot["can_join_groups"] = False
        keys = {"token": telegram.token, "base_url": telegram.base_url, **given}
        return await seen_of(machine, "telegram", keys)


async def on_slack(machine: Machine, *, scopes: bool = True, **given: object) -> set[Seen]:
    async with PretendedSlack() as slack:
        slack.scopes = tuple(SCOPES) if scopes else ("chat:write",)
        return await seen_of(machine, "slack", {**slack.settings, **given})


async def seen_of(machine: Machine, channel: str, keys: dict[str, object]) -> set[Seen]:
    machine.keys |= {"channels": {channel: keys}}
    return {(each.id, each.grade) for each in await machine.see() if each.area == channel}


async def polling(machine: Machine) -> set[Seen]:
    return await on_telegram(machine, groups=[-4002])


async def by_webhook(machine: Machine) -> set[Seen]:
    return await on_telegram(
        machine, mode="webhook", webhook_url="https://bot.example/hook", webhook_secret="w" * 32
    )


async def unreachable(machine: Machine) -> set[Seen]:
    return await on_telegram(machine, base_url="http://127.0.0.1:9")


async def by_socket(machine: Machine) -> set[Seen]:
    return await on_slack(machine, channels=["C2GONE"])


async def by_http(machine: Machine) -> set[Seen]:
    return await on_slack(machine, mode="http", signing_secret="s" * 32, scopes=False)


PROVOKED: tuple[tuple[Callable[[Machine], Awaitable[set[Seen]]], set[Seen]], ...] = (
    (polling, {
        ("telegram.token", "ok"),
        ("telegram.clock", "ok"),
        ("telegram.joining", "warning"),
        ("telegram.privacy", "warning"),
        ("telegram.groups", "warning"),
        ("telegram.polling", "ok"),
        ("telegram.menu", "warning"),
    }),
    (by_webhook, {("telegram.webhook", "warning")}),
    (unreachable, {("telegram.reach", "broken")}),
    (by_socket, {
        ("slack.bot_token", "ok"),
        ("slack.scopes", "ok"),
        ("slack.events", "ok"),
        ("slack.clock", "ok"),
        ("slack.app_token", "ok"),
        ("slack.channels", "warning"),
    }),
    (by_http, {
        ("slack.signing_secret", "broken"),
        ("slack.requests", "ok"),
        ("slack.scopes", "broken"),
    }),
)  # fmt: skip


@pytest.mark.parametrize(
    ("provoke", "expected"), PROVOKED, ids=[provoke.__name__ for provoke, _ in PROVOKED]
)
async def test_it_is_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    provoke: Callable[[Machine], Awaitable[set[Seen]]],
    expected: set[Seen],
) -> None:
    monkeypatch.setattr(telegram_examining, "WATCH_S", 0)

    assert expected <= await provoke(Machine(tmp_path))


def test_each_finding_is_provoked() -> None:
    made = {each for each in ids_in_code() if each.partition(".")[0] in ("telegram", "slack")}

    assert made == {id_ for _, expected in PROVOKED for id_, _ in expected}
