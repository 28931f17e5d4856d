"""``/memory``: what people read of themselves, where they read it, what they can do about it."""

from __future__ import annotations

import json

import pytest

from bot.core.chat import Capabilities
from bot.core.memory.audience import Viewer, viewer_of
from bot.core.memory.facts import Fact
from bot.errors import StoreUnreadable
from bot.runtime.commands.memory import (
    HOW_TO_REMEMBER,
    NEVER_KEPT,
    NO_WORDS,
    ON,
    UNREADABLE,
    USAGE,
)
from bot.runtime.commands.memory_files import NO_FILES, NO_SUCH_FILE
from bot.runtime.commands.memory_forgetting import (
    BEGUN,
    HOW_TO_FORGET,
    KEPT,
    NOTHING_MEANT,
    ONLY_IN_GROUPS,
)
from bot.runtime.commands.memory_pages import NO_FACTS, OFF
from bot.testing.memory_files import InMemoryFiles
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import OpenStore
from tests.e2e.memory_talk import ANN, BOB, GROUP, Talk, address, labels


async def test_prv_2_a_person_sees_what_is_remembered_of_them(open_store: OpenStore) -> None:
    async with Talk(open_store) as talk:
        empty = await talk.says("/memory")
        await talk.says("hello")
        tea = await talk.knows("Likes tea.")
        await talk.knows("Likes rum.", chat="2002", who=BOB)
        in_group = await talk.knows("Works nights.", chat=GROUP, days=40)
        page = await talk.says("/memory")

    assert NO_FACTS in empty.text
    assert f"- `{tea}` Likes tea. (2026-01-05)" in page.text
    since = "2025-11-26"
    assert (
        f"- `{in_group}` Works nights. ({since}, in a group, unverified since {since})" in page.text
    )
    assert "rum" not in page.text
    assert "Kept of this chat: 1 turn" in page.text
    assert ["Export", "Switch off"] == labels(page)


async def test_many_facts_are_leafed_through(open_store: OpenStore) -> None:
    async with Talk(open_store) as talk:
        for number in range(27):
            await talk.knows(f"Fact{number} is so.")
        first = await talk.says("/memory")
        second = await talk.presses("More")
        same = await talk.says("/memory 2")
        last = await talk.says(f"/memory {'9' * 5_000}")

    assert "Page 1 of 2; `/memory show 2` goes on." in first.history[0]
    assert "Page 2 of 2." in second
    assert second == same.text == last.text


async def test_what_is_told_by_command_is_kept_and_ends_what_was(open_store: OpenStore) -> None:
    async with Talk(open_store) as talk:
        first = await talk.says("/memory remember Home city: Lives in Rome.")
        second = await talk.says("/memory remember home city: Lives in Oslo.")
        page = await talk.says("/memory")
        long = await talk.says(f"/memory remember bio: {'x' * 301}")
        wide = await talk.says("/memory remember pet\uff1acat")
        how = await talk.says("/memory remember Lives in Oslo.")
        card = "4111" + " 1111" * 3
        secret = await talk.says(f"/memory remember card: {card}")

    assert first.text.endswith("home city: Lives in Rome.")
    assert "300" in long.text
    assert "301 characters" in long.text
    assert wide.text.endswith("pet: cat")
    assert "Before it was: home city: Lives in Rome." in second.text
    assert "Lives in Oslo." in page.text
    assert "Rome" not in page.text
    assert HOW_TO_REMEMBER == how.text
    assert NEVER_KEPT == secret.text


async def test_prv_2_what_would_be_forgotten_is_shown_and_goes_when_confirmed(
    open_store: OpenStore,
) -> None:
    async with Talk(open_store) as talk:
        fact = await talk.knows("Likes tea.")
        asked = await talk.says(f"/memory forget {fact}")
        kept = await talk.presses("Keep")
        still = await talk.says("/memory")
        await talk.says(f"/memory forget {fact}")
        begun = await talk.presses("Forget")
        await talk.dialogue.app.settled(address("1001"))
        receipt = talk.channel.posts[-1].text
        gone = await talk.says("/memory")
        again = await talk.says(f"/memory forget {fact}")

    assert "Forget 1 fact? It cannot be brought back." in asked.history[0]
    assert ["Likes tea."] == [
        line.removeprefix("- ") for line in asked.history[0].splitlines() if line.startswith("- ")
    ]
    assert KEPT == kept
    assert "Likes tea." in still.text
    assert BEGUN == begun
    assert receipt.startswith("**Forgotten:** 1 fact.")
    assert "Likes tea." not in gone.text
    assert NOTHING_MEANT == again.text


async def test_where_there_are_no_buttons_the_text_says_what_to_write(
    open_store: OpenStore,
) -> None:
    async with Talk(open_store, Capabilities(max_text_length=4_096)) as talk:
        fact = await talk.knows("Likes tea.")
        asked = await talk.says(f"/memory forget {fact}")
        command = asked.text.partition("- Forget: write `")[2].partition("`")[0]
        await talk.says(command)
        page = await talk.says("/memory")

    assert command.startswith("/memory forget ")
    assert BEGUN in [post.text for post in talk.channel.posts]
    assert "Likes tea." not in page.text
    assert "write `" not in page.text


async def test_nobody_else_confirms_what_somebody_wants_forgotten(open_store: OpenStore) -> None:
    async with Talk(open_store, Capabilities(max_text_length=4_096)) as talk:
        fact = await talk.knows("Likes tea.")
        asked = await talk.says(f"/memory forget {fact}")
        token = asked.text.partition("`/memory forget ")[2].partition("`")[0]
        by_bob = await talk.says(f"/memory forget {token}", user="2002")
        still = await talk.says("/memory")

    assert NOTHING_MEANT == by_bob.text
    assert "Likes tea." in still.text


async def test_prv_2_the_export_has_all_of_a_person_and_nothing_of_others(
    open_store: OpenStore,
) -> None:
    async with Talk(open_store) as talk:
        await talk.says("the word is heron")
        await talk.says_in_group("mine is egret")
        await talk.says_in_group("mine is stork", user="2002")
        await talk.says("the word is crane", user="2002")
        await talk.knows("Likes tea.")
        await talk.knows("Likes rum.", chat=GROUP, who=BOB)
        post = await talk.says("/memory export")

    assert post.file is not None
    assert ("memory-2026-01-05.json", "application/json") == (post.file.name, post.file.media_type)
    data = json.loads(post.file.content)
    assert ["Likes tea."] == [fact["text"] for fact in data["facts"]]
    assert [["the word is heron"], ["mine is egret"]] == [each["said"] for each in data["turns"]]
    assert ["Hm.", None] == [each.get("reply") for each in data["turns"]]
    assert not [word for word in (b"stork", b"crane", b"rum") if word in post.file.content]


async def test_memory_is_switched_off_and_on(open_store: OpenStore) -> None:
    async with Talk(open_store) as talk:
        off = await talk.says("/memory off")
        again = await talk.says("/memory off")
        page = await talk.says("/memory")
        told = await talk.says("/memory remember city: Lives in Rome.")
        on = await talk.says("/memory on")

    assert OFF == off.text
    assert "Memory is off here already." == again.text
    assert OFF in page.text
    assert "Switch on" in labels(page)
    assert OFF == told.text
    assert ON == on.text


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("dance", USAGE),
        ("search", NO_WORDS),
        ("search !?", NO_WORDS),
        ("forget", HOW_TO_FORGET),
        ("forget a", HOW_TO_FORGET),
        ("forget everyone", ONLY_IN_GROUPS),
        ("forget nothing like that", NOTHING_MEANT),
        ("history", NO_FILES),
        ("restore MEMORY.md x", NO_FILES),
    ],
)
async def test_what_makes_no_sense_is_answered_plainly(words: str, answer: str) -> None:
    store = InMemoryStore()
    async with Talk(lambda: store) as talk:
        post = await talk.says(f"/memory {words}")

    assert answer == post.text


async def test_former_texts_are_listed_and_brought_back() -> None:
    store, files = InMemoryStore(), InMemoryFiles()
    viewer = viewer_of(address("1001").session_key, "private", ANN.person_key)
    async with Talk(lambda: store, files=files) as talk:
        none = await talk.says("/memory history")
        await files.write_lasting(viewer.audience, ("one",))
        await files.write_lasting(viewer.audience, ("two",))
        listed = await talk.says("/memory history memory")
        restored = await talk.presses(labels(listed)[0])
        unknown = await talk.says("/memory restore MEMORY.md nothing")
        odd = await talk.says("/memory history ../secrets")
        texts = {each.name: each.text for each in await files.files_of(viewer)}

    assert "There is no former text of `MEMORY.md`." == none.text
    assert listed.history[0].startswith("**Former texts of `MEMORY.md`**")
    assert restored.startswith("`MEMORY.md` says again")
    assert "one" in texts["MEMORY.md"]
    assert unknown.text.startswith("There is no such version")
    assert NO_SUCH_FILE == odd.text


async def test_what_cannot_be_read_costs_the_answer_alone() -> None:
    class Damaged(InMemoryStore):
        async def facts_for(self, viewer: Viewer) -> tuple[Fact, ...]:
            raise StoreUnreadable("damaged")

    store = Damaged()
    async with Talk(lambda: store) as talk:
        post = await talk.says("/memory")
        after = await talk.says("/status")

    assert UNREADABLE == post.text
    assert "scripted" in after.text
