"""What SQLite's words mean to an operator."""

from __future__ import annotations

_MENDS = (
    ("not a database", "is no database; move it away or restore a backup"),
    ("malformed", "is damaged; restore a backup"),
    ("unable to open", "cannot be opened; check that it is a file in a folder that can be written"),
    ("readonly", "cannot be written; mend its permissions"),
    ("locked", "is in use by another program; stop that first"),
    ("full", "has no space left on its disk; free some"),
)


def mend_of(reason: str) -> str:
    """Say what is wrong with a database; what to do about it."""
    for known, mend in _MENDS:
        if known in reason:
            return mend
    return f"cannot be used: {reason}"
