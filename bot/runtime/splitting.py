"""Cutting texts into platform messages without stopping everybody else."""

from __future__ import annotations

import asyncio

from bot.ports import Channel

INLINE_CHARS = 4_000
"""What is cut in a few milliseconds; a channel may render each candidate, which takes its time."""


async def split_text(channel: Channel, text: str) -> tuple[str, ...]:
    """Cut a text as its channel needs it, a long one beside the event loop."""
    if len(text) <= INLINE_CHARS:
        return channel.split(text)
    return await asyncio.to_thread(channel.split, text)
