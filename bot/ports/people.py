"""The port to what is kept of people."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from bot.core.access import Grant
from bot.core.chat import PersonKey, Sender


class People(Protocol):
    """Who was let in by a claim or an admin, besides those the configuration names.

    ``claim_ownership`` makes a person the owner unless there is one; False then. All changes are
    audited with who made them.
    """

    async def grants(self) -> dict[PersonKey, Grant]: ...
    async def claim_ownership(self, sender: Sender, *, at: datetime) -> bool: ...
