"""The list of commands at the ``/`` and the roles of groups, on the pretended Telegram."""

from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from bot.api import Channel, ChatAddress, DeliveryError, MenuEntry, Sender
from bot.testing.channels import WatchedClock
from bot.testing.telegram_server import PretendedTelegram
from channels.telegram import Settings, build
from channels.telegram.roles import KEPT_S

ADA = ChatAddress(channel="telegram", account="77000077", chat="1001")
BEA = ChatAddress(channel="telegram", account="77000077", chat="1002")
GROUP = ChatAddress(channel="telegram", account="77000077", chat="-100200", thread="11")
ENTRIES = (
    MenuEntry(name="help", description="Show this list."),
    MenuEntry(name="new", description="Begin anew.", reader="owners_of_chat"),
    MenuEntry(name="config", description="Settings.", reader="chat_admins"),
    MenuEntry(name="pair", description="x" * 300, reader="admins"),
    MenuEntry(name="odd-name", description="Of a plugin."),
)


def person(user_id: str, *, is_person: bool = True) -> Sender:
    return Sender(channel="telegram", user_id=user_id, name="Ann", is_person=is_person)


@pytest.fixture
async def telegram() -> AsyncIterator[PretendedTelegram]:
    async with PretendedTelegram() as server:
        server.state.chat(1001, "private")
        server.state.chat(-100200, "supergroup")
        yield server


@pytest.fixture
async def channel(telegram: PretendedTelegram, clock: WatchedClock) -> AsyncIterator[Channel]:
    made = build(Settings(token=SecretStr(telegram.token), base_url=telegram.base_url), clock)
    yield made
    await made.close()


def lists(telegram: PretendedTelegram) -> dict[tuple[str, str], dict[str, str]]:
    """Give what was set, by scope and language: the commands with their descriptions."""
    found = {}
    for call in telegram.state.called("setMyCommands"):
        scope = call.params["scope"]
        commands = call.params["commands"]
        assert isinstance(scope, dict)
        assert isinstance(commands, list)
        place = (
            f"{scope['type']} {scope.get('chat_id', '')}".strip(),
            str(call.params.get("language_code") or ""),
        )
        found[place] = {each["command"]: each["description"] for each in commands}
    return found


async def test_each_list_by_place_and_language(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    await channel.offer_commands(ENTRIES, (ADA,))

    found = lists(telegram)
    assert 12 == len(found)
    assert {"help": "Show this list."} == found["default", ""]
    assert {"help": "コマンドの一覧を表示する"} == found["default", "ja"]
    assert {"help": "显示命令列表"} == found["default", "zh"]
    assert ["help", "new"] == list(found["all_private_chats", "zh"])
    assert ["help", "new", "config"] == list(found["all_chat_administrators", "zh"])
    assert ["help", "new", "config", "pair"] == list(found["chat 1001", ""])
    assert 256 == len(found["chat 1001", ""]["pair"])


async def test_only_what_differs_is_sent_again(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    await channel.offer_commands(ENTRIES, (ADA,))
    await channel.offer_commands(ENTRIES, (ADA,))
    assert 12 == len(telegram.state.called("setMyCommands"))

    await channel.offer_commands(ENTRIES, (BEA,))
    assert 15 == len(telegram.state.called("setMyCommands"))
    removed = telegram.state.called("deleteMyCommands")
    assert [1001] * 3 == [call.params["scope"]["chat_id"] for call in removed]  # type: ignore[index]  # JSON


async def test_who_was_an_admin_for_an_earlier_process_loses_the_list(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    await channel.offer_commands(ENTRIES, (ADA,), former=(ADA, BEA))
    removed = telegram.state.called("deleteMyCommands")
    assert [1002] * 3 == [call.params["scope"]["chat_id"] for call in removed]  # type: ignore[index]  # JSON

    await channel.offer_commands(ENTRIES, (ADA,), former=(BEA,))
    assert 3 == len(telegram.state.called("deleteMyCommands"))


async def test_one_list_that_is_refused_does_not_keep_the_others_away(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.fail("setMyCommands", "rate_limited")
    with pytest.raises(DeliveryError):
        await channel.offer_commands(ENTRIES, (ADA,))
    assert 11 == len(telegram.state.called("setMyCommands"))

    await channel.offer_commands(ENTRIES, (ADA,))
    assert 12 == len(telegram.state.called("setMyCommands"))


async def test_roles_are_asked_for_once_in_a_while(
    telegram: PretendedTelegram, channel: Channel, clock: WatchedClock
) -> None:
    telegram.state.administrators.add((-100200, 5))

    assert "admin" == await channel.role_of(GROUP, person("5"))
    assert "member" == await channel.role_of(GROUP, person("6"))
    telegram.state.administrators.clear()
    assert "admin" == await channel.role_of(GROUP, person("5"))
    assert 2 == len(telegram.state.called("getChatMember"))
    await clock.advance(KEPT_S)
    assert "member" == await channel.role_of(GROUP, person("5"))


async def test_who_writes_as_the_group_is_an_admin_of_it(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    assert "admin" == await channel.role_of(GROUP, person("chat:-100200", is_person=False))
    assert "member" == await channel.role_of(GROUP, person("chat:-100999", is_person=False))
    assert "unknown" == await channel.role_of(ADA, person("1001"))
    assert () == telegram.state.called("getChatMember")


async def test_a_role_that_cannot_be_had(telegram: PretendedTelegram, channel: Channel) -> None:
    with pytest.raises(DeliveryError):
        await channel.role_of(ChatAddress(channel="telegram", account="7", chat="-5"), person("5"))
