"""Clients that die in the middle of a request, as bots do that are killed."""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler


@web.middleware
async def forgive_hang_ups(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let a pretended server go on without a word when nobody is there to answer any more."""
    try:
        return await handler(request)
    except ConnectionResetError:
        return web.Response()
