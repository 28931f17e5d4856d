"""Scopes: what of the index a viewer may see, told apart before anything is counted.

The law of this file: a piece is in the scope of its audience and, said in a group, in that of who
said it there. A viewer's scopes are disjoint, and together are exactly what they may recall, so
that pieces of others are neither found, nor weighed, nor counted among what is frequent.
"""

from __future__ import annotations

import json
import sqlite3

from bot.core.memory.audience import Audience, Origin, Viewer
from bot.core.memory.items import ItemKind

ScopeId = int

_GLOBAL = "everybody"


def names_of_origin(origin: Origin) -> tuple[str, ...]:
    """Name the scopes that a piece is in."""
    if origin.audience is None:
        return (_GLOBAL,)
    if origin.audience.kind == "group" and origin.said_by:
        return (_audience(origin.audience), _person(origin.said_by))
    return (_audience(origin.audience),)


def names_of_viewer(viewer: Viewer) -> tuple[str, ...]:
    """Name the scopes that a viewer sees."""
    if viewer.audience.kind == "private" and viewer.person_key:
        return (_audience(viewer.audience), _GLOBAL, _person(viewer.person_key))
    return (_audience(viewer.audience), _GLOBAL)


def scopes_seen(
    connection: sqlite3.Connection, viewer: Viewer, kinds: frozenset[ItemKind]
) -> dict[ScopeId, int]:
    """Give the scopes of a viewer that have pieces of these kinds, each with how many it has."""
    names = names_of_viewer(viewer)
    rows = connection.execute(
        f"SELECT id, kind, size FROM scope WHERE size > 0 AND name IN ({_marks(names)})",  # noqa: S608 - question marks
        names,
    )
    return {int(id_): int(size) for id_, kind, size in rows if not kinds or kind in kinds}


def enter(connection: sqlite3.Connection, origin: Origin, kind: ItemKind) -> tuple[ScopeId, ...]:
    """Count a piece in; gives its scopes, which are made if need be."""
    return tuple(_counted(connection, name, kind, 1) for name in names_of_origin(origin))


def leave(connection: sqlite3.Connection, origin: Origin, kind: ItemKind) -> tuple[ScopeId, ...]:
    """Count a piece out; gives the scopes it was in."""
    return tuple(_counted(connection, name, kind, -1) for name in names_of_origin(origin))


def _counted(connection: sqlite3.Connection, name: str, kind: ItemKind, more: int) -> ScopeId:
    row = connection.execute(
        "INSERT INTO scope (name, kind, size) VALUES (?, ?, 1)"
        " ON CONFLICT (name, kind) DO UPDATE SET size = size + ? RETURNING id",
        (name, kind, more),
    ).fetchone()
    return int(row[0])


def _audience(audience: Audience) -> str:
    return json.dumps([audience.channel, audience.account, audience.chat, audience.kind])


def _person(person_key: str) -> str:
    return json.dumps([person_key])


def _marks(values: tuple[str, ...]) -> str:
    return ", ".join("?" * len(values))
