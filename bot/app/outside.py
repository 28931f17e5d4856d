"""What the application is built on."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bot.app.channels import Announce
from bot.ports import Channel, Clock, Conversations, Lifecycle, ModelClient, People
from bot.runtime.health import StoreWatch


class Store(Lifecycle, Conversations, People, Protocol):
    """The ports that one store fills together; ``close`` finishes what is queued."""

    async def close(self) -> None:
        """Write what is queued and let go of the file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What the application is built on; tests put fakes here.

    Attributes:
        store_watch: Is told by the store how its work went.
        data_dir: Where a running bot leaves word of how it can be asked; None to answer nobody.
        follows_bad_end: Whether the process before did not end as it should, or may not have.
        jitter: Gives numbers in [0, 1), so that pauses are not all of the same length.
    """

    store: Store
    model: ModelClient
    model_name: str
    channels: Mapping[str, Channel]
    clock: Clock
    announce: Announce
    store_watch: StoreWatch = field(default_factory=StoreWatch)
    data_dir: Path | None = None
    follows_bad_end: bool = True
    jitter: Callable[[], float] = random.random
