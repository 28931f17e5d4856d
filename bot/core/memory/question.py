"""What is asked of memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Words to be searched for.

    Attributes:
        asked_on: The day on which it is asked, where the asker is: what *yesterday* counts from.
        asked_by: The name of who asks, whom *I* and *my* mean; empty where it is not known.
    """

    text: str
    asked_on: date
    asked_by: str = ""
