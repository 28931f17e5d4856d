"""The starts that did not come to a good end: so that a crash loop is slow, and yet goes on.

A small file in the data folder holds when each of them was. A good end removes it.
"""

from __future__ import annotations

import contextlib
import json
import os
from datetime import datetime, timedelta
from pathlib import Path

FILE_NAME = "starts.json"

WITHIN = timedelta(minutes=5)
MOST_BAD_ENDS = 3
PAUSE_S = 5.0
"""How long a start waits that had so many bad ends shortly before: long enough that neither the
machine nor the platforms suffer, short enough that nobody needs to step in."""


class StartLog:
    """Knows of former starts on a data folder. What it cannot read or write counts as nothing.

    Attributes:
        follows_bad_end: Whether the start before :meth:`begin` had no good end; until that is
            called nobody knows.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self.follows_bad_end = True

    def begin(self, now: datetime) -> float:
        """Note a start; say for how many seconds it should wait."""
        former = self._read()
        self.follows_bad_end = bool(former)
        recent = [at for at in former if timedelta() <= now - at <= WITHIN]
        with contextlib.suppress(OSError):
            moments = [at.isoformat() for at in (*recent, now)]
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(moments, file)
        return PAUSE_S if len(recent) >= MOST_BAD_ENDS else 0.0

    def end_well(self) -> None:
        """Forget the starts: this one came to a good end."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _read(self) -> list[datetime]:
        try:
            found: object = json.loads(self._path.read_text(encoding="utf-8"))
            moments = [datetime.fromisoformat(str(each)) for each in found]  # type: ignore[attr-defined]  # no list is a TypeError
        except (OSError, ValueError, TypeError):
            return []
        return [at for at in moments if at.tzinfo is not None]
