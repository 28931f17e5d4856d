"""``/memory history`` and ``/memory restore``: former texts of memory files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from bot.core.memory.audience import Viewer
from bot.core.memory.versions import LASTING, FileVersion, VersionStamp, has_versions
from bot.errors import StoreError, StoreLost
from bot.languages import gettext, gettext_noop
from bot.ports import Choice, CommandAnswer, CommandContext, FileVersions
from bot.runtime.commands.context import ONLY_ADMINS, may_change

MOST_RESTORES = 4
"""So many of the newest versions have a button."""

NO_FILES = gettext_noop("Nothing is kept in files here.")
NO_SUCH_FILE = gettext_noop(
    "That is no memory file: it is `MEMORY.md`, or a day such as `2026-11-30`."
)
NO_VERSIONS = gettext_noop("There is no former text of `{name}`.")
NO_SUCH_VERSION = gettext_noop(
    "There is no such version of `{name}`; `/memory history {name}` lists them."
)
HOW_TO_RESTORE = gettext_noop(
    "Say which: `/memory restore FILE VERSION`, as `/memory history FILE` lists them."
)
RESTORED = gettext_noop(
    "`{name}` says again what it said then; what it said just now is kept as a version. Facts stay "
    "as they are: those that it lists are written anew by the bot."
)
UNREADABLE_FILES = gettext_noop("The memory files cannot be read or written at this moment.")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHistory:
    """Shows versions of an audience's files and brings them back; in a group for its admins.

    Attributes:
        files: None where nothing is kept in files.
        zone: In which times are told.
    """

    files: FileVersions | None
    zone: tzinfo

    async def history(self, words: str, viewer: Viewer, context: CommandContext) -> CommandAnswer:
        """List the former texts of a file, without words of them."""
        name = _file_named(words)
        if self.files is None or not may_change(context) or name is None:
            return CommandAnswer(text=self._refusal(context) or gettext(NO_SUCH_FILE))
        try:
            kept = await self.files.history(viewer, name)
        except StoreLost:
            raise
        except StoreError:
            return CommandAnswer(text=gettext(UNREADABLE_FILES))
        if not kept:
            return CommandAnswer(text=gettext(NO_VERSIONS, name=name))
        choices = tuple(
            Choice(label=label, command=f"memory restore {name} {each.stamp}")
            for label, each in zip(_labels(kept[:MOST_RESTORES], self.zone), kept, strict=False)
        )
        text = _page(name, kept, self.zone)
        return CommandAnswer(text=text, choices=choices if context.has_buttons else ())

    async def restore(self, words: str, viewer: Viewer, context: CommandContext) -> str:
        """Make a version the file's text again."""
        file, _, stamp = words.partition(" ")
        name = _file_named(file)
        if self.files is None or not may_change(context):
            return self._refusal(context)
        if name is None or not stamp.strip():
            return gettext(NO_SUCH_FILE) if name is None else gettext(HOW_TO_RESTORE)
        try:
            is_done = await self.files.restore(viewer, name, VersionStamp(stamp.strip()))
        except StoreLost:
            raise
        except StoreError:
            return gettext(UNREADABLE_FILES)
        return gettext(RESTORED if is_done else NO_SUCH_VERSION, name=name)

    def _refusal(self, context: CommandContext) -> str:
        if not may_change(context):
            return gettext(ONLY_ADMINS)
        return gettext(NO_FILES) if self.files is None else ""


def _page(name: str, kept: tuple[FileVersion, ...], zone: tzinfo) -> str:
    """List the former texts of a file, newest first."""
    head = gettext("**Former texts of `{name}`**", name=name)
    way = gettext(
        "`/memory restore {name} VERSION` brings one back; the present text is kept as well.",
        name=name,
    )
    return "\n".join((head, "", *(_version_line(each, zone) for each in kept), "", way))


def _labels(kept: tuple[FileVersion, ...], zone: tzinfo) -> tuple[str, ...]:
    """Name versions by their minute, or by what is finer where two of them are of the same one."""
    times = [each.at.astimezone(zone) for each in kept]
    forms = ("%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f")
    told = [
        tuple(gettext("Restore {when}", when=f"{each:{form}}") for each in times) for form in forms
    ]
    return next((labels for labels in told if len(set(labels)) == len(labels)), told[-1])


def _file_named(words: str) -> str | None:
    """Give the file's name; a day alone means its daily file, nothing the one of lasting facts."""
    name = words.strip() or LASTING
    candidates = (name, f"{name}.md", name.upper().removesuffix(".MD") + ".md")
    return next((each for each in candidates if has_versions(each)), None)


def _version_line(version: FileVersion, zone: tzinfo) -> str:
    line = gettext(
        "`{version}`: until {when}, {size}",
        version=version.stamp,
        when=f"{version.at.astimezone(zone):%Y-%m-%d %H:%M}",
        size=_size(version.size_bytes),
    )
    return f"- {line}"


def _size(size_bytes: int) -> str:
    if size_bytes >= 1_000:
        return f"{size_bytes / 1000:.1f} kB"
    return gettext("{count} bytes", count=size_bytes)
