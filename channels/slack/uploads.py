"""Files that the bot sends: a place for the content, the content, and only then a message.

The law of this file: until the last of the three calls nobody has seen anything, so that what
breaks off before it is simply done again; of the last one the fate may be unknown.
"""

from __future__ import annotations

import json

import aiohttp

from bot.api import ChatAddress, DeliveryError, FateUnknown, Reply
from channels.slack.blocks import caption_of
from channels.slack.failures import reason_of, told
from channels.slack.web import WebApi

_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10.0, sock_read=20.0)
_LATER = frozenset({408, 425, 429})


async def upload(web: WebApi, place: ChatAddress, reply: Reply) -> str:
    """Send the file of a reply into a place and give the file's id.

    Raises:
        ChannelError: It was not sent.
        FateUnknown: It may have been sent.
    """
    file = reply.file
    assert file is not None
    try:
        where = await web.ask_by_form(
            "files.getUploadURLExternal",
            {"filename": file.name, "length": len(file.content)},
        )
        file_id = told(where, "file_id")
        await _bring(web, told(where, "upload_url"), file.content)
    except FateUnknown as error:
        raise DeliveryError(str(error)) from error
    shared = {
        "files": json.dumps([{"id": file_id, "title": file.name}]),
        "channel_id": place.chat,
        "thread_ts": place.thread or None,
        "blocks": json.dumps(caption_of(reply, file)),
    }
    await web.ask_by_form("files.completeUploadExternal", shared)
    return file_id


async def _bring(web: WebApi, url: str, content: bytes) -> None:
    try:
        async with web.session.post(url, data=content, timeout=_TIMEOUT) as response:
            status = response.status
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise DeliveryError(f"Slack took no file ({reason_of(error)})") from error
    if status != 200:
        can_retry = status >= 500 or status in _LATER
        raise DeliveryError(f"Slack took no file ({status})", can_retry=can_retry)
