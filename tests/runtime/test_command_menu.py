"""The menu follows the commands and the admins, and nothing waits for it."""

import pytest

from bot.config import Config
from bot.core.chat import ChatAddress
from bot.core.commands import MenuEntry
from bot.errors import DeliveryError
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore

ANN = ChatAddress(channel="loopback", account="bot", chat="1001")


def named(entries: tuple[MenuEntry, ...], reader: str) -> set[str]:
    return {entry.name for entry in entries if entry.reader == reader}


async def test_the_menu_has_all_commands_by_who_finds_them() -> None:
    async with Dialogue(ScriptedModel(), config=Config()) as dialogue:
        ((entries, admins),) = dialogue.channel.menus

    assert () == admins
    assert {"context", "stop", "help", "status", "claim"} <= named(entries, "everyone")
    assert {"new", "compact"} == named(entries, "owners_of_chat")
    assert {"config"} == named(entries, "chat_admins")
    assert {"pair", "unpair", "allow", "disallow"} <= named(entries, "admins")
    assert "start" not in {entry.name for entry in entries}


async def test_every_command_of_the_bot_is_described_in_three_languages() -> None:
    async with Dialogue(ScriptedModel(), config=Config(plugins=())) as dialogue:
        ((entries, _),) = dialogue.channel.menus

    for entry in entries:
        lines = {entry.described(tag) for tag in ("en", "zh-hans", "ja-JP")}
        assert (entry.name, len(lines)) == (entry.name, 3)
        assert max(map(len, lines)) <= 256
    assert "Show this list." == entries[-1].described("de")
    assert "显示命令列表" == entries[-1].described("zh-hans")
    assert "コマンドの一覧を表示する" == entries[-1].described("ja-JP")


async def test_a_new_owner_finds_the_menu_of_admins() -> None:
    async with Dialogue(ScriptedModel(), config=Config()) as dialogue:
        (line,) = (line for line in dialogue.announced if "/claim" in line)
        await dialogue.says(line[line.index("/claim") :].split("  in")[0])

    assert [(), (ANN,)] == [admins for _, admins in dialogue.channel.menus]
    offers = ["claim" in named(entries, "everyone") for entries, _ in dialogue.channel.menus]
    assert [True, False] == offers


async def test_an_admin_is_found_where_they_write() -> None:
    config = Config(admins=("loopback:1001",))
    async with Dialogue(ScriptedModel(), config=config) as dialogue:
        await dialogue.says("/status", "/status")
        await dialogue.says("/status", chat="77", user="1001")

    homes = [[home.chat for home in admins] for _, admins in dialogue.channel.menus]
    assert [[], ["1001"], ["77"]] == homes


async def test_who_is_no_admin_any_more_is_named_after_a_restart() -> None:
    config, store = Config(admins=("loopback:1001",)), InMemoryStore()
    async with Dialogue(ScriptedModel(), config=config, store=store) as dialogue:
        await dialogue.says("/status")
    async with Dialogue(ScriptedModel(), config=Config(), store=store) as dialogue:
        ((_, admins),) = dialogue.channel.menus

    assert ((), (ANN,)) == (admins, dialogue.channel.former_admins)


async def test_a_menu_that_is_refused_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    channel = LoopbackChannel()
    channel.menu_failures.extend([DeliveryError("not now"), DeliveryError("not now")])
    config = Config(admins=("loopback:1001",))
    async with Dialogue(ScriptedModel(), config=config, channel=channel) as dialogue:
        answers = await dialogue.says("/status")
        await dialogue.says("/status", chat="77", user="1001")
        await dialogue.says("/status", chat="78", user="1001")

    assert 1 == len(answers)
    assert 2 == len(channel.menus)  # the third and the fourth offer
    assert ["menu.not_offered"] == [
        record.msg for record in caplog.records if record.msg.startswith("menu.")
    ]
