"""What an operator can get wrong about Slack, looked at."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp

from bot.api import (
    ChannelAuthError,
    ChannelError,
    Clock,
    DeliveryError,
    Finding,
    Grade,
    http_date,
    judge_clock,
    one_line,
)
from channels.slack.failures import translated
from channels.slack.http_events import signature
from channels.slack.manifest import SCOPES
from channels.slack.settings import CHANNEL, Settings

if TYPE_CHECKING:
    from channels.slack.web import WebApi

MOST_CHANNELS = 20
"""How many of the channels of the settings are looked up."""

LOCAL_TIMEOUT = aiohttp.ClientTimeout(total=5.0)

NEEDED = frozenset({"app_mentions:read", "chat:write", "im:history"})
"""The scopes without which hardly anything works."""

_NO_WAY_TO_SLACK = (
    'look at the network, at "proxy" or https_proxy, at status.slack.com, and at'
    " channels.slack.base_url"
)
_GIVE_BOT = (
    "Slack: your app, OAuth & Permissions, Bot User OAuth Token (xoxb-…), into SLACK_BOT_TOKEN or"
    " channels.slack.bot_token"
)
_GIVE_APP = (
    "Slack: your app, Settings, Socket Mode: on; then Basic Information, App-Level Tokens, one with"
    " connections:write (xapp-…), into SLACK_APP_TOKEN or channels.slack.app_token"
)
_GIVE_SIGNING = (
    "Slack: your app, Basic Information, Signing Secret, into SLACK_SIGNING_SECRET or"
    " channels.slack.signing_secret"
)
_REINSTALL = (
    "Slack: your app, App Manifest: put in what `python3 run.py slack-manifest` prints; then"
    " Install App, Reinstall"
)
_SECRET = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """Looks at everything, one question after the other; nothing is changed.

    Attributes:
        is_running: Another process receives for this bot just now.
    """

    web: WebApi
    settings: Settings
    clock: Clock
    is_running: bool

    async def findings(self) -> tuple[Finding, ...]:
        """Look at everything."""
        found = list(await self._bot_token())
        if self.settings.mode == "http":
            found += [self._signing_secret(), await self._requests()]
        else:
            found.append(await self._socket())
        if found[0].grade != "broken":
            found += [each async for each in self._channels()]
        return tuple(found)

    async def _bot_token(self) -> tuple[Finding, ...]:
        try:
            with translated("bot_token"):
                answer = await self.web.client.auth_test()
        except ChannelError as error:
            return (_failure("bot_token", error, _GIVE_BOT),)
        team, user = one_line(str(answer.get("team"))), one_line(str(answer.get("user")))
        seen = f"the bot token is that of @{user} in the workspace {team}"
        return (_ok("bot_token", seen), *self._read(answer.headers))

    def _read(self, headers: Mapping[str, str]) -> Iterator[Finding]:
        """Judge what an answer of Slack says beside its content."""
        given = headers.get("x-oauth-scopes")
        if given is not None:
            yield from _scopes(frozenset(each.strip() for each in given.split(",")))
        theirs = http_date(headers.get("Date", ""))
        if theirs is not None:
            yield judge_clock(CHANNEL, ours=self.clock.now(), theirs=theirs)

    async def _socket(self) -> Finding:
        """Ask for the address of a socket, which disturbs nobody who has one."""
        try:
            await self.web.open_socket()
        except ChannelError as error:
            return _failure("app_token", error, _GIVE_APP)
        return _ok("app_token", "the app token opens connections")

    def _signing_secret(self) -> Finding:
        secret = self.settings.signing_secret
        if secret is not None and _SECRET.fullmatch(secret.get_secret_value()):
            return _ok("signing_secret", "the signing secret looks like one")
        seen = "the signing secret is none: it has 32 digits and letters from a to f"
        return _broken("signing_secret", seen, _GIVE_SIGNING)

    async def _requests(self) -> Finding:
        """Send the running bot a request as Slack would: is it there, under this path?"""
        settings = self.settings
        url = f"http://{settings.http_host}:{settings.http_port}{settings.http_path}"
        if not self.is_running:
            seen = f"the bot is not running; then it listens at {url}"
            return Finding(area=CHANNEL, check="requests", seen=one_line(seen))
        try:
            is_right = await self._is_answered(url)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            seen = one_line(f"nobody answers at {url} ({type(error).__name__})")
            return _broken("requests", seen, "restart the bot, and look at its log")
        if is_right:
            return _ok("requests", one_line(f"the bot answers signed requests at {url}"))
        seen = one_line(f"what answers at {url} does not take requests signed by these settings")
        return _broken("requests", seen, "restart the bot, so that it has these settings")

    async def _is_answered(self, url: str) -> bool:
        secret = self.settings.signing_secret
        key = secret.get_secret_value().encode() if secret else b""
        body = json.dumps({"type": "url_verification", "challenge": "doctor"}).encode()
        sent_at = str(int(self.clock.now().timestamp()))
        headers = {
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": sent_at,
            "X-Slack-Signature": signature(key, sent_at, body),
        }
        async with self.web.session.post(
            url,
            data=body,
            headers=headers,
            timeout=LOCAL_TIMEOUT,
            allow_redirects=False,
            middlewares=(),  # whatever the host is called: it is this machine, no proxy leads there
        ) as answer:
            return answer.status == 200 and "doctor" in await answer.text()

    async def _channels(self) -> AsyncIterator[Finding]:
        """Look whether the bot is in the channels that it is told to listen in."""
        for channel in (self.settings.channels or ())[:MOST_CHANNELS]:
            try:
                with translated("bot_token"):
                    answer = await self.web.client.conversations_info(channel=channel)
            except ChannelError as error:
                if isinstance(error, DeliveryError) and not error.can_retry:
                    yield _absent(channel)
                    continue
                yield _failure("channels", error, _GIVE_BOT)
                return
            about = answer.get("channel")
            if isinstance(about, dict) and about.get("is_member") is False:
                yield _absent(channel)


def _scopes(given: frozenset[str]) -> Iterator[Finding]:
    missing = SCOPES.keys() - given
    if not missing:
        yield _ok("scopes", "the bot token has all scopes that the bot uses")
        # Slack tells nobody what an app subscribes to; the manifest has both or neither.
        seen = "which events the app subscribes to, Slack does not show"
        yield Finding(
            area=CHANNEL, check="events", seen=seen, mend=f"if it seems deaf: {_REINSTALL}"
        )
        return
    lacks = "; ".join(f"{scope} ({SCOPES[scope]})" for scope in sorted(missing))
    seen = one_line(f"the bot token lacks {lacks}", 1_000)
    grade: Grade = "broken" if missing & NEEDED else "warning"
    yield Finding(area=CHANNEL, check="scopes", grade=grade, seen=seen, mend=_REINSTALL)


def _absent(channel: str) -> Finding:
    return Finding(
        area=CHANNEL,
        check="channels",
        grade="warning",
        seen=one_line(f"the bot is not in the channel {channel}"),
        mend=one_line(
            f"write /invite @daybook there, or take {channel} out of channels.slack.channels"
        ),
    )


def _failure(check: str, error: ChannelError, mend: str) -> Finding:
    is_refused = isinstance(error, ChannelAuthError)
    return _broken(check, one_line(str(error)), mend if is_refused else _NO_WAY_TO_SLACK)


def _broken(check: str, seen: str, mend: str) -> Finding:
    return Finding(area=CHANNEL, check=check, grade="broken", seen=seen, mend=mend)


def _ok(check: str, seen: str) -> Finding:
    return Finding(area=CHANNEL, check=check, seen=seen)
