"""How people are shown what is remembered of them."""

# ruff: noqa: RUF001 - full-width marks
from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.core.chat import ChatAddress, PersonKey
from bot.core.memory.audience import GLOBAL, Origin, audience_of, viewer_of
from bot.core.memory.facts import Fact, FactId, FactTopic
from bot.core.memory.items import Hit, ItemId, ItemRef, MemoryItem
from bot.languages import speaking
from bot.ports import KeptOfChat
from bot.runtime.commands.memory_pages import (
    FACTS_A_PAGE,
    NO_FACTS,
    NOT_ALL_YET,
    NOTHING_FOUND,
    OFF,
    Scene,
    as_words,
    found,
    handle_of,
    overview,
)

ADA, BOB = PersonKey("telegram::1001"), PersonKey("telegram::1002")
HOME = ChatAddress(channel="telegram", account="77", chat="1001")
GROUP = ChatAddress(channel="telegram", account="77", chat="-5")
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
IN_PRIVATE = viewer_of(HOME.session_key, "private", ADA)
IN_GROUP = viewer_of(GROUP.session_key, "group", ADA)
SCENE = Scene(viewer=IN_PRIVATE, now=NOW, title_of=lambda _: "Team")
NOTHING = KeptOfChat()


def fact(number: int, text: str, topic: FactTopic = "preference", days: int = 0) -> Fact:
    at = NOW - timedelta(days=days)
    return Fact(
        id=FactId(number),
        person_key=ADA,
        audience=IN_PRIVATE.audience,
        topic=topic,
        key=f"key {number}",
        text=text,
        origin="told",
        confidence=1.0,
        turn_id=None,
        valid_from=at,
        valid_to=None,
        confirmed_at=at,
    )


def test_facts_stand_by_topic_with_what_to_write_and_where_they_are_from() -> None:
    in_group = replace(fact(2, "Works in sales.", "environment"), audience=IN_GROUP.audience)
    facts = (fact(3, "Likes tea.", days=31), in_group, fact(1, "Is called Ada.", "name"))
    page = overview(SCENE, facts, KeptOfChat(turns=1, sessions=2, days=3), page=1, is_on=True)

    assert page.splitlines()[:12] == [
        "**What I remember about you**",
        "",
        "**Name**",
        "",
        "- `f1` key 1: Is called Ada. (2026-11-30)",
        "",
        "**Preferences**",
        "",
        "- `f3` key 3: Likes tea. (2026-10-30, unverified since 2026-10-30)",
        "",
        "**What you work with**",
        "",
    ]
    assert "- `f2` key 2: Works in sales. (2026-11-30, in the group Team)" in page
    assert "Kept of this chat: 1 turn, 2 sessions, 3 days." in page
    assert "`/memory search WORDS`" in page


def test_many_facts_have_pages() -> None:
    facts = tuple(fact(number, f"Fact {number}.") for number in range(1, 2 * FACTS_A_PAGE + 2))

    first, last, beyond = (
        overview(SCENE, facts, NOTHING, page=page, is_on=True) for page in (1, 3, 99)
    )

    assert FACTS_A_PAGE == first.count("- `f")
    assert "Page 1 of 3; `/memory show 2` goes on." in first
    assert 1 == last.count("- `f")
    assert "Page 3 of 3." in last
    assert last == beyond


def test_nothing_known_and_memory_off_are_said() -> None:
    page = overview(SCENE, (), NOTHING, page=1, is_on=False)

    assert page.startswith(NO_FACTS)
    assert OFF in page


def test_mem_9_of_others_in_a_group_only_the_number_is_told() -> None:
    bobs = replace(fact(9, "Bob likes rum."), person_key=BOB, audience=IN_GROUP.audience)
    page = overview(replace(SCENE, viewer=IN_GROUP), (bobs,), NOTHING, page=1, is_on=True)

    assert "Of others in this group I remember 1 fact." in page
    assert "rum" not in page


def test_no_sign_of_what_somebody_wrote_is_markup() -> None:
    assert r"\*b\* \`c\` \[x\](y) \<@U1> \&lt; a" == as_words("*b* `c` [x](y)\n<@U1> &lt; a")
    assert r"\# a \_b\_ \~~c\~~" == as_words("# a _b_ ~~c~~")
    assert r"\> a" == as_words("> a")


def test_what_is_no_markup_where_it_stands_is_left_as_it_is() -> None:
    assert "snake_case, C#, R&D, a|b, ~5 > 4" == as_words("snake_case, C#, R&D, a|b, ~5 > 4")


def test_the_entries_of_a_list_stand_in_a_row() -> None:
    assert "Count storks; count terns" == as_words("- Count storks.\n- count terns")
    assert "5 - 3" == as_words("- 5 - 3")


def test_what_is_found_says_how_to_be_rid_of_it() -> None:
    turn = MemoryItem(
        id=ItemId("turn:34#0"),
        ref=ItemRef("turn:34"),
        kind="turn",
        text="the word is heron",
        origin=Origin(audience=IN_GROUP.audience, said_by=ADA),
        moment=NOW,
        speaker="Ada",
    )
    page = found(SCENE, (Hit(item=turn, score=0.9, why="words"),))

    line = "- `turn 34` the word is heron (2026-11-30, said by Ada, in the group Team)"
    assert line in page.splitlines()
    assert NOTHING_FOUND == found(SCENE, ())


def test_each_kind_of_piece_has_its_handle() -> None:
    handles = {
        "fact:12": "f12",
        "turn:34#reply": "turn 34",
        "file:telegram.77.1001/2026-11-30.md#turn-12": "turn 12",
        "file:telegram.77.1001/2026-11-30.md#note": "2026-11-30",
        "knowledge:a.md": "",
    }
    for item_id, handle in handles.items():
        ref = item_id.partition("#")[0]
        kind = "fact" if ref.startswith("fact") else "day"
        item = MemoryItem(
            id=ItemId(item_id),
            ref=ItemRef(ref),
            kind=kind,  # type: ignore[arg-type]  # one of the two literals above
            text="",
            origin=Origin(audience=audience_of(HOME.session_key, "private"), said_by=ADA),
        )
        assert handle == handle_of(item)


def hit(text: str, score: float = 0.9, *, title: str = "") -> Hit:
    item = MemoryItem(
        id=ItemId(f"knowledge:a.md#{len(text)}"),
        ref=ItemRef("knowledge:a.md"),
        kind="knowledge",
        text=text,
        origin=GLOBAL,
        title=title,
    )
    return Hit(item=item, score=score, why="words")


def test_a_hit_says_what_it_stands_under_and_nothing_is_said_of_forgetting_it_in_vain() -> None:
    page = found(SCENE, (hit("- Knock twice.\n- Wait.", title="Door > *Back*"),))

    line = r"- Door > \*Back\*: Knock twice; Wait. (the knowledge base)"
    assert ["**Found**", "", line] == page.splitlines()


def test_what_is_far_less_likely_than_the_best_hit_is_not_shown() -> None:
    page = found(SCENE, (hit("near", 0.8), hit("further", 0.2), hit("far off", 0.19)))

    assert "near" in page
    assert "further" in page
    assert "far off" not in page


def test_while_the_index_is_being_made_anew_it_is_said_that_there_may_be_more() -> None:
    assert NOT_ALL_YET == found(SCENE, (), is_all=False)
    assert found(SCENE, (hit("near"),), is_all=False).endswith(f"\n\n{NOT_ALL_YET}")


def test_a_page_says_how_to_switch_memory_the_other_way() -> None:
    on, off = (overview(SCENE, (), NOTHING, page=1, is_on=each) for each in (True, False))

    assert on.endswith("`/memory off` ends it here.")
    assert off.endswith("`/memory on` begins it here.")


def test_a_page_in_other_languages() -> None:
    in_group = replace(fact(2, "Works in sales.", days=31), audience=IN_GROUP.audience)
    kept = KeptOfChat(turns=1, sessions=2, days=3)
    with speaking("zh"):
        chinese = overview(SCENE, (in_group,), kept, page=1, is_on=True)
    with speaking("ja"):
        japanese = overview(SCENE, (), kept, page=1, is_on=False)

    assert chinese.startswith(
        "**我记住的关于你的内容**\n\n**偏好**\n\n- `f2` key 2: Works in sales."
    )
    assert "（2026-10-30，在群组Team里，自2026-10-30起未再确认）" in chinese
    assert "此聊天保存了：1轮对话、2次会话、3天的记录。你在群组里" in chinese
    assert japanese.startswith(
        "あなたについて覚えている事実はありません。\n\nここの記憶はオフです。"
    )
    assert japanese.endswith("`/memory on`でここの記憶をオンにします。")
