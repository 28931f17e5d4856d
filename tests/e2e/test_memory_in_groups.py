"""``/memory`` asked in a group: answered to who asked, and to nobody else."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import Sender
from bot.runtime import notices
from bot.runtime.commands.context import ONLY_ADMINS
from bot.runtime.commands.memory_forgetting import (
    BEGUN,
    NOT_FOR_ALL,
    NOTHING_MEANT,
)
from bot.runtime.commands.memory_pages import OFF
from tests.e2e.conftest import OpenStore
from tests.e2e.memory_talk import BOB, GROUP, WHISPERS, Talk, address, labels


async def test_in_a_group_admins_alone_switch_it(open_store: OpenStore) -> None:
    async with Talk(open_store) as talk:
        [by_bob] = await talk.says_in_group("/memory off", user="2002")
        [by_ann] = await talk.says_in_group("/memory off")
        page = await talk.says("/memory")

    assert ONLY_ADMINS == by_bob.text
    assert OFF == by_ann.text
    assert OFF not in page.text


async def test_mem_9_asked_in_a_group_it_is_answered_in_private(open_store: OpenStore) -> None:
    """Where a platform shows a group's messages to all in it: as Telegram does."""
    async with Talk(open_store) as talk:
        fact = await talk.knows("Likes tea.")
        await talk.knows("Likes rum.", chat=GROUP, who=BOB)
        [way] = await talk.says_in_group("/memory")
        await talk.says("hello")
        told, page = await talk.says_in_group("/memory", thread="7")
        forgotten = await talk.says_in_group(f"/memory forget {fact}")
        _, export = await talk.says_in_group("/memory export")
        _, inside = await talk.says_in_group("/in - memory search tea")
        nobody = await talk.says_in_group("/memory", user="2002")

    assert notices.for_private_command("memory") == way.text
    assert (notices.ANSWERED_IN_PRIVATE, GROUP, "7") == (
        told.text,
        told.address.chat,
        told.address.thread,
    )
    assert "1001" == page.address.chat
    assert "Likes tea." in page.text
    assert "rum" not in page.text
    assert [GROUP, "1001"] == [post.address.chat for post in forgotten]
    assert ["Forget", "Keep"] == labels(forgotten[1])
    assert ("1001", True) == (export.address.chat, export.file is not None)
    assert "1001" == inside.address.chat
    assert [notices.for_private_command("memory")] == [post.text for post in nobody]
    in_group = [post.text for post in talk.channel.posts if post.address.chat == GROUP]
    assert not [text for text in in_group if "tea" in text.lower() and "search tea" not in text]


async def test_mem_9_where_one_person_can_be_shown_something_they_are(
    open_store: OpenStore,
) -> None:
    """As in Slack: of the group, what they said in that group, and of others the number alone."""
    async with Talk(open_store, WHISPERS) as talk:
        await talk.says("hello")
        await talk.knows("Likes tea.")
        nights = await talk.knows("Works nights.", chat=GROUP)
        await talk.knows("Likes rum.", chat=GROUP, who=BOB)
        [page] = await talk.says_in_group("/memory", thread="7")
        [remembered] = [
            post
            for post in await talk.says_in_group("/memory remember pet: Has a cat.", thread="7")
            if post.address.chat == "1001"
        ]
        [told, export] = await talk.says_in_group("/memory export", thread="7")
        [again] = await talk.says_in_group("/memory", thread="7")

    assert (GROUP, "1001") == (page.address.chat, page.for_person)
    assert f"`{nights}` Works nights." in page.text
    assert "Of others in this group I remember 1 fact." in page.text
    assert not [word for word in ("tea", "rum") if word in page.text]
    assert "Has a cat." in remembered.text
    assert notices.ANSWERED_IN_PRIVATE == told.text
    assert ("1001", "", True) == (export.address.chat, export.for_person, export.file is not None)
    assert "cat" not in again.text


async def test_who_writes_as_a_chat_is_told_nothing(open_store: OpenStore) -> None:
    """Nobody knows who that is, and no platform shows a message to a chat alone."""
    async with Talk(open_store, WHISPERS) as talk:
        message = talk.channel.message("/memory", user="1001", chat=GROUP, kind="group")
        masked = Sender(channel="loopback", user_id="1001", name="Team", is_person=False)
        await talk.dialogue.together(replace(message, sender=masked))

    assert [notices.for_private_command("memory")] == [post.text for post in talk.channel.posts]


async def test_what_a_group_said_is_forgotten_at_an_admins_wish(open_store: OpenStore) -> None:
    async with Talk(open_store) as talk:
        await talk.says_in_group("the stork came", user="2002")
        [by_bob] = await talk.says_in_group("/memory forget everyone stork", user="2002")
        [asked] = await talk.says_in_group("/memory forget everyone stork")
        begun = await talk.presses("Forget", chat=GROUP, kind="group")
        await talk.dialogue.app.settled(address(GROUP))
        [again] = await talk.says_in_group("/memory forget everyone stork")

    assert NOT_FOR_ALL == by_bob.text
    assert "Forget 1 turn?" in asked.history[0]
    assert BEGUN == begun
    assert NOTHING_MEANT == again.text
