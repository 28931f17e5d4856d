"""What the bot keeps, examined: its database, its search index, its memory files.

The law of this file: it reads and changes nothing. It is called by the process that holds the data
folder: the running bot, which is asked for what it found, or else the doctor.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.adapters.memory_look import MemoryLook, look_at_memory
from bot.adapters.search.examining import IndexLook, look_at_index
from bot.adapters.store.examining import DatabaseLook, KeptLook, look_at_database
from bot.adapters.store.reminders import RemindersLook
from bot.app.caps_check import DATA, judge_caps, value_of
from bot.config import Config
from bot.config.changes import is_value
from bot.core.attendance import LONGEST_BREAK, Stretches, last_break
from bot.core.backlog import Backlog
from bot.core.cost import span_of
from bot.core.findings import Finding, Findings
from bot.ports import Clock, Override
from bot.runtime.checkup import OVERDUE_S
from bot.runtime.durations import duration
from bot.runtime.health import REMINDER_LATE_S
from bot.runtime.workers import WorkerBook

MOST_LOG_BYTES = 256 * 1024 * 1024
"""SQLite empties its log as it goes; one that grows that far is held up by somebody who reads."""

STUCK_AFTER = 3
"""Work that failed so often has met more than one bad moment of the model."""

MOST_LAG = 1_000
"""So many changes behind, a search no longer finds what was said this morning."""

LONG_FORGETTING_S = 3_600.0
"""What is to be forgotten is gone within minutes, unless something is in the way."""

MOST_NAMED = 5


def check_stored(config: Config, clock: Clock, *, is_running: bool) -> Findings:
    """Look at everything that is kept in the data folder, which is there. Blocking."""
    folder, now = config.data_dir, clock.now()
    zone = ZoneInfo(config.timezone)
    database, memory = folder / "daybook.db", look_at_memory(folder / "memory")
    index = look_at_index(folder / "search.db")
    if not database.exists():
        first = DATA.ok("database", f"{database.name} is made by the first start")
        return (first, *judge_memory(memory))
    today = span_of(now.astimezone(zone).date(), zone)
    look = look_at_database(database, today, now)
    return (
        *judge_database(database, look),
        *(judge_kept(look.kept, config, now, is_running=is_running) if look.kept else ()),
        judge_index(index, look.kept.newest_seq if look.kept else 0, is_running=is_running),
        *judge_memory(memory),
    )


def judge_database(file: Path, look: DatabaseLook) -> Findings:
    """Say how the file is, and what the next start does to it."""
    if look.fault:
        return (DATA.broken("database", f"{file.name} {look.fault}", look.mend),)
    sound = DATA.ok("database", f"{file.name} is sound: {size(look.size_bytes)}")
    return (sound, _schema(file, look), judge_log(look.log_bytes))


def _schema(file: Path, look: DatabaseLook) -> Finding:
    if look.version > look.newest_version:
        seen = f"{file.name} has schema {look.version}, this bot knows {look.newest_version}"
        return DATA.broken("schema", seen, "update the bot, or restore an older backup")
    if look.version == look.newest_version:
        return DATA.ok("schema", f"schema {look.version} is the newest one")
    seen = f"schema {look.version} is to become {look.newest_version}"
    mend = f"start the bot: it copies {file.name}, then brings it up to date"
    return DATA.warning("schema", f"{seen}; until then nothing more can be said of it", mend)


def judge_log(log_bytes: int) -> Finding:
    """Say what the length of the write-ahead log means."""
    seen = f"the write-ahead log is {size(log_bytes)} long"
    if log_bytes <= MOST_LOG_BYTES:
        return DATA.ok("log", seen)
    mend = "stop what reads daybook.db (a shell of sqlite3, a copy program), then restart the bot"
    return DATA.warning("log", seen, mend)


def judge_kept(kept: KeptLook, config: Config, now: datetime, *, is_running: bool) -> Findings:
    """Say what of it somebody has to see to."""
    return (
        _jobs(kept.backlog, kept.most_attempts, now, is_running=is_running),
        _replies(kept.backlog),
        _set_aside(kept.set_aside),
        _forgettings(kept.forgettings, now, is_running=is_running),
        _reminders(kept.reminders, now, is_running=is_running),
        _attendance(kept.stretches, now),
        judge_caps(kept, config),
        _changed(kept.overrides),
    )


def _jobs(backlog: Backlog, attempts: int, now: datetime, *, is_running: bool) -> Finding:
    due_at = backlog.oldest_due_at
    overdue_s = 0.0 if due_at is None else (now - due_at).total_seconds()
    seen = f"work on memory that waits: {backlog.memory_jobs}"
    if attempts >= STUCK_AFTER:
        seen = f"{seen}; that failed: {backlog.failing_jobs}, up to {attempts} times"
        mend = "its log says why (memory.put_off); look at the model below, at caps and at the disk"
        return DATA.warning("jobs", seen, mend)
    if is_running and overdue_s > OVERDUE_S:
        seen = f"{seen}; one has been due for {duration(overdue_s)}"
        return DATA.warning("jobs", seen, "restart the bot; if it comes back, look at its log")
    return DATA.ok("jobs", seen)


def _replies(backlog: Backlog) -> Finding:
    if not backlog.failed_replies:
        return DATA.ok("replies", f"no reply failed; on their way: {backlog.undelivered}")
    seen = f"replies that could not be delivered, and lie there: {backlog.failed_replies}"
    return DATA.warning("replies", seen, "in their chats /failed says why, and /retry sends them")


def _set_aside(count: int) -> Finding:
    if not count:
        return DATA.ok("set_aside", "every event of the last day made sense")
    seen = f"events of the last day that made no sense, and were set aside: {count}"
    return DATA.warning("set_aside", seen, "the log says why (inbound.set_aside); update the bot")


def _forgettings(asked: tuple[datetime, ...], now: datetime, *, is_running: bool) -> Finding:
    if not asked:
        return DATA.ok("forgetting", "nothing is left that was to be forgotten")
    age_s = (now - min(asked)).total_seconds()
    seen = f"wishes to forget that are not done: {len(asked)}, the oldest of {duration(age_s)} ago"
    if not is_running:
        return DATA.warning("forgetting", seen, "start the bot: it goes on with them")
    if age_s <= LONG_FORGETTING_S:
        return DATA.ok("forgetting", seen)
    mend = "its log says why (forgetting.store_failed): the disk, or somebody reads daybook.db"
    return DATA.warning("forgetting", seen, mend)


def _attendance(stretches: Stretches, now: datetime) -> Finding:
    """Say what the bot counts as no silence; a clock that jumped looks as though it was away."""
    gone_s = (now - stretches[-1].until).total_seconds() if stretches else 0.0
    if gone_s > LONGEST_BREAK.total_seconds():
        seen = f"away for {duration(gone_s)} now, since {stretches[-1].until:%Y-%m-%d %H:%M} UTC"
        return DATA.ok("attendance", f"{seen}: that is no chat's silence")
    away = last_break(stretches)
    if away is None:
        return DATA.ok("attendance", "the bot was never away for more than a day")
    lasted = duration((away.until - away.since).total_seconds())
    seen = (
        f"away last for {lasted} until {away.until:%Y-%m-%d %H:%M} UTC: that is no chat's silence"
    )
    if now - away.until > LONGEST_BREAK:
        return DATA.ok("attendance", seen)
    mend = "if the bot ran all that time, its clock jumped: timedatectl set-ntp true"
    return DATA.warning("attendance", seen, mend)


def _reminders(look: RemindersLook, now: datetime, *, is_running: bool) -> Finding:
    seen = f"reminders that are kept: {look.kept}"
    if look.damaged:
        seen = f"{seen}; that cannot be read: {look.damaged}"
        mend = "restore a backup that has them; else their owners are told when they are due"
        return DATA.warning("reminders", seen, mend)
    late_s = 0.0 if look.oldest_due_at is None else (now - look.oldest_due_at).total_seconds()
    if late_s <= REMINDER_LATE_S:
        return DATA.ok("reminders", seen)
    where = named(look.late_channels)
    seen = f"{seen}; overdue: {look.overdue} ({where}), the oldest by {duration(late_s)}"
    if not is_running:
        return DATA.warning("reminders", seen, "start the bot: it tells them, each once")
    mend = "its log says why (task.failed, reminders.put_off), or that channel is not configured"
    return DATA.warning("reminders", seen, mend)


def judge_workers(book: WorkerBook) -> Finding:
    """Say of a running bot whether all is done that is to be done for as long as it runs."""
    if not book.trouble:
        return DATA.ok("workers", f"at work: {', '.join(book.up)}")
    mend = "report what the log says; until it is mended, a restart may help for a while"
    return DATA.warning("workers", book.trouble, mend)


def _changed(overrides: tuple[Override, ...]) -> Finding:
    keys = tuple(dict.fromkeys(each.key for each in overrides))
    odd = tuple(each.key for each in overrides if not is_value(each.key, value_of(each)))
    if odd:
        seen = f"changed in a chat to what is no value of it, and ignored: {named(odd)}"
        mend = "write /config KEY default there for each; of a key that is no more, let it be"
        return DATA.warning("changed", seen, mend)
    if not keys:
        return DATA.ok("changed", "no setting was changed in a chat")
    return DATA.ok("changed", f"changed in chats: {named(keys)}", "/config there shows and undoes")


def judge_index(look: IndexLook, newest_seq: int, *, is_running: bool) -> Finding:
    """Say how the search index is: it can always be made anew."""
    if not look.is_there:
        return DATA.ok("search", "search.db is made by the next start")
    if look.fault:
        mend = "restart the bot: it makes search.db anew from what it keeps"
        return DATA.warning("search", f"search.db {look.fault}", mend)
    lag = max(0, newest_seq - look.applied_seq)
    if is_running and lag > MOST_LAG:
        mend = "wait some minutes; if it does not shrink, restart the bot and look at its log"
        return DATA.warning("search", f"changes that the search index lacks: {lag}", mend)
    return DATA.ok("search", f"the search index is sound; changes that it lacks: {lag}")


def judge_memory(look: MemoryLook) -> Findings:
    """Say how the memory files are."""
    return (_memory_files(look), _lasting(look))


def _memory_files(look: MemoryLook) -> Finding:
    if look.unreadable:
        seen = f"no UTF-8 text that the bot may read: memory/{named(look.unreadable)}"
        mend = "save it as UTF-8, owned by the user that runs the bot; else it is put aside"
        return DATA.warning("memory_files", seen, mend)
    if look.aside:
        seen = f"put aside, since it could not be read: memory/{named(look.aside)}"
        mend = "take over what is of use in it, then remove it"
        return DATA.warning("memory_files", seen, mend)
    return DATA.ok("memory_files", f"memory files, all of which can be read: {look.files}")


def _lasting(look: MemoryLook) -> Finding:
    if not look.stray:
        return DATA.ok("lasting", "every MEMORY.md has its marks")
    seen = f"marks of the bot are doubled or lack their other half: memory/{named(look.stray)}"
    mend = "remove the odd ones; else the bot does, and keeps what you wrote beside its own lines"
    return DATA.warning("lasting", seen, mend)


def size(size_bytes: int) -> str:
    """Write a size for people."""
    return f"{size_bytes / 1024**3:.1f} GiB" if size_bytes >= 1024**3 else f"{size_bytes >> 20} MiB"


def named(names: tuple[str, ...]) -> str:
    """Name some things, and say how many more there are."""
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
