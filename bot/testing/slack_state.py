"""The inside of the pretended Slack: channels, messages, and the methods that change them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bot.testing.slack_blocks import faults_in_message

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
        blocks: As they were sent.
        for_user: Who alone sees it; empty for everybody.
    """

    channel: str
    ts: str
    thread_ts: str
    text: str
    markdown: str
    pings: tuple[str, ...]
    metadata: object = None
    blocks: tuple[Json, ...] = ()
    for_user: str = ""

    @property
    def buttons(self) -> tuple[tuple[str, str], ...]:
        """What can be pressed below it: labels and values."""
        elements = (each for block in self.blocks for each in _elements_of(block))
        return tuple((str(each["text"]["text"]), str(each["value"])) for each in elements)

    @property
    def shown(self) -> str:
        """What people see, markup decoded."""
        escaped = self.markdown or _in_sections(self.blocks) or self.text
        return escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


class SlackState:
    """One workspace; knows nothing of HTTP.

    Attributes:
        channels: Types of the channels (``im``, ``mpim``, ``channel``, ``group``) by id.
        messages: Everything written, by channel and timestamp.
        current: The bot's messages as people see them now, likewise.
        locales: The languages of people's apps, ``ja-JP``, told to those who ask for them.
        guests: Those of the people who are let in only in part.
        foreigners: The workspaces of people who are of another one.
        room_names: What channels are called.
        suggested: Suggestions shown in threads of the assistant's pane.
        methods: The methods of the Web API but ``apps.connections.open``.
        began_at: What timestamps count from, in seconds since 1970; set it to the time that the
            bot goes by where the bot asks for what was written lately.
    """

    team_id = "T0TEAM"
    bot_user_id = "U0BOT"
    bot_id = "B0BOT"

    def __init__(self) -> None:
        self.users = {"U1ADA": "Ada", "U2BOB": "Bob"}
        self.zones = {"U1ADA": "Europe/Lisbon"}
        self.locales = {"U1ADA": "en-US"}
        self.admins: set[str] = set()
        self.guests: set[str] = set()
        self.foreigners: dict[str, str] = {}
        self.room_names: dict[str, str] = {}
        self.suggested: list[Json] = []
        self.channels: dict[str, str] = {}
        self.messages: dict[tuple[str, str], Json] = {}
        self.sent: list[Post] = []
        self.edits: list[Post] = []
        self.current: dict[tuple[str, str], Post] = {}
        self.statuses: list[Json] = []
        self.began_at = 1_767_603_600
        self._count = 0
        self.methods: dict[str, Callable[[Json], Json]] = {
            "auth.test": self._auth_test,
            "users.info": self._user,
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "assistant.threads.setStatus": self._set_status,
            "assistant.threads.setSuggestedPrompts": self._suggest,
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
            root = self.messages.setdefault((channel, thread_ts), {"ts": thread_ts})
            if "user" in root:
                event["parent_user_id"] = root["user"]
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
        ids: Json = {"team_id": self.team_id, "user_id": self.bot_user_id, "bot_id": self.bot_id}
        return ids | {"team": "Example", "user": "daybook"}

    def _user(self, params: Json) -> Json:
        user = str(params.get("user"))
        if user not in self.users:
            raise Refusal("user_not_found")
        profile = {"display_name": self.users[user], "real_name": self.users[user]}
        is_admin = user in self.admins
        team = self.foreigners.get(user, self.team_id)
        flags = {"is_bot": False, "is_admin": is_admin, "is_restricted": user in self.guests}
        zone = {"tz": self.zones[user]} if user in self.zones else {}
        is_asked = str(params.get("include_locale", "")).lower() in ("true", "1")
        locale = {"locale": self.locales[user]} if is_asked and user in self.locales else {}
        return {"user": {"id": user, "team_id": team, "profile": profile} | flags | zone | locale}

    def _channel(self, params: Json) -> Json:
        channel = self.known(params)
        is_direct = self.channels[channel] == "im"
        named = {} if is_direct else {"name": self.room_names.get(channel, channel.lower())}
        return {"channel": {"id": channel, "is_im": is_direct} | named}

    def _history(self, params: Json) -> Json:
        channel = self.known(params)
        found = [
            message
            for (place, ts), message in self.messages.items()
            if place == channel and message.get("thread_ts", ts) == ts
        ]
        newest_first = sorted(found, key=lambda each: -float(str(each["ts"])))
        return _page(params, [each for each in newest_first if _is_within(params, each)])

    def _replies(self, params: Json) -> Json:
        channel, root = self.known(params), str(params.get("ts"))
        found = [
            message
            for (place, _), message in self.messages.items()
            if place == channel and root in (message.get("ts"), message.get("thread_ts"))
        ]
        if not found:
            raise Refusal("thread_not_found")
        kept = [each for each in found if each["ts"] == root or _is_within(params, each)]
        return _page(params, sorted(kept, key=lambda each: float(str(each["ts"]))))

    def shown(self, channel: str, thread_ts: str = "") -> list[str]:
        """List what people see of the bot in a chat or thread, oldest first."""
        posts = sorted(self.current.values(), key=lambda each: float(each.ts))
        return [
            each.shown for each in posts if (each.channel, each.thread_ts) == (channel, thread_ts)
        ]

    def place(self, params: Json, channel_key: str = "channel") -> tuple[str, str]:
        """Give the channel and the thread that a message is to go into."""
        channel, thread_ts = self.known(params, channel_key), str(params.get("thread_ts") or "")
        if thread_ts and (channel, thread_ts) not in self.messages:
            raise Refusal("thread_not_found")
        return channel, thread_ts

    def _post(self, params: Json) -> Json:
        channel, thread_ts = self.place(params)
        post = read_post(params, channel=channel, ts=self.next_ts(), thread_ts=thread_ts)
        if len(post.text) > TEXT_LIMIT_CHARS:
            raise Refusal("msg_too_long")
        self.keep(post)
        self.sent.append(post)
        return {"channel": channel, "ts": post.ts, "message": {"text": post.text}}

    def _update(self, params: Json) -> Json:
        channel, ts = self.known(params), str(params.get("ts") or "")
        before = self.own(channel, ts, "cant_update_message")
        if before.get("streaming_state") == "in_progress":
            raise Refusal("streaming_state_conflict")
        thread_ts = str(before.get("thread_ts") or "")
        post = read_post(params, channel=channel, ts=ts, thread_ts=thread_ts)
        if len(post.text.encode()) > UPDATE_TEXT_LIMIT_BYTES:
            raise Refusal("msg_too_long")
        self.keep(post)
        self.edits.append(post)
        return {"channel": channel, "ts": ts, "text": post.text}

    def _set_status(self, params: Json) -> Json:
        channel, thread_ts = str(params.get("channel_id")), str(params.get("thread_ts"))
        if (channel, thread_ts) not in self.messages:
            raise Refusal("thread_not_found")
        self.statuses.append(params)
        return {}

    def _suggest(self, params: Json) -> Json:
        if not 1 <= len(str(params.get("title"))) <= 100 or not params.get("prompts"):
            raise Refusal("invalid_arguments")
        self.suggested.append(params)
        return {}

    def own(self, channel: str, ts: str, refusal: str) -> Json:
        """Give a message of the bot; ``refusal`` is the word for somebody else's."""
        message = self.messages.get((channel, ts))
        if message is None:
            raise Refusal("message_not_found")
        if message.get("user") != self.bot_user_id:
            raise Refusal(refusal)
        return message

    def known(self, params: Json, key: str = "channel") -> str:
        """Give the channel that is named."""
        channel = str(params.get(key))
        if channel not in self.channels:
            raise Refusal("channel_not_found")
        return channel

    def keep(self, post: Post, **fields: object) -> None:
        """Let a message of the bot stand as it is now; ``fields`` are what it has besides."""
        message: Json = {"user": self.bot_user_id, "bot_id": self.bot_id, "text": post.text}
        message |= {"ts": post.ts, "blocks": list(post.blocks)}
        if post.thread_ts:
            message["thread_ts"] = post.thread_ts
        before = self.messages.get((post.channel, post.ts), {})
        if metadata := post.metadata or before.get("metadata"):
            message["metadata"] = metadata
        if state := before.get("streaming_state"):
            message["streaming_state"] = state
        self.messages[post.channel, post.ts] = message | fields
        self.current[post.channel, post.ts] = post


def read_post(params: Json, *, channel: str, ts: str, thread_ts: str) -> Post:
    """Check a message as Slack does and take it apart."""
    text, blocks = str(params.get("text") or ""), params.get("blocks") or []
    if not isinstance(blocks, list):
        raise Refusal("invalid_blocks_format")
    markdown = "".join(_markdown_of(block) for block in blocks)
    if len(markdown) > MARKDOWN_LIMIT_CHARS:
        raise Refusal("msg_blocks_too_long")
    if blocks and faults_in_message(blocks):
        raise Refusal("invalid_blocks")
    if not (text.strip() or markdown.strip()):
        raise Refusal("no_text")
    return Post(
        channel=channel,
        ts=ts,
        thread_ts=thread_ts,
        text=text,
        markdown=markdown,
        pings=pings_in(text) + pings_in(markdown) + pings_in(_in_sections(blocks)),
        metadata=params.get("metadata"),
        blocks=tuple(blocks),
    )


def pings_in(text: str) -> tuple[str, ...]:
    """Find the control sequences that would ring somebody's phone."""
    return tuple(_PING.findall(text))


def _is_within(params: Json, message: Json) -> bool:
    """Say whether a message is newer than ``oldest`` and older than ``latest``."""
    ts = float(str(message["ts"]))
    latest = float(str(params.get("latest") or "inf"))
    return float(str(params.get("oldest") or 0)) < ts < latest


def _page(params: Json, messages: list[Json]) -> Json:
    """Give a page of messages; what they carry unseen only to who asks for it."""
    begin = int(str(params.get("cursor") or 0))
    limit = min(int(str(params.get("limit") or 100)), HISTORY_LIMIT)
    if params.get("include_all_metadata") not in (True, "1", "true"):
        messages = [_without_metadata(message) for message in messages]
    end = begin + limit
    cursor = str(end) if end < len(messages) else ""
    return {
        "messages": messages[begin:end],
        "has_more": bool(cursor),
        "response_metadata": {"next_cursor": cursor},
    }


def _without_metadata(message: Json) -> Json:
    return {key: value for key, value in message.items() if key != "metadata"}


def _markdown_of(block: object) -> str:
    if not isinstance(block, Mapping) or block.get("type") != "markdown":
        return ""
    return str(block.get("text"))


def _in_sections(blocks: Iterable[object]) -> str:
    sections = (each for each in blocks if isinstance(each, Mapping) and "text" in each)
    texts = (each["text"] for each in sections if each.get("type") == "section")
    return "".join(str(text.get("text")) for text in texts if isinstance(text, Mapping))


def _elements_of(block: Json) -> list[dict[str, dict[str, str]]]:
    elements = block.get("elements") if block.get("type") == "actions" else ()
    return (
        [each for each in elements if isinstance(each, dict)] if isinstance(elements, list) else []
    )
