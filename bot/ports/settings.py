"""The port to settings that admins change in the chat."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

EVERYWHERE = ""
"""The scope of a setting that holds for all chats; any other scope is a session key."""


OF_GROUPS = frozenset({"group_mode", "language", "memory"})
"""Settings that a group has as a whole, with all its threads: set for one of these, they are set
for the group, and stay when its conversations are removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A setting that takes the place of the operator's; ``value`` is JSON text."""

    key: str
    scope: str
    value: str
    changed_by: str
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChange:
    """What a change did: JSON texts, None where the operator's own value holds."""

    key: str
    scope: str
    old: str | None
    new: str | None


class Settings(Protocol):
    """Overrides of the operator's settings; every change is audited with who made it.

    ``undo_override`` takes back the newest change in a scope that was not taken back yet, which
    ``newest_change`` gives; None when there is none.
    """

    async def overrides(self) -> tuple[Override, ...]: ...
    async def override(
        self, key: str, value: str | None, *, scope: str, by: str, at: datetime
    ) -> SettingChange: ...
    async def newest_change(self, *, scope: str) -> SettingChange | None: ...
    async def undo_override(self, *, scope: str, by: str, at: datetime) -> SettingChange | None: ...
