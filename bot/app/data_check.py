"""The data folder and its database examined, and whoever works on them."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from bot.adapters import control_client
from bot.adapters.store.examining import look_at_database
from bot.adapters.store.folder import hold_data_folder
from bot.core.findings import Finding, Grade, one_line
from bot.errors import BotError, DataError, DataFolderBusy
from bot.runtime.health import duration

LEAST_FREE_BYTES = 100 * 1024 * 1024
"""Below this nothing is sure to be written: a database that tidies up needs its own size again."""

GOOD_FREE_BYTES = 1024 * 1024 * 1024

_GRADES: dict[str, Grade] = {"ok": "ok", "degraded": "warning", "down": "broken"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningBot:
    """What the bot that works on the data folder said of itself.

    Attributes:
        is_there: Whether there is one that answered.
        condition: How it is, :data:`~bot.runtime.health.Condition` for one of this version.
        model: The name of the model that it asks; an admin may have changed it.
        channels: Those that it receives for.
    """

    is_there: bool = False
    pid: int = 0
    up_s: float = 0.0
    condition: str = ""
    reasons: tuple[str, ...] = ()
    model: str = ""
    channels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class DataCheck:
    """What was found; ``is_held`` says that another process works on the folder."""

    findings: tuple[Finding, ...]
    running: RunningBot = RunningBot()
    is_held: bool = False

    def receives_for(self, channel: str) -> bool:
        """Say whether a bot is receiving for a channel, as far as can be told."""
        return channel in self.running.channels if self.running.is_there else self.is_held


def check_data(folder: Path) -> DataCheck:
    """Look at the folder; at its database only while nobody works on it. Blocking."""
    running = _ask_running(folder)
    if running.is_there:
        findings = (_condition(running), *_folder(folder), _of_the_bot(running))
        return DataCheck(findings=findings, running=running, is_held=True)
    if not folder.exists():
        return DataCheck(findings=(_NOBODY, _place_for(folder)))
    seen = _folder(folder)
    if any(each.grade == "broken" for each in seen):
        return DataCheck(findings=(_NOBODY, *seen))
    try:
        with hold_data_folder(folder):
            return DataCheck(findings=(_NOBODY, *seen, _database(folder / "daybook.db")))
    except DataFolderBusy as error:
        return DataCheck(findings=(_mute(error), *seen), is_held=True)
    except DataError as error:
        unusable = _broken("folder", str(error), "let the user that runs the bot own it")
        return DataCheck(findings=(_NOBODY, unusable))


_NOBODY = Finding(area="data", check="running", seen="no bot is running here")


def _ask_running(folder: Path) -> RunningBot:
    try:
        answer = control_client.ask(folder, "/status")
    except BotError:
        return RunningBot()
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
    seen = one_line(f"the bot runs as process {running.pid}, up {duration(running.up_s)}: {how}")
    grade = _GRADES.get(running.condition, "broken")
    mend = "" if grade == "ok" else "see below, and in docs/running.md what its log says"
    return Finding(area="data", check="running", grade=grade, seen=seen, mend=mend)


def _mute(busy: DataFolderBusy) -> Finding:
    mend = "if it is starting, wait and run doctor again; a terminal chat cannot be asked at all"
    seen = f"a process that cannot be asked works here: {busy}"
    return Finding(area="data", check="running", grade="warning", seen=one_line(seen), mend=mend)


def _place_for(folder: Path) -> Finding:
    """Look whether the first start can make the folder."""
    there = next(each for each in folder.parents if each.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return _ok("folder", f"{folder} is made by the first start")
    mend = f"make {folder} for the user that runs the bot, or set another data_dir"
    return _broken("folder", f"{folder} cannot be made: {there} cannot be written", mend)


def _folder(folder: Path) -> tuple[Finding, ...]:
    if not folder.is_dir():
        return (_broken("folder", f"{folder} is no folder", "move it away, or set data_dir"),)
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        mend = f"let the user that runs the bot own it: chown -R that-user {folder}"
        return (_broken("folder", f"{folder} cannot be written", mend),)
    return (_privacy(folder), judge_free_space(shutil.disk_usage(folder).free))


def _privacy(folder: Path) -> Finding:
    mode = folder.stat().st_mode & 0o777
    if sys.platform != "win32" and mode & 0o077:
        seen = f"{folder} is open to others on this machine (mode {mode:03o})"
        return _warning("folder", seen, f"chmod 700 {folder}")
    return _ok("folder", f"{folder} is its owner's alone")


def judge_free_space(free_bytes: int) -> Finding:
    """Say what the free space of the disk with the data folder means."""
    seen = f"{_size(free_bytes)} are free"
    mend = "free some space: what cannot be written down is not answered"
    if free_bytes < LEAST_FREE_BYTES:
        return _broken("disk", seen, mend)
    if free_bytes < GOOD_FREE_BYTES:
        return _warning("disk", seen, mend)
    return _ok("disk", seen)


def _database(file: Path) -> Finding:
    if not file.exists():
        return _ok("database", f"{file.name} is made by the first start")
    look = look_at_database(file)
    if look.fault:
        return _broken("database", f"{file.name} {look.fault}", look.mend)
    if look.version > look.newest_version:
        seen = f"{file.name} has schema {look.version}, this bot knows {look.newest_version}"
        return _broken("database", seen, "update the bot, or restore an older backup")
    will = "" if look.version == look.newest_version else f", {look.newest_version} after a start"
    size = _size(file.stat().st_size)
    return _ok("database", f"{file.name} is sound: {size}, schema {look.version}{will}")


def _of_the_bot(running: RunningBot) -> Finding:
    return _ok("database", f"the database is open in process {running.pid}, which looks after it")


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1024**3:.1f} GiB" if size_bytes >= 1024**3 else f"{size_bytes >> 20} MiB"


def _ok(check: str, seen: str) -> Finding:
    return Finding(area="data", check=check, seen=one_line(seen))


def _warning(check: str, seen: str, mend: str) -> Finding:
    return Finding(area="data", check=check, grade="warning", seen=one_line(seen), mend=mend)


def _broken(check: str, seen: str, mend: str) -> Finding:
    return Finding(area="data", check=check, grade="broken", seen=one_line(seen), mend=mend)
