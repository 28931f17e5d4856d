"""Files that came with messages, fetched with the bot's token.

The law of this file: the token goes to Slack and to nobody else. A message may name a file that
lies elsewhere (Slack calls it external), whose address anybody can choose.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import aiohttp

from bot.api import (
    MOST_FILE_BYTES,
    Attachment,
    ChannelAuthError,
    ChannelError,
    DeliveryError,
    FileTooLarge,
)
from channels.slack.failures import reason_of

_DOMAINS = (".slack.com", ".slack-gov.com")
_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10.0, sock_read=20.0)
_LATER = frozenset({408, 425, 429})


async def fetch_file(
    session: aiohttp.ClientSession, attachment: Attachment, *, token: str, base_url: str
) -> bytes:
    """Give a file's content; ``handle`` is its ``url_private``.

    Args:
        session: To make the request with.
        attachment: What to fetch.
        token: The bot's.
        base_url: Of the Web API: what lies on the same server is Slack's too.

    Raises:
        ChannelAuthError: The token is refused.
        FileTooLarge: It has more than ``MOST_FILE_BYTES``.
        DeliveryError: It cannot be had, now or ever.
    """
    if not _is_slacks(attachment.handle, base_url):
        raise DeliveryError("the file does not lie with Slack", can_retry=False)
    headers = {"Authorization": f"Bearer {token}"}
    try:
        # Led to another server, the session takes the token out of the request.
        async with session.get(attachment.handle, headers=headers, timeout=_TIMEOUT) as response:
            if response.status != 200:
                raise _refused(response.status)
            if _is_login_page(response, attachment):
                raise _no_access()
            return await _read(response)
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise DeliveryError(f"Slack gave no file ({reason_of(error)})") from error


def _is_slacks(url: str, base_url: str) -> bool:
    try:
        parts, own = urlsplit(url), urlsplit(base_url)
    except ValueError:
        return False
    if (parts.scheme, parts.netloc) == (own.scheme, own.netloc):
        return True
    return parts.scheme == "https" and (parts.hostname or "").endswith(_DOMAINS)


def _is_login_page(response: aiohttp.ClientResponse, attachment: Attachment) -> bool:
    """Tell whether Slack shows a page for people instead of a file, which it does with a 200."""
    if not response.content_type.endswith("html"):
        return False
    return bool(response.history) or "html" not in attachment.media_type


async def _read(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for piece in response.content.iter_any():
        content += piece
        if len(content) > MOST_FILE_BYTES:
            raise FileTooLarge
    return bytes(content)


def _refused(status: int) -> ChannelError:
    if status == 401:
        return ChannelAuthError("Slack refused the token: check channels.slack.bot_token")
    if status == 403:
        return _no_access()
    can_retry = status >= 500 or status in _LATER
    return DeliveryError(f"Slack gave no file ({status})", can_retry=can_retry)


def _no_access() -> DeliveryError:
    return DeliveryError(
        "Slack shows the bot no file: channels.slack.bot_token lacks the scope files:read",
        can_retry=False,
    )
