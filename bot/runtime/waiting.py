"""Waiting: with a limit on the product's clock, for the first of several, or to the very end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from bot.ports import Clock

Result = TypeVar("Result")


async def within(clock: Clock, seconds: float, work: Coroutine[object, object, Result]) -> Result:
    """Run ``work`` for at most so long.

    Raises:
        TimeoutError: It was cut. It was told to stop, and is not waited for beyond that.
    """
    task = asyncio.ensure_future(work)
    alarm = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({task, alarm}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise TimeoutError(f"not done within {seconds:g} s")
    finally:
        task.cancel()
        alarm.cancel()


async def whole(work: Coroutine[object, object, Result]) -> Result:
    """Run ``work`` to its end also when the caller is cancelled; that goes on afterwards.

    For what is short and must not be left in the middle.
    """
    task = asyncio.ensure_future(work)
    was_cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            was_cancelled = True
    if was_cancelled:
        if not task.cancelled():
            task.exception()  # seen; nobody is there to be told
        raise asyncio.CancelledError
    return task.result()


async def either(*waits: Coroutine[object, object, object]) -> None:
    """Wait for whichever ends first; the others are told to stop."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
