"""Files that came with messages, fetched from the Bot API or from the disk it shares with the bot.

The law of this file: never more of a file is held than the bot takes, whatever the server says of
its size, and no file of this machine is read but below the folder that the operator names.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import httpx
from telegram import Bot
from telegram.error import TelegramError

from bot.api import (
    MOST_FILE_BYTES,
    ChannelAuthError,
    ChannelError,
    DeliveryError,
    FileTooLarge,
)
from channels.telegram.failures import failure_of, reason_of
from channels.telegram.token import TOKEN_REFUSED

_TIMEOUT = httpx.Timeout(20.0, connect=10.0)
_WEB = ("http://", "https://")
_TOO_BIG = "file is too big"
"""How the Bot API's own server refuses more than 20 MB."""

_LATER = frozenset({408, 425, 429})


class Files:
    """Fetches files; holds connections from the first one on."""

    def __init__(self, bot: Bot, server_files: Path | None = None) -> None:
        """Fetch by ``bot``; a server of the operator's own keeps files in ``server_files``."""
        self._bot = bot
        self._server_files = server_files
        self._web: httpx.AsyncClient | None = None
        self._opening = asyncio.Lock()

    async def fetch(self, file_id: str) -> bytes:
        """Give a file's content.

        Raises:
            ChannelAuthError: The token is refused.
            FileTooLarge: It has more than ``MOST_FILE_BYTES``.
            DeliveryError: It cannot be had, now or ever.
        """
        try:
            file = await self._bot.get_file(file_id)
        except TelegramError as error:
            raise _refusal(error) from error
        path = file.file_path or ""
        if (file.file_size or 0) > MOST_FILE_BYTES:
            raise FileTooLarge
        if path.startswith(_WEB):
            return await self._download(path)
        if not path or not Path(path).is_absolute():
            raise DeliveryError("Telegram does not say where the file is", can_retry=False)
        if self._server_files is None:
            raise DeliveryError("the server keeps files on its own disk", can_retry=False)
        return await asyncio.to_thread(_read_local, Path(path), self._server_files)

    async def close(self) -> None:
        """Give the connections back."""
        web, self._web = self._web, None
        if web is not None:
            await web.aclose()

    async def _download(self, url: str) -> bytes:
        web = await self._open_web()
        parts = urlsplit(url)
        address = urlunsplit(parts._replace(path=quote(parts.path)))
        try:
            async with web.stream("GET", address) as response:
                if response.status_code != httpx.codes.OK:
                    raise _refused(response.status_code)
                return await _read(response)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            # Not "from error": what these say has the address in it, and that the token.
            reason = reason_of(error) or type(error).__name__
            raise DeliveryError(f"Telegram gave no file ({reason})") from None

    async def _open_web(self) -> httpx.AsyncClient:
        async with self._opening:
            if self._web is None:  # it reads the system's certificates
                self._web = await asyncio.to_thread(httpx.AsyncClient, timeout=_TIMEOUT)
            return self._web


async def _read(response: httpx.Response) -> bytes:
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > MOST_FILE_BYTES:
            raise FileTooLarge
    return bytes(content)


def _read_local(path: Path, folder: Path) -> bytes:
    """Read a file below a folder; links are followed before it is told where one lies."""
    try:
        place = path.resolve(strict=True)
        if not place.is_relative_to(folder.resolve()) or not place.is_file():
            raise DeliveryError("the file lies where none is read", can_retry=False)
        with place.open("rb") as file:
            content = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        reason = f"the file lies where it cannot be read ({type(error).__name__})"
        raise DeliveryError(reason, can_retry=False) from None
    if len(content) > MOST_FILE_BYTES:
        raise FileTooLarge
    return content


def _refusal(error: TelegramError) -> ChannelError:
    if _TOO_BIG in error.message.lower():
        return FileTooLarge()
    return failure_of(error, is_repeatable=True)


def _refused(status: int) -> ChannelError:
    if status == httpx.codes.UNAUTHORIZED:
        return ChannelAuthError(TOKEN_REFUSED)
    can_retry = status >= 500 or status in _LATER
    return DeliveryError(f"Telegram gave no file ({status})", can_retry=can_retry)
