"""The inside of the pretended Slack: channels, messages, and the methods that change them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Json = dict[str, object]

MARKDOWN_LIMIT_CHARS = 12_000
"""Source: docs.slack.dev, Markdown block, read 2026-11-30."""

TEXT_LIMIT_CHARS = 40_000
"""Source: docs.slack.dev, chat.postMessage, read 2026-11-30."""

HISTORY_LIMIT = 999
"""Source: docs.slack.dev, conversations.history, read 2026-11-30."""

UPDATE_TEXT_LIMIT_BYTES = 4_000
"""What ``chat.update`` takes as ``text``, as measured by others."""

_PING = re.compile(r"<(?:!(?:channel|here|everyone|subteam\^[^>]*)|@[UW][A-Z0-9]+)(?:\|[^>]*)?>")


class Refusal(Exception):
    """Slack's ``ok: false`` with the code that it gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A message of the bot, posted or changed.

    Attributes:
        markdown: The text of its Markdown blocks as it was sent; empty when there were none.
        pings: Control sequences in it that would have rung somebody's phone.
        metadata: What it carries unseen.
    """

    channel: str
    ts: str
    thread_ts: str
    text: str
    markdown: str
    pings: tuple[str, ...]
    metadata: object = None

    @property
    def shown(self) -> str:
        """What people see, markup decoded."""
        escaped = self.markdown or self.text
        return escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


class SlackState:
    """One workspace; knows nothing of HTTP.

    Attributes:
        channels: Types of the channels (``im``, ``mpim``, ``channel``, ``group``) by id.
        messages: Everything written, by channel and timestamp.
        methods: The methods of the Web API but ``apps.connections.open``.
        began_at: What timestamps count from, in seconds since 1970; set it to the time that the
            bot goes by where the bot asks for what was written lately.
    """

    team_id = "T0TEAM"
    bot_user_id = "U0BOT"
    bot_id = "B0BOT"

    def __init__(self) -> None:
        self.users = {"U1ADA": "Ada", "U2BOB": "Bob"}
        self.channels: dict[str, str] = {}
        self.messages: dict[tuple[str, str], Json] = {}
        self.sent: list[Post] = []
        self.edits: list[Post] = []
        self.statuses: list[Json] = []
        self.began_at = 1_767_603_600
        self._count = 0
        self.methods: dict[str, Callable[[Json], Json]] = {
            "auth.test": self._auth_test,
            "users.info": self._user,
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "assistant.threads.setStatus": self._set_status,
            "conversations.info": self._channel,
            "conversations.history": self._history,
            "conversations.replies": self._replies,
        }

    def next_ts(self) -> str:
        """Give a timestamp later than all before."""
        self._count += 1
        return f"{self.began_at + self._count}.{self._count:06d}"

    def write(self, channel: str, text: str, *, user: str, thread_ts: str = "") -> Json:
        """Let a person write; give the ``message`` event that apps are told."""
        ts = self.next_ts()
        event: Json = {
            "type": "message",
            "user": user,
            "text": text,
            "ts": ts,
            "channel": channel,
            "channel_type": self.channels[channel],
            "team": self.team_id,
            "event_ts": ts,
        }
        if thread_ts:
            event["thread_ts"] = thread_ts
            self.messages.setdefault((channel, thread_ts), {"ts": thread_ts})
        self.messages[channel, ts] = event
        return event

    def change(self, channel: str, ts: str, **fields: object) -> Json:
        """Change a message; give the ``message_changed`` event."""
        before = self.messages[channel, ts]
        after = before | fields
        self.messages[channel, ts] = after
        return self._about(channel, subtype="message_changed", message=after) | {
            "previous_message": before
        }

    def delete(self, channel: str, ts: str) -> Json:
        """Take a message back; give the ``message_deleted`` event."""
        before = self.messages.pop((channel, ts))
        return self._about(channel, subtype="message_deleted", deleted_ts=ts) | {
            "previous_message": before
        }

    def _about(self, channel: str, **fields: object) -> Json:
        ts = self.next_ts()
        place: Json = {"channel": channel, "channel_type": self.channels[channel]}
        return {"type": "message", "hidden": True, "ts": ts, "event_ts": ts} | place | fields

    # The methods of the Web API.

    def _auth_test(self, _: Json) -> Json:
        return {"team_id": self.team_id, "user_id": self.bot_user_id, "bot_id": self.bot_id}

    def _user(self, params: Json) -> Json:
        user = str(params.get("user"))
        if user not in self.users:
            raise Refusal("user_not_found")
        profile = {"display_name": self.users[user], "real_name": self.users[user]}
        return {"user": {"id": user, "profile": profile, "is_bot": False}}

    def _channel(self, params: Json) -> Json:
        channel = self._known(params)
        return {"channel": {"id": channel, "is_im": self.channels[channel] == "im"}}

    def _history(self, params: Json) -> Json:
        channel = self._known(params)
        found = [
            message
            for (place, ts), message in self.messages.items()
            if place == channel and message.get("thread_ts", ts) == ts
        ]
        return _page(params, found[::-1])

    def _replies(self, params: Json) -> Json:
        channel, root = self._known(params), str(params.get("ts"))
        found = [
            message
            for (place, _), message in self.messages.items()
            if place == channel and root in (message.get("ts"), message.get("thread_ts"))
        ]
        if not found:
            raise Refusal("thread_not_found")
        return _page(params, found)

    def _post(self, params: Json) -> Json:
        channel, thread_ts = self._known(params), str(params.get("thread_ts") or "")
        if thread_ts and (channel, thread_ts) not in self.messages:
            raise Refusal("thread_not_found")
        post = _read_post(params, channel=channel, ts=self.next_ts(), thread_ts=thread_ts)
        if len(post.text) > TEXT_LIMIT_CHARS:
            raise Refusal("msg_too_long")
        self._keep(post)
        self.sent.append(post)
        return {"channel": channel, "ts": post.ts, "message": {"text": post.text}}

    def _update(self, params: Json) -> Json:
        channel, ts = self._known(params), str(params.get("ts") or "")
        before = self.messages.get((channel, ts))
        if before is None:
            raise Refusal("message_not_found")
        if before.get("user") != self.bot_user_id:
            raise Refusal("cant_update_message")
        thread_ts = str(before.get("thread_ts") or "")
        post = _read_post(params, channel=channel, ts=ts, thread_ts=thread_ts)
        if len(post.text.encode()) > UPDATE_TEXT_LIMIT_BYTES:
            raise Refusal("msg_too_long")
        self._keep(post)
        self.edits.append(post)
        return {"channel": channel, "ts": ts, "text": post.text}

    def _set_status(self, params: Json) -> Json:
        channel, thread_ts = str(params.get("channel_id")), str(params.get("thread_ts"))
        if (channel, thread_ts) not in self.messages:
            raise Refusal("thread_not_found")
        self.statuses.append(params)
        return {}

    def _known(self, params: Json) -> str:
        channel = str(params.get("channel"))
        if channel not in self.channels:
            raise Refusal("channel_not_found")
        return channel

    def _keep(self, post: Post) -> None:
        message: Json = {"user": self.bot_user_id, "bot_id": self.bot_id, "text": post.text}
        message |= {"ts": post.ts}
        if post.thread_ts:
            message["thread_ts"] = post.thread_ts
        before = self.messages.get((post.channel, post.ts), {})
        if metadata := post.metadata or before.get("metadata"):
            message["metadata"] = metadata
        self.messages[post.channel, post.ts] = message


def _read_post(params: Json, *, channel: str, ts: str, thread_ts: str) -> Post:
    """Check a message as Slack does and take it apart."""
    text, blocks = str(params.get("text") or ""), params.get("blocks") or []
    if not isinstance(blocks, list):
        raise Refusal("invalid_blocks_format")
    markdown = "".join(_markdown_of(block) for block in blocks)
    if len(markdown) > MARKDOWN_LIMIT_CHARS:
        raise Refusal("msg_blocks_too_long")
    if not (text.strip() or markdown.strip()):
        raise Refusal("no_text")
    return Post(
        channel=channel,
        ts=ts,
        thread_ts=thread_ts,
        text=text,
        markdown=markdown,
        pings=tuple(_PING.findall(text) + _PING.findall(markdown)),
        metadata=params.get("metadata"),
    )


def _page(params: Json, messages: list[Json]) -> Json:
    """Give a page of messages; what they carry unseen only to who asks for it."""
    oldest, begin = float(str(params.get("oldest") or 0)), int(str(params.get("cursor") or 0))
    limit = min(int(str(params.get("limit") or 100)), HISTORY_LIMIT)
    if params.get("include_all_metadata") not in (True, "1", "true"):
        messages = [_without_metadata(message) for message in messages]
    recent = [message for message in messages if float(str(message["ts"])) >= oldest]
    end = begin + limit
    cursor = str(end) if end < len(recent) else ""
    return {
        "messages": recent[begin:end],
        "has_more": bool(cursor),
        "response_metadata": {"next_cursor": cursor},
    }


def _without_metadata(message: Json) -> Json:
    return {key: value for key, value in message.items() if key != "metadata"}


def _markdown_of(block: object) -> str:
    if not isinstance(block, Mapping) or block.get("type") != "markdown":
        raise Refusal("invalid_blocks")
    text = block.get("text")
    if not isinstance(text, str) or not text:
        raise Refusal("invalid_blocks")
    return text
