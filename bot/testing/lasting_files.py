"""What memory files must do with lasting facts, versions and what is to be forgotten.

Checks as those of :mod:`bot.testing.memory_files`; ``CONTRACT`` lists them all.
"""

from __future__ import annotations

from bot.core.chat import PersonKey
from bot.core.memory.audience import Viewer
from bot.core.memory.daily import turns_in
from bot.core.memory.marks import block_lines
from bot.core.memory.versions import LASTING, MOST_VERSIONS, FilesForgotten, VersionStamp
from bot.core.turns import TurnId
from bot.ports import MemoryFiles
from bot.testing.memory_files import ADA, DAY, GROUP, Check, OpenFiles, entry

ADA_ASKS = Viewer(audience=ADA, person_key=PersonKey("telegram:1001"))


async def lasting_lines_stand_between_marks(open_files: OpenFiles) -> None:
    """They are nobody's notes; the same ones again change nothing."""
    files = open_files()
    assert await files.write_lasting(ADA, ()) is False
    assert await files.write_lasting(ADA, ("## Name", "", "- 2026-01-05 Is called Ada."))
    again = await open_files().write_lasting(ADA, ("## Name", "", "- 2026-01-05 Is called Ada."))
    (file,) = await files.files_of(ADA_ASKS)

    assert again is False
    assert file.name == LASTING
    assert block_lines(file.text) == ("## Name", "- 2026-01-05 Is called Ada.")
    assert (await files.notes_of(ADA)).strip() == ""
    assert await files.history(ADA_ASKS, LASTING) == ()


async def what_is_overwritten_can_be_brought_back(open_files: OpenFiles) -> None:
    """By its stamp; what stood there then can be brought back too."""
    files = open_files()
    for number in range(3):
        await files.write_lasting(ADA, (f"- 2026-01-0{number + 1} Likes tea {number}.",))
    newer, older = await open_files().history(ADA_ASKS, LASTING)
    present = await _lasting(files)

    assert "tea 0" in (await files.read_version(ADA_ASKS, LASTING, older.stamp) or "")
    assert newer.at > older.at
    assert await files.restore(ADA_ASKS, LASTING, older.stamp)
    assert "tea 0" in await _lasting(open_files())
    newest, *_ = await files.history(ADA_ASKS, LASTING)
    assert await files.read_version(ADA_ASKS, LASTING, newest.stamp) == present


async def the_newest_versions_are_kept(open_files: OpenFiles) -> None:
    """However often a file is written."""
    files = open_files()
    for number in range(MOST_VERSIONS + 5):
        await files.write_lasting(ADA, (f"- 2026-01-01 Likes tea {number}.",))

    history = await files.history(ADA_ASKS, LASTING)

    assert len(history) == MOST_VERSIONS
    newest = await files.read_version(ADA_ASKS, LASTING, history[0].stamp) or ""
    assert f"tea {MOST_VERSIONS + 3}." in newest


async def what_is_no_version_cannot_be_read(open_files: OpenFiles) -> None:
    """Whatever it is called, and whoever asks: of another audience there is none."""
    files = open_files()
    for number in range(2):
        await files.write_lasting(ADA, (f"- 2026-01-01 Likes tea {number}.",))
    (kept,) = await files.history(ADA_ASKS, LASTING)
    group = Viewer(audience=GROUP, person_key=ADA_ASKS.person_key)
    stamp = VersionStamp("../../../secret")

    assert await files.history(ADA_ASKS, "../MEMORY.md") == ()
    assert await files.read_version(ADA_ASKS, LASTING, stamp) is None
    assert await files.read_version(ADA_ASKS, "..", kept.stamp) is None
    assert await files.restore(ADA_ASKS, LASTING, stamp) is False
    assert await files.history(group, LASTING) == ()
    assert await files.read_version(group, LASTING, kept.stamp) is None
    assert await files.restore(group, LASTING, kept.stamp) is False
    assert await files.files_of(group) == ()


async def what_is_forgotten_is_in_no_file(open_files: OpenFiles) -> None:
    """Nor in a version; everything else stays."""
    files = open_files()
    await files.append((entry(1, "- a secret lair"), entry(2, "- likes tea")))
    await files.append((entry(3, "- a secret lair of the group", audience=GROUP),))
    for text in ("- 2026-01-05 Has a lair.", "- 2026-01-05 Likes tea."):
        await files.write_lasting(ADA, (text, "- 2026-01-05 Is called Ada."))

    forgotten = await open_files().forget_in_files(ADA, frozenset({TurnId(1)}), ("Has a lair.",))

    left = "".join(file.text for file in await files.files_of(ADA_ASKS))
    assert "lair" not in left
    assert turns_in(await files.read_day(ADA, DAY)) == {2}
    assert turns_in(await files.read_day(GROUP, DAY)) == {3}
    assert ("Likes tea." in left, "Is called Ada." in left) == (True, True)
    (version,) = await files.history(ADA_ASKS, LASTING)
    assert set(forgotten.files) == {
        "2026-01-05.md",
        f"versions/{LASTING}/{version.stamp}.md",
    }
    assert set(forgotten.lines) == {"- a secret lair", "- 2026-01-05 Has a lair."}
    again = await files.forget_in_files(ADA, frozenset({TurnId(1)}), ("Has a lair.",))
    assert again == FilesForgotten(files=(), lines=())


async def what_gives_way_in_a_day_is_kept_nowhere(open_files: OpenFiles) -> None:
    """Somebody took it back."""
    files = open_files()
    await files.append((entry(1, "- a secret lair"), entry(2)))
    await files.append((entry(1, "- taken back", revision=1),))

    assert "lair" not in "".join(file.text for file in await files.files_of(ADA_ASKS))


async def lasting_files_go_with_their_audience(open_files: OpenFiles) -> None:
    """With their versions; the block is that of the audience they become part of."""
    files = open_files()
    asks = Viewer(audience=GROUP, person_key=ADA_ASKS.person_key)
    for audience in (ADA, GROUP):
        for number in range(2):
            await files.write_lasting(audience, (f"- 2026-01-0{number + 1} {audience.kind}.",))

    await files.move(ADA, GROUP)
    texts = [
        await open_files().read_version(asks, LASTING, each.stamp)
        for each in await files.history(asks, LASTING)
    ]

    assert block_lines(await _lasting(files, asks)) == ("- 2026-01-02 group.",)
    assert {line for text in texts for line in block_lines(text or "")} >= {
        "- 2026-01-01 private.",
        "- 2026-01-01 group.",
    }
    assert await files.files_of(ADA_ASKS) == ()


CONTRACT: tuple[Check, ...] = (
    lasting_lines_stand_between_marks,
    what_is_overwritten_can_be_brought_back,
    the_newest_versions_are_kept,
    what_is_no_version_cannot_be_read,
    what_is_forgotten_is_in_no_file,
    what_gives_way_in_a_day_is_kept_nowhere,
    lasting_files_go_with_their_audience,
)


async def _lasting(files: MemoryFiles, viewer: Viewer = ADA_ASKS) -> str:
    found = {file.name: file.text for file in await files.files_of(viewer)}
    return found.get(LASTING, "")
