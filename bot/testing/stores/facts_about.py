"""What every store does when it is asked for the facts about some people; see the package."""

from __future__ import annotations

from dataclasses import replace

from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.items import ItemRef
from bot.core.memory.pieces import fact_ref
from bot.testing.stores.facts import BO, GROUP, PRIVATE, stated
from bot.testing.stores.given import ANN, Check, OpenStore


async def the_newest_about_some_people_are_told_apart(open_store: OpenStore) -> None:
    """What others have takes no place, nor does what may not be recalled where it is asked for."""
    store = open_store()
    of_bo = (replace(stated(f"Likes milk {n}.", key=f"milk {n}"), audience=GROUP) for n in "abc")
    await store.keep_facts(
        (
            stated("Lives in Lisbon."),
            stated("Likes tea.", key="favorite drink", day=1),
            stated("Works in Porto.", key="employer", audience=GROUP, day=2),
            *(replace(each, person_key=BO.person_key) for each in of_bo),
        )
    )

    async def texts(who: str, audience: Audience, *about: str, most: int = 9) -> list[str]:
        people = tuple(PEOPLE[each].person_key for each in about)
        viewer = Viewer(audience=audience, person_key=PEOPLE[who].person_key)
        facts = await store.facts_about(viewer, people, most=most)
        return sorted(each.text for each in facts)

    own = ["Likes tea.", "Lives in Lisbon.", "Works in Porto."]
    assert await texts("ann", PRIVATE, "ann") == own
    assert await texts("ann", PRIVATE, "ann", most=2) == ["Likes tea.", "Works in Porto."]
    assert await texts("ann", GROUP, "ann", most=2) == ["Works in Porto."]
    newest = ["Likes milk c.", "Works in Porto."]
    assert await texts("ann", GROUP, "ann", "bo", most=2) == newest
    assert await texts("bo", GROUP, "ann") == ["Works in Porto."]
    assert await texts("ann", PRIVATE, "bo") == []
    assert await texts("ann", PRIVATE) == []
    await store.close()


async def whose_a_fact_is_is_known_when_it_holds_no_more(open_store: OpenStore) -> None:
    """So that whoever follows changes need not look everywhere for what a new value ended."""
    store = open_store()
    ((first, _),) = await store.keep_facts((stated("Lives in Lisbon."),))
    ((second, ended),) = await store.keep_facts((stated("Lives in Porto.", day=1),))

    assert ended is not None
    assert ended.id == first.id
    refs = (fact_ref(first.id), fact_ref(second.id), fact_ref(99), ItemRef("turn:1"))
    assert await store.audiences_of(refs) == dict.fromkeys(refs[:2], PRIVATE)
    assert await store.audiences_of(()) == {}
    await store.close()


PEOPLE = {"ann": ANN, "bo": BO}

FACTS_ABOUT: tuple[Check, ...] = (
    the_newest_about_some_people_are_told_apart,
    whose_a_fact_is_is_known_when_it_holds_no_more,
)
