"""The running bot being asked from outside: started late, since nothing waits for it."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import secrets
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from bot.adapters.control_client import Contact, left_in
from bot.app.clean_up import Answer, answer_clean_up
from bot.config import HttpPlace
from bot.runtime.access_gate import OPERATOR
from bot.runtime.commands.status import Vitals
from bot.runtime.housekeeping import CleanUpParts
from bot.runtime.pairing import Pairings

logger = logging.getLogger(__name__)


async def answer_questions(
    place: HttpPlace,
    data_dir: Path,
    vitals: Callable[[], Vitals],
    clean_up: CleanUpParts,
    pairings: Pairings,
) -> None:
    """Answer until cancelled; where nothing can be listened on, say so and return.

    ``data_dir`` is where word is left of how to ask.
    """
    await asyncio.to_thread(importlib.import_module, "bot.adapters.control_server")
    from bot.adapters.control_server import ControlServer

    async def health(_: str) -> dict[str, object]:
        now = vitals().health
        return {"status": now.condition, "reasons": now.reasons}

    async def status(_: str) -> dict[str, object]:
        return asdict(vitals()) | {"pid": os.getpid()}

    async def would_go(_: str) -> Answer:
        return await answer_clean_up(clean_up, is_dry_run=True)

    async def remove(_: str) -> Answer:
        return await answer_clean_up(clean_up, is_dry_run=False)

    async def pair(code: str) -> dict[str, object]:
        return asdict(await pairings.let_in(code, by=OPERATOR))

    token = secrets.token_urlsafe(32)
    server = ControlServer(
        place.host,
        place.port,
        token=token,
        is_up=lambda: vitals().health.condition != "down",
        health=health,
        answers={
            ("GET", "/status"): status,
            ("GET", "/cleanup"): would_go,
            ("POST", "/cleanup"): remove,
            ("POST", "/pair"): pair,
        },
    )
    try:
        async with server:
            contact = Contact(address=server.address, token=token, pid=os.getpid())
            with left_in(data_dir, contact):
                logger.info("http.listening", extra={"address": server.address})
                await asyncio.Event().wait()
    except OSError as error:
        about = {"host": place.host, "port": place.port, "why": str(error)}
        logger.warning("http.not_listening", extra=about)
