"""Files are read and cut once for many searches, and again when somebody touched them."""

from datetime import UTC

import pytest

from bot.adapters.redactor import RuleRedactor
from bot.core.memory.items import ItemRef, MemoryItem
from bot.errors import StoreError
from bot.runtime.indexing import cut_files
from bot.runtime.indexing.cut_files import CutFiles
from bot.testing.stores.items import HERS, HIS
from tests.runtime.indexing_given import Pages

PAGE, OTHER = ItemRef("knowledge:a.md"), ItemRef("knowledge:b.md")


def _given(**texts: str) -> tuple[Pages, CutFiles]:
    pages = Pages({f"knowledge:{name}.md": text for name, text in texts.items()})
    return pages, CutFiles(pages, RuleRedactor(), UTC)


def _texts(pieces: tuple[MemoryItem, ...]) -> list[str]:
    return [piece.text for piece in pieces]


async def test_an_untouched_file_is_read_once() -> None:
    pages, files = _given(a="Herons nest.")

    first, again = await files.of(PAGE, None), await files.of(PAGE, None)

    assert ["Herons nest."] == _texts(first)
    assert again is first
    assert [PAGE] == pages.read_refs


async def test_one_that_was_touched_is_read_again() -> None:
    pages, files = _given(a="Herons nest.")
    await files.of(PAGE, None)
    pages.texts[PAGE] = "Storks nest."

    assert ["Storks nest."] == _texts(await files.of(PAGE, None))
    del pages.texts[PAGE]
    assert [] == _texts(await files.of(PAGE, None))


async def test_what_has_no_stamp_is_not_held() -> None:
    """It may be touched again without another one."""
    pages, files = _given(a="Herons nest.")
    pages.is_unsettled = True
    await files.of(PAGE, None)
    await files.of(PAGE, None)

    assert [PAGE, PAGE] == pages.read_refs


async def test_mem_9_pieces_are_of_the_audience_that_they_are_asked_for() -> None:
    notes = ItemRef("file:folder/MEMORY.md")
    pages, files = _given()
    pages.texts[notes] = "Mine."

    hers = await files.of(notes, HERS.audience)
    his = await files.of(notes, HIS.audience)

    assert [HERS.audience] == [piece.origin.audience for piece in hers]
    assert [HIS.audience] == [piece.origin.audience for piece in his]


async def test_only_so_much_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was used last stays."""
    monkeypatch.setattr(cut_files, "MOST_HELD", 3)
    pages, files = _given(a="# One\n\nA.\n\n# Two\n\nB.", b="# One\n\nC.\n\n# Two\n\nD.")

    for ref in (PAGE, OTHER, OTHER, PAGE):
        await files.of(ref, None)

    assert [PAGE, OTHER, PAGE] == pages.read_refs


async def test_a_file_that_cannot_be_read_is_told() -> None:
    pages, files = _given(a="Herons nest.")
    await files.of(PAGE, None)
    pages.trouble = "no permission"

    with pytest.raises(StoreError, match="no permission"):
        await files.of(PAGE, None)
