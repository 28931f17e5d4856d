"""The files of the pretended Slack: for whoever has the token; others are shown how to log in."""

from __future__ import annotations

from aiohttp import web


class SlackFiles:
    """Files by their names.

    Attributes:
        content: What people sent: media type and content.
        answers: Status codes of the next downloads, instead of the file.
        asked: The token that each request brought, oldest first.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self.content: dict[str, tuple[str, bytes]] = {}
        self.answers: list[int] = []
        self.asked: list[str] = []

    async def serve(self, request: web.Request) -> web.Response:
        """Give a file's content, or lead to the page for people."""
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.asked.append(given)
        if self.answers:
            return web.Response(status=self.answers.pop(0), text="no file")
        if given != self._token:
            raise web.HTTPFound("/login")
        media_type, content = self.content[request.match_info["name"]]
        return web.Response(body=content, content_type=media_type)

    async def log_in(self, request: web.Request) -> web.Response:
        """Show the page on which people log in."""
        return web.Response(text="<html>Sign in</html>", content_type="text/html")
