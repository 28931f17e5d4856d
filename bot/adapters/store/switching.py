"""Putting other data into a data folder: all of it, or nothing, whenever the process is killed.

::

    data/restoring/…          the other data, not whole yet: removed by whoever comes next
    data/restore.json         it is whole, and these moves are to be done: by whoever comes next
    data.before-restore-…/    what was there before
    data/knowledge-…/         its pages, where the bot may not write to those it knows

The law of this file: nothing that was there is touched before the plan is on the disk; from then on
each step can be done a second time, and what is moved aside is never written over. Whoever takes
the lock of the folder finishes it first, so that nobody ever works on a half. A plan beside which
nothing is staged has been carried out: only the tidying up after it was left.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from bot.adapters.memory_disk import Disk, version_of
from bot.errors import DataError

logger = logging.getLogger(__name__)

PLAN = "restore.json"
STAGED = "restoring"
DATABASE = "daybook.db"
MEMORY = "memory"
KNOWLEDGE = "knowledge"

_GIVES_WAY = ("daybook.db*", "search.db*", MEMORY, "starts.json", "control.json")
"""What is put aside; whatever else lies in the folder is not the bot's, or holds its lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is still to be done, or was.

    Attributes:
        moves: From where to where, each relative to the data folder, in order.
        aside: Where former data goes, relative to the data folder.
        knowledge_dir: Where the pages of knowledge go.
    """

    moves: tuple[tuple[str, str], ...]
    aside: str
    knowledge_dir: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Switched:
    """What became of what.

    Attributes:
        aside: Where the former data is; None where there was none.
        pages: Where the pages of knowledge were put instead of the bot's own folder of them, which
            cannot be written; None where they are in it.
    """

    aside: Path | None
    pages: Path | None


@contextmanager
def staging_in(folder: Path) -> Iterator[Path]:
    """Give an empty folder for the data that is to be put into a data folder by :func:`switch`.

    Whatever ends the block before the plan is on the disk leaves nothing of it. Hold the lock of
    the data folder meanwhile.
    """
    staged = folder / STAGED
    shutil.rmtree(staged, ignore_errors=True)
    try:
        staged.mkdir(mode=0o700)
        yield staged
    except BaseException:
        if not (folder / PLAN).exists():
            shutil.rmtree(staged, ignore_errors=True)
        raise


def has_data(folder: Path) -> bool:
    """Say whether data is in a folder, or will be once its lock is taken: see the law above."""
    return (folder / DATABASE).exists() or (folder / PLAN).exists()


def switch(folder: Path, knowledge_dir: Path, stamp: str) -> Switched:
    """Put what is staged into the data folder, and say where everything is.

    ``stamp`` names the place of what was there. What is staged is forced to the disk by then.

    Raises:
        DataError: It cannot be done; everything is as it was, unless it says otherwise.
    """
    folder = folder.resolve()  # what is beside a link is not beside the folder
    former = sorted(path for glob in _GIVES_WAY for path in folder.glob(glob))
    aside = _place_aside(folder, stamp)
    pages = None
    if not _can_write_pages(folder, knowledge_dir):
        pages = _free_name(folder / f"{KNOWLEDGE}-{stamp}")
    staged = sorted((folder / STAGED).iterdir(), key=lambda path: path.name == DATABASE)
    moves = [(path.name, os.path.relpath(aside / path.name, folder)) for path in former]
    moves += [(f"{STAGED}/{path.name}", path.name) for path in staged if path.name != KNOWLEDGE]
    plan = Plan(
        moves=tuple(moves),
        aside=os.path.relpath(aside, folder),
        knowledge_dir=str(pages or knowledge_dir),
    )
    disk = Disk(os.fsync)
    try:
        disk.write(folder / PLAN, _written(plan))
        _carry_out(folder, plan)
    except OSError as error:
        reason = error.strerror or str(error)
        try:
            _take_back(folder, plan)
        except OSError as second:
            raise DataError(
                f"The data in {folder} can neither be exchanged ({reason}) nor be put back"
                f" ({second.strerror or second}); mend that and start again: it is exchanged then."
            ) from error
        if pages is not None:
            shutil.rmtree(pages, ignore_errors=True)
        raise DataError(f"The data in {folder} cannot be exchanged ({reason}).") from error
    _tidy_up(folder, plan)
    return Switched(aside=aside if aside.exists() else None, pages=pages)


def finish_switch(folder: Path) -> None:
    """Finish what a killed process began, or remove what it had not begun yet.

    Raises:
        DataError: It cannot be finished.
    """
    folder = folder.resolve()
    if (folder / PLAN).exists():
        plan = _read(folder / PLAN)
        try:
            if (folder / STAGED).exists():
                _carry_out(folder, plan)
        except OSError as error:
            raise DataError(
                f"The restore of {folder} cannot be finished ({error.strerror or error}); mend that"
                " and start again."
            ) from error
        _tidy_up(folder, plan)
        places = {"aside": str((folder / plan.aside).resolve()), "pages": plan.knowledge_dir}
        logger.warning("data_folder.restore_finished", extra=places)
    elif (folder / STAGED).exists():
        shutil.rmtree(folder / STAGED, ignore_errors=True)


def is_plan(path: Path) -> bool:
    """Say whether a file is a plan that :func:`finish_switch` can read."""
    try:
        _read(path)
    except (DataError, OSError):
        return False
    return True


def _carry_out(folder: Path, plan: Plan) -> None:
    aside, disk = folder / plan.aside, Disk(os.fsync)
    aside.mkdir(mode=0o700, exist_ok=True)
    for source, target in plan.moves:
        if not os.path.lexists(folder / target) and os.path.lexists(folder / source):
            (folder / source).rename(folder / target)
    for place in (aside, folder, aside.parent):
        disk.force(place)
    _put_pages(folder, plan, disk)


def _tidy_up(folder: Path, plan: Plan) -> None:
    """Remove what a plan was carried out with; the data stands, whatever becomes of that."""
    aside = folder / plan.aside
    try:
        shutil.rmtree(folder / STAGED, ignore_errors=True)
        if aside.exists() and not any(aside.iterdir()):
            aside.rmdir()
        (folder / PLAN).unlink()
        Disk(os.fsync).force(folder)
    except OSError as error:
        logger.warning("data_folder.not_tidied_up", extra={"why": error.strerror or str(error)})


def _put_pages(folder: Path, plan: Plan, disk: Disk) -> None:
    """Write pages that say something else than those that are there, which are kept aside."""
    knowledge_dir = Path(plan.knowledge_dir)
    for name, content in _changed_pages(folder, knowledge_dir):
        page = knowledge_dir / name
        if page.exists():
            kept = folder / plan.aside / KNOWLEDGE / name
            disk.make_folder(kept.parent)
            if not kept.exists():
                disk.replace(kept, page.read_bytes(), instead_of=None)
        disk.make_folder(page.parent)
        disk.replace(page, content, instead_of=version_of(page))


def _changed_pages(folder: Path, knowledge_dir: Path) -> Iterator[tuple[Path, bytes]]:
    staged = folder / STAGED / KNOWLEDGE
    for path in sorted(each for each in staged.rglob("*") if each.is_file()):
        name, content = path.relative_to(staged), path.read_bytes()
        page = knowledge_dir / name
        if not page.is_file() or page.read_bytes() != content:
            yield name, content


def _take_back(folder: Path, plan: Plan) -> None:
    """Undo what was done of a plan, the last thing first; pages that were written stay."""
    for source, target in reversed(plan.moves):
        if os.path.lexists(folder / target) and not os.path.lexists(folder / source):
            (folder / target).rename(folder / source)
    (folder / PLAN).unlink(missing_ok=True)
    shutil.rmtree(folder / STAGED, ignore_errors=True)
    with suppress(OSError):  # something is in it, or it was never made
        (folder / plan.aside).rmdir()


def _can_write_pages(folder: Path, knowledge_dir: Path) -> bool:
    """Say whether each page that differs can be written, and none of them through a link."""
    root = knowledge_dir.resolve()
    for name, _ in _changed_pages(folder, knowledge_dir):
        place = (knowledge_dir / name).parent
        there = next(each for each in (place, *place.parents) if each.exists())
        is_inside = there.resolve().is_relative_to(root) or not root.exists()
        if not is_inside or not os.access(there, os.W_OK | os.X_OK):
            return False
    return True


def _place_aside(folder: Path, stamp: str) -> Path:
    """Name a folder to which files can be moved by renaming.

    It is beside, but inside where the folder is a volume, or its parent is not the bot's to write.
    """
    is_beside = (
        not folder.is_mount()
        and folder.parent.stat().st_dev == folder.stat().st_dev
        and os.access(folder.parent, os.W_OK | os.X_OK)
    )
    mark = f"before-restore-{stamp}"
    return _free_name(folder.with_name(f"{folder.name}.{mark}") if is_beside else folder / mark)


def _free_name(place: Path) -> Path:
    """Give a name that nothing has, this one or with a number behind it."""
    numbered = (place.with_name(f"{place.name}-{number}") for number in count(2))
    return next(each for each in chain((place,), numbered) if not each.exists())


def _written(plan: Plan) -> str:
    return json.dumps(
        {"moves": plan.moves, "aside": plan.aside, "knowledge_dir": plan.knowledge_dir}
    )


def _read(path: Path) -> Plan:
    try:
        match json.loads(path.read_text(encoding="utf-8")):
            case {"moves": list(moves), "aside": str(aside), "knowledge_dir": str(knowledge_dir)}:
                return Plan(
                    moves=tuple((str(source), str(target)) for source, target in moves),
                    aside=aside,
                    knowledge_dir=knowledge_dir,
                )
    except (ValueError, TypeError):
        pass
    raise DataError(f"{path} is none of this bot's; remove it.")
