"""The data folder and its database examined, and whoever works on them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from bot.adapters import control_client
from bot.adapters.disk import RoomOn
from bot.adapters.store.folder import LOCK_NAME, hold_data_folder
from bot.adapters.store.switching import DATABASE, MEMORY, PLAN, STAGED, is_plan
from bot.app.caps_check import DATA
from bot.app.stored_check import check_stored, named, size
from bot.config import Config
from bot.core.findings import Finding, Findings, Grade, finding_from
from bot.errors import BotError, DataError, DataFolderBusy, NotRunning
from bot.ports import Clock
from bot.runtime.checkup import LEAST_FREE_BYTES
from bot.runtime.durations import duration

GOOD_FREE_BYTES = 1024 * 1024 * 1024

LEAST_FREE_FILES, GOOD_FREE_FILES = 1_000, 10_000
"""Likewise for files: a disk may have room, and no place for the name of another one."""

_PRIVATE = (f"{DATABASE}*", "search.db*", LOCK_NAME, "starts.json", "control.json")
"""All files of the bot's own in the folder but the certificates that it trusts."""

EXAMINED_IN_S = 240.0
"""How long the running bot may take to look at what it keeps: some seconds a gigabyte."""

_GRADES: dict[str, Grade] = {"ok": "ok", "degraded": "warning", "down": "broken"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningBot:
    """What the bot that works on the data folder said of itself.

    Attributes:
        is_there: Whether there is one that answered.
        fault: Why one that is there could not say how it is; empty where it did, or there is none.
        address: Where it answers.
        condition: How it is, :data:`~bot.runtime.health.Condition` for one of this version.
        model: The name of the model that it asks; an admin may have changed it.
        channels: Those that it receives for.
    """

    is_there: bool = False
    fault: str = ""
    address: str = ""
    pid: int = 0
    up_s: float = 0.0
    condition: str = ""
    reasons: tuple[str, ...] = ()
    model: str = ""
    channels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class DataCheck:
    """What was found; ``is_held`` says that another process works on the folder."""

    findings: Findings
    running: RunningBot = RunningBot()
    is_held: bool = False

    def receives_for(self, channel: str) -> bool:
        """Say whether a bot is receiving for a channel, as far as can be told."""
        return channel in self.running.channels if self.running.is_there else self.is_held


def check_data(config: Config, clock: Clock, room_on: RoomOn) -> DataCheck:
    """Look at the folder; at what lies in it only while nobody works on it. Blocking."""
    folder = config.data_dir
    running = _ask_running(folder)
    if running.is_there:
        findings = (_condition(running), *_folder(folder, room_on), *_of_the_bot(folder))
        return DataCheck(findings=findings, running=running, is_held=True)
    if running.fault:
        mend = "look at the disk and at its log; if it stays so, restart the bot"
        silent = DATA.broken("running", running.fault, mend)
        return DataCheck(findings=(silent, *_folder(folder, room_on)), is_held=True)
    if not folder.exists():
        return DataCheck(findings=(_NOBODY, _place_for(folder)))
    seen = _folder(folder, room_on)
    if any(each.id == "data.folder" and each.grade == "broken" for each in seen):
        restore = _restore(folder) if folder.is_dir() and _is_ours(folder) else ()
        return DataCheck(findings=(_NOBODY, *seen, *restore))
    try:
        with hold_data_folder(folder):
            stored = check_stored(config, clock, is_running=False)
            return DataCheck(findings=(_NOBODY, *seen, *_restore(folder), *stored))
    except DataFolderBusy as error:
        return DataCheck(findings=(_mute(error), *seen), is_held=True)
    except DataError as error:
        unusable = DATA.broken("folder", str(error), "let the user that runs the bot own it")
        return DataCheck(findings=(_NOBODY, unusable))


_NOBODY = DATA.ok("running", "no bot is running here")


def _ask_running(folder: Path) -> RunningBot:
    try:
        answer = control_client.ask(folder, "/status")
        address = control_client.address_in(folder)
    except NotRunning:
        return RunningBot()
    except BotError as error:
        return RunningBot(fault=str(error))
    match answer:
        case {
            "pid": int(pid),
            "up_s": int() | float() as up_s,
            "model": str(model),
            "channels": dict(channels),
            "health": {"condition": str(condition), "reasons": list(reasons)},
        }:
            return RunningBot(
                is_there=True,
                address=address,
                pid=pid,
                up_s=up_s,
                condition=condition,
                reasons=tuple(map(str, reasons)),
                model=model,
                channels=frozenset(map(str, channels)),
            )
    return RunningBot()


def _condition(running: RunningBot) -> Finding:
    how = "; ".join((running.condition, *running.reasons))
    seen = f"the bot runs as process {running.pid}, up {duration(running.up_s)}: {how}"
    mend = "see below, and in docs/running.md what its log says"
    match _GRADES.get(running.condition, "broken"):
        case "ok":
            return DATA.ok("running", seen)
        case "warning":
            return DATA.warning("running", seen, mend)
        case "broken":
            return DATA.broken("running", seen, mend)


def _mute(busy: DataFolderBusy) -> Finding:
    mend = "if it is starting, wait and run doctor again; a terminal chat cannot be asked at all"
    return DATA.warning("running", f"a process that cannot be asked works here: {busy}", mend)


def _place_for(folder: Path) -> Finding:
    """Look whether the first start can make the folder."""
    there = next(each for each in folder.parents if each.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return DATA.ok("folder", f"{folder} is made by the first start")
    mend = f"make {folder} for the user that runs the bot, or set another data_dir"
    return DATA.broken("folder", f"{folder} cannot be made: {there} cannot be written", mend)


def _folder(folder: Path, room_on: RoomOn) -> Findings:
    if not folder.is_dir():
        return (DATA.broken("folder", f"{folder} is no folder", "move it away, or set data_dir"),)
    places = (folder, *sorted(folder.glob("*.db*")), folder / MEMORY)
    shut = tuple(place.name for place in places if place.exists() and not _is_ours(place))
    room = room_on(folder)
    if shut or room.is_read_only:
        return (judge_shut(folder, shut, is_read_only=room.is_read_only),)
    return (
        _privacy(folder),
        _private_files(folder),
        judge_free_space(room.free_bytes),
        judge_free_files(room.free_files, room.most_files),
    )


def _is_ours(place: Path) -> bool:
    return os.access(place, os.R_OK | os.W_OK | (os.X_OK if place.is_dir() else 0))


def judge_shut(folder: Path, names: tuple[str, ...], *, is_read_only: bool) -> Finding:
    """Say what it means that what is named in the folder, or all of it, cannot be written."""
    seen = f"{folder} cannot be written" + (f": {named(names)}" if names else "")
    if is_read_only:
        mend = "its disk is mounted read-only: look at the system's log, then mount it writable"
    else:
        mend = f"let the user that runs the bot own it: chown -R that-user {folder}"
    return DATA.broken("folder", seen, mend)


def _privacy(folder: Path) -> Finding:
    mode = folder.stat().st_mode & 0o777
    if sys.platform != "win32" and mode & 0o077:
        seen = f"{folder} is open to others on this machine (mode {mode:03o})"
        return DATA.warning("folder", seen, f"chmod 700 {folder}")
    return DATA.ok("folder", f"{folder} is its owner's alone")


def _private_files(folder: Path) -> Finding:
    """Look at the files that the bot makes for its owner alone."""
    below = folder / MEMORY
    made = (each for glob in _PRIVATE for each in folder.glob(glob))
    files = (*made, below, *below.rglob("*"))
    shared = tuple(
        file.relative_to(folder).as_posix()
        for file in sorted(files)
        if sys.platform != "win32" and file.exists() and file.stat().st_mode & 0o077
    )
    if shared:
        mend = f"chmod -R go-rwx {folder}"
        return DATA.warning("private", f"open to others on this machine: {named(shared)}", mend)
    return DATA.ok("private", "what the bot keeps is in files that are their owner's alone")


def judge_free_space(free_bytes: int) -> Finding:
    """Say what the free space of the disk with the data folder means."""
    seen = f"{size(free_bytes)} are free"
    mend = "free some space: what cannot be written down is not answered"
    if free_bytes < LEAST_FREE_BYTES:
        return DATA.broken("disk", seen, mend)
    if free_bytes < GOOD_FREE_BYTES:
        return DATA.warning("disk", seen, mend)
    return DATA.ok("disk", seen)


def judge_free_files(free: int, most: int) -> Finding:
    """Say what it means that a disk has room for so many more files, of so many at most."""
    if not most:
        return DATA.ok("inodes", "the disk takes any number of files")
    seen = f"the disk has room for {free:,} more files"
    mend = "remove many small files from that disk (df -i shows how many): none can be made soon"
    if free < LEAST_FREE_FILES:
        return DATA.broken("inodes", seen, mend)
    if free < GOOD_FREE_FILES:
        return DATA.warning("inodes", seen, mend)
    return DATA.ok("inodes", seen)


def _restore(folder: Path) -> Findings:
    """Look for a restore that was broken off; the next start sees to it, whichever it was."""
    plan = folder / PLAN
    if plan.exists() and not is_plan(plan):
        mend = f"move {plan} away, then restore the backup again"
        return (DATA.broken("restore", f"{PLAN} is none of this bot's: no start gets by it", mend),)
    if plan.exists():
        seen = f"a restore was broken off halfway ({PLAN}): what is said below is of a half"
        return (DATA.warning("restore", seen, "start the bot: it finishes the restore first"),)
    if (folder / STAGED).exists():
        seen = f"a restore was broken off before it changed anything ({STAGED}/)"
        mend = "start the bot, which removes it, or restore the backup again"
        return (DATA.warning("restore", seen, mend),)
    return (DATA.ok("restore", "no restore was broken off"),)


def _of_the_bot(folder: Path) -> Findings:
    """Ask the running bot how what it keeps is: nobody else opens any of that."""
    try:
        answer = control_client.ask(folder, "/examine", timeout_s=EXAMINED_IN_S)
        found = answer.get("findings")
        return tuple(map(finding_from, found)) if isinstance(found, list) else ()
    except (BotError, ValueError) as error:
        mend = "restart it, so that it is of this version, then run doctor again"
        return (DATA.warning("asked", f"the bot does not say how its data is: {error}", mend),)
