"""What a store in memory keeps that is no chat's: settings, claimed moments, models' windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from bot.core.chat import ChatAddress, SessionKey
from bot.core.schedule import is_open
from bot.ports import EVERYWHERE, OF_GROUPS, Override, SettingChange


class KeptSettings:
    """Fills the ports Settings, JobSlots and ModelLimits from dicts."""

    def __init__(self) -> None:
        self._overrides: dict[tuple[str, str], Override] = {}
        self._changes: list[SettingChange] = []
        self._slots: dict[str, datetime] = {}
        self._windows: dict[str, int] = {}

    async def overrides(self) -> tuple[Override, ...]:
        """Give what holds in the place of the operator's settings."""
        return tuple(self._overrides[place] for place in sorted(self._overrides))

    async def override(
        self, key: str, value: str | None, *, scope: str, by: str, at: datetime
    ) -> SettingChange:
        """Set a value, or with None take the override away."""
        change = self._put(key, value, scope, by, at)
        self._changes.append(change)
        return change

    def is_memory_off(self, session_key: SessionKey) -> bool:
        """Say whether somebody switched memory off, in a chat or everywhere."""
        chat = ChatAddress.from_session_key(session_key).whole_chat.session_key
        found = (self._overrides.get((scope, "memory")) for scope in (chat, EVERYWHERE))
        override = next(filter(None, found), None)
        return override is not None and override.value == '"off"'

    async def newest_change(self, *, scope: str) -> SettingChange | None:
        """Give the newest change of a scope that was not taken back."""
        return next((each for each in reversed(self._changes) if each.scope == scope), None)

    async def undo_override(self, *, scope: str, by: str, at: datetime) -> SettingChange | None:
        """Take back the newest change of a scope."""
        newest = await self.newest_change(scope=scope)
        if newest is None:
            return None
        self._changes = [each for each in self._changes if each is not newest]
        return self._put(newest.key, newest.old, scope, by, at)

    async def claim_slot(self, name: str, slot: datetime, *, at: datetime) -> bool:
        """Claim a moment of a schedule, if it is open."""
        if not is_open(slot, self._slots.get(name), at):
            return False
        self._slots[name] = slot
        return True

    async def last_slot(self, name: str) -> datetime | None:
        """Give the newest claimed moment of a schedule."""
        return self._slots.get(name)

    async def windows(self) -> dict[str, int]:
        """Give what models were found to read."""
        return dict(self._windows)

    async def learn_window(self, model: str, tokens: int, *, at: datetime) -> None:
        """Note what a model was found to read."""
        self._windows[model] = tokens

    def remove_settings_of(self, session_key: SessionKey) -> None:
        """Forget what was set in one chat."""
        self._overrides = {
            place: kept
            for place, kept in self._overrides.items()
            if place[0] != session_key or place[1] in OF_GROUPS
        }
        self._changes = [
            change
            for change in self._changes
            if change.scope != session_key or change.key in OF_GROUPS
        ]

    def rename_scopes(self, rename: Callable[[SessionKey], SessionKey]) -> None:
        """Give chats other keys; what is set under the new one stays."""

        def after(scope: str) -> str:
            return scope if scope == EVERYWHERE else rename(SessionKey(scope))

        for scope, key in tuple(self._overrides):
            if after(scope) != scope:
                override = self._overrides.pop((scope, key))
                moved = replace(override, scope=after(scope))
                self._overrides.setdefault((moved.scope, key), moved)
        self._changes = [replace(each, scope=after(each.scope)) for each in self._changes]

    def _put(self, key: str, value: str | None, scope: str, by: str, at: datetime) -> SettingChange:
        before = self._overrides.pop((scope, key), None)
        if value is not None:
            self._overrides[scope, key] = Override(
                key=key, scope=scope, value=value, changed_by=by, changed_at=at
            )
        old = None if before is None else before.value
        return SettingChange(key=key, scope=scope, old=old, new=value)
