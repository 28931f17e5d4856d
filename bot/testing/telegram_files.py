"""The files of the pretended Telegram that a bot can fetch."""

from __future__ import annotations

from aiohttp import web

from bot.testing.telegram_rules import Json, Refusal

MOST_BYTES = 20 * 1024 * 1024
"""Source: Telegram Bot API, getFile, read 2026-11-30."""


class TelegramFiles:
    """Files by their ids.

    Attributes:
        content: What people sent.
        claimed_sizes: What is said of a file's size where that is not so.
        places: Where a file lies on disk, for a server that keeps its files beside the bot.
        answers: Status codes of the next downloads, instead of the file.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self.content: dict[str, bytes] = {}
        self.claimed_sizes: dict[str, int] = {}
        self.places: dict[str, str] = {}
        self.answers: list[int] = []

    def get_file(self, params: Json) -> Json:
        """Say where a file can be fetched."""
        file_id = str(params.get("file_id", ""))
        if file_id not in self.content:
            raise Refusal(400, "Bad Request: wrong file_id or the file is temporarily unavailable")
        size = self.claimed_sizes.get(file_id, len(self.content[file_id]))
        if size > MOST_BYTES:
            raise Refusal(400, "Bad Request: file is too big")
        return {
            "file_id": file_id,
            "file_unique_id": file_id,
            "file_size": size,
            "file_path": self.places.get(file_id, f"documents/{file_id}"),
        }

    async def serve(self, request: web.Request) -> web.Response:
        """Give a file's content."""
        if request.match_info["token"] != self._token:
            return web.Response(status=401)
        if self.answers:
            return web.Response(status=self.answers.pop(0), text="no file")
        content = self.content.get(request.match_info["path"].removeprefix("documents/"))
        return web.Response(status=404) if content is None else web.Response(body=content)
