"""Whether there is anything new for the search index."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class News:
    """Whether anything that can be recalled changed since this was looked at."""

    is_any: bool = False

    def take(self) -> bool:
        """Say so, and begin anew."""
        was_any, self.is_any = self.is_any, False
        return was_any
