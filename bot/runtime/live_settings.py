"""Settings as they hold at this moment: the operator's, changed by admins in the chat."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from bot.config.changes import CHANGEABLE, Value, is_value
from bot.core.access import GroupMode
from bot.core.chat import ChatAddress, Sender, SessionKey
from bot.languages import Language, language_of
from bot.ports import EVERYWHERE, OF_GROUPS, Clock, Override, SettingChange, Settings
from bot.runtime.context import TurnLimits

logger = logging.getLogger(__name__)

Source = Literal["here", "everywhere", "operator"]
"""Who has the last word on a setting: it was set for this chat, for all chats, or neither."""

Follower = Callable[[Value], None]
"""Is told what admins set for all chats; None where the operator's value holds (again)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What holds for a key in a chat, or everywhere, and who said so.

    Attributes:
        changed: The override that it comes from; None where the operator's value holds.
    """

    key: str
    value: Value
    source: Source
    changed: Override | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What a change did in its scope, one chat or everywhere."""

    scope: str
    before: Setting
    after: Setting


class LiveSettings:
    """Gives settings by chat: what was set here, else everywhere, else by the operator.

    Reading waits for nothing, so that the limits can be asked before every call of the model.
    """

    def __init__(self, operator: Mapping[str, Value], store: Settings, clock: Clock) -> None:
        """Begin with the operator's values, one for each key of :data:`CHANGEABLE`."""
        self._operator = dict(operator)
        self._store = store
        self._clock = clock
        self._overrides: dict[tuple[str, str], tuple[Value, Override]] = {}
        self._followers: list[tuple[str, Follower]] = []
        self._changing = asyncio.Lock()  # else two changes could land here in another order

    def follow(self, key: str, follower: Follower) -> None:
        """Tell somebody at every load or change of a setting what holds for all chats."""
        self._followers.append((key, follower))

    async def load(self) -> None:
        """Read what admins changed before; what is no value of its setting is left aside."""
        async with self._changing:
            kept = await self._store.overrides()
            self._overrides = {}
            for override in kept:
                self._take(override)
            self._tell(CHANGEABLE)

    def setting(self, key: str, scope: str = EVERYWHERE) -> Setting:
        """Give a setting as it holds in a chat, or everywhere."""
        scope = _scope_of(key, scope)
        places: tuple[tuple[Source, str], ...] = (("here", scope), ("everywhere", EVERYWHERE))
        for source, place in places[0 if scope else 1 :]:
            if (place, key) in self._overrides:
                value, override = self._overrides[place, key]
                return Setting(key=key, value=value, source=source, changed=override)
        return Setting(key=key, value=self._operator.get(key), source="operator")

    def operator_value(self, key: str) -> Value:
        """Give the operator's own value."""
        return self._operator[key]

    def number(self, key: str, scope: str = EVERYWHERE) -> int:
        """Give a setting that is a number."""
        value = self.setting(key, scope).value
        assert isinstance(value, int)
        return value

    def amount(self, key: str) -> float | None:
        """Give a setting for all chats that is an amount, or not set."""
        value = self.setting(key).value
        assert value is None or isinstance(value, int | float)
        return value

    def name(self, key: str, scope: str = EVERYWHERE) -> str:
        """Give a setting that is a word."""
        value = self.setting(key, scope).value
        assert isinstance(value, str)
        return value

    def group_mode(self, address: ChatAddress) -> GroupMode:
        """Give which messages the bot listens to in a group, in all its threads."""
        value = self.setting("group_mode", address.session_key).value
        return next(mode for mode in get_args(GroupMode) if mode == value)

    def language(self, address: ChatAddress, reader: Sender | None) -> Language:
        """Give the language in which somebody is spoken to in a chat.

        Without a reader nobody asked for what is said, and nobody's language is known.
        """
        value = self.name("language", address.session_key)
        known = "" if reader is None else reader.language
        return language_of(known if value == "auto" else value)

    def is_remembered(self, session_key: SessionKey) -> bool:
        """Say whether memory is on for all who can see a chat: its threads are not asked apart."""
        return self.setting("memory", session_key).value != "off"

    def summary_model(self, session_key: SessionKey) -> str:
        """Give the model that summarises a chat; where none is set, the one that answers."""
        value = self.setting("summary_model", session_key).value
        return value if isinstance(value, str) else self.name("model", session_key)

    def limits(self, session_key: SessionKey) -> TurnLimits:
        """Give what holds for a chat's next call of the model."""
        window = self.setting("model_window_tokens", session_key).value
        return TurnLimits(
            model=self.name("model", session_key),
            max_tokens=self.number("max_tokens", session_key),
            max_steps=self.number("agent_max_steps", session_key),
            max_turns=self.number("agent_max_context_turns", session_key),
            max_context_tokens=self.number("agent_max_context_tokens", session_key),
            window_tokens=window if isinstance(window, int) else None,
        )

    async def change(self, key: str, value: Value, *, scope: str, by: str) -> Changed | None:
        """Set a value in one chat or everywhere; None gives it back to whoever is next.

        Returns:
            What changed; None when that holds there already, and then nothing is written.

        Raises:
            ValueError: It is no value of this setting.
        """
        if value is not None and not is_value(key, value):
            raise ValueError(f"{value!r} is no value of {key}")
        text = None if value is None else json.dumps(value)
        scope = _scope_of(key, scope)
        async with self._changing:
            if self._holds(key, value, scope):
                return None
            at = self._clock.now()
            done = await self._store.override(key, text, scope=scope, by=by, at=at)
            return self._land(done, _override(done, by=by, at=at))

    async def undo(self, *, scope: str, by: str) -> Changed | None:
        """Take the newest change in one chat, or everywhere, back; None when there is none.

        In a thread in which nothing was changed, it is the newest one of its group as a whole.
        """
        async with self._changing:
            at = self._clock.now()
            for place in dict.fromkeys((scope, _whole(scope))):
                done = await self._store.undo_override(scope=place, by=by, at=at)
                if done is not None:
                    return self._land(done, _override(done, by=by, at=at))
            return None

    async def undoable(self, scope: str) -> tuple[str, Value] | None:
        """Give the key that :meth:`undo` would change, and to what; None when it changes nothing.

        The value is None where it would be given back to whoever is next.
        """
        for place in dict.fromkeys((scope, _whole(scope))):
            if (newest := await self._store.newest_change(scope=place)) is not None:
                return newest.key, None if newest.old is None else _parsed(newest.old)
        return None

    def forget(self, session_key: SessionKey) -> None:
        """Drop what was set in a chat that was removed from the store."""
        for key in CHANGEABLE:
            if key not in OF_GROUPS:
                self._overrides.pop((session_key, key), None)

    def _holds(self, key: str, value: Value, scope: str) -> bool:
        if value is None:
            return (scope, key) not in self._overrides
        return self.setting(key, scope).value == value

    def _land(self, done: SettingChange, override: Override | None) -> Changed:
        """Let a change that is stored count from now on."""
        before = self.setting(done.key, done.scope)
        self._overrides.pop((done.scope, done.key), None)
        if override is not None:
            self._take(override)
        if done.scope == EVERYWHERE:
            self._tell((done.key,))
        logger.info(
            "setting.changed",
            extra={"setting": done.key, "scope": done.scope, "old": done.old, "new": done.new},
        )
        return Changed(scope=done.scope, before=before, after=self.setting(done.key, done.scope))

    def _take(self, override: Override) -> None:
        value = _read(override)
        if is_value(override.key, value):
            self._overrides[override.scope, override.key] = (value, override)
            return
        logger.warning("setting.ignored", extra={"setting": override.key, "scope": override.scope})

    def _tell(self, keys: tuple[str, ...]) -> None:
        for key, follower in self._followers:
            if key in keys:
                setting = self.setting(key)
                follower(None if setting.source == "operator" else setting.value)


def _scope_of(key: str, scope: str) -> str:
    """Say where a setting is kept that is set or asked for in a chat."""
    return _whole(scope) if key in OF_GROUPS else scope


def _whole(scope: str) -> str:
    """Give the scope of a chat with all its threads; a thread is the last part of a session key."""
    return scope[: scope.rfind(":") + 1]


def _override(done: SettingChange, *, by: str, at: datetime) -> Override | None:
    if done.new is None:
        return None
    return Override(key=done.key, scope=done.scope, value=done.new, changed_by=by, changed_at=at)


def _read(override: Override) -> Value:
    return _parsed(override.value)


def _parsed(text: str) -> Value:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (int, float, str)) else None
