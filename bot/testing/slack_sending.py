"""What else the pretended Slack does for a bot that writes: streams, files, hidden messages.

It behaves as real Slack was seen to: a stream ends five minutes after it began, whatever is
appended; while it is open it can be neither changed nor deleted; white space in front of what is
appended is swallowed; a stream carries metadata from its end on; of a file only the id is told.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.testing.slack_blocks import faults_in_message
from bot.testing.slack_state import (
    MARKDOWN_LIMIT_CHARS,
    Json,
    Post,
    Refusal,
    SlackState,
    pings_in,
    read_post,
)

STREAM_LASTS_S = 300.0
"""Source: slackapi/python-slack-sdk, issue 1859, read 2026-11-30."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFile:
    """A file that the bot has sent; ``caption`` as people see it."""

    channel: str
    thread_ts: str
    name: str
    content: bytes
    caption: str


class SlackSending:
    """The methods, over the state of a workspace.

    Attributes:
        now_s: What time it is for streams; a test may give the clock that the bot goes by.
        hidden: Messages that one person alone was shown.
        shared: Files that were sent.
        began: When each stream began, by channel and timestamp.
    """

    def __init__(self, state: SlackState) -> None:
        self._state = state
        self.now_s: Callable[[], float] = lambda: 0.0
        self.hidden: list[Post] = []
        self.shared: list[SharedFile] = []
        self.began: dict[tuple[str, str], float] = {}
        self.upload_url = ""
        self._uploads: dict[str, tuple[str, int]] = {}
        self.uploaded: dict[str, bytes] = {}
        state.methods |= {
            "chat.startStream": self._start,
            "chat.appendStream": self._append,
            "chat.stopStream": self._stop,
            "chat.delete": self._delete,
            "chat.postEphemeral": self._hint,
            "conversations.open": self._open,
            "files.getUploadURLExternal": self._make_room,
            "files.completeUploadExternal": self._share,
        }

    @property
    def open_streams(self) -> int:
        """How many messages Slack shows as being written."""
        messages = self._state.messages.values()
        return sum(each.get("streaming_state") == "in_progress" for each in messages)

    def _start(self, params: Json) -> Json:
        channel, thread_ts = self._state.place(params)
        if not thread_ts:
            raise Refusal("invalid_arguments")
        for name in ("recipient_team_id", "recipient_user_id"):
            if not params.get(name):
                raise Refusal(f"missing_{name}")
        text = _text_of(params)
        post = Post(
            channel=channel,
            ts=self._state.next_ts(),
            thread_ts=thread_ts,
            text="",
            markdown=text,
            pings=pings_in(text),
        )
        self.began[channel, post.ts] = self.now_s()
        self._state.keep(post, streaming_state="in_progress")
        self._state.sent.append(post)
        return {"channel": channel, "ts": post.ts}

    def _append(self, params: Json) -> Json:
        post = self._streamed(params)
        self._state.keep(_grown(post, _text_of(params)))
        return {"channel": post.channel, "ts": post.ts}

    def _stop(self, params: Json) -> Json:
        post = self._streamed(params)
        if params.get("blocks") and faults_in_message(params["blocks"]):
            raise Refusal("invalid_blocks")
        post = _grown(post, _text_of(params) if params.get("chunks") else "")
        below = params.get("blocks")
        blocks = tuple(below) if isinstance(below, list) else ()
        post = replace(post, blocks=blocks, metadata=params.get("metadata"))
        self._state.keep(post, streaming_state="completed")
        return {"channel": post.channel, "ts": post.ts}

    def _streamed(self, params: Json) -> Post:
        channel, ts = self._state.known(params), str(params.get("ts"))
        message = self._state.own(channel, ts, "message_not_found")
        is_open = message.get("streaming_state") == "in_progress"
        if is_open and self.now_s() - self.began[channel, ts] >= STREAM_LASTS_S:
            message["streaming_state"], is_open = "completed", False
        if not is_open:
            raise Refusal("message_not_in_streaming_state")
        return self._state.current[channel, ts]

    def _delete(self, params: Json) -> Json:
        channel, ts = self._state.known(params), str(params.get("ts"))
        message = self._state.own(channel, ts, "cant_delete_message")
        if message.get("streaming_state") == "in_progress":
            raise Refusal("cant_delete_message")
        del self._state.messages[channel, ts], self._state.current[channel, ts]
        return {"channel": channel, "ts": ts}

    def _hint(self, params: Json) -> Json:
        channel, thread_ts = self._state.place(params)
        user = str(params.get("user"))
        if user not in self._state.users:
            raise Refusal("user_not_in_channel")
        ts = self._state.next_ts()
        post = read_post(params, channel=channel, ts=ts, thread_ts=thread_ts)
        self.hidden.append(replace(post, for_user=user))
        return {"message_ts": ts}

    def _open(self, params: Json) -> Json:
        user = str(params.get("users"))
        if user not in self._state.users:
            raise Refusal("user_not_found")
        channel = f"D{user[1:]}"
        self._state.channels[channel] = "im"
        return {"channel": {"id": channel}}

    def _make_room(self, params: Json) -> Json:
        name, length = str(params.get("filename") or ""), int(str(params.get("length") or 0))
        if not name or not length:
            raise Refusal("invalid_arguments")
        file_id = f"F{len(self._uploads) + 1}"
        self._uploads[file_id] = (name, length)
        return {"upload_url": f"{self.upload_url}/{file_id}", "file_id": file_id}

    def _share(self, params: Json) -> Json:
        channel, thread_ts = self._state.place(params, "channel_id")
        blocks = json.loads(str(params.get("blocks") or "[]"))
        if blocks and faults_in_message(blocks):
            raise Refusal("invalid_blocks")
        for told in json.loads(str(params.get("files"))):
            name, length = self._uploads[told["id"]]
            content = self.uploaded.get(told["id"], b"")
            if len(content) != length:
                raise Refusal("file_not_found")
            caption = "".join(map(_caption_of, blocks))
            file = SharedFile(
                channel=channel,
                thread_ts=thread_ts,
                name=name,
                content=content,
                caption=caption,
            )
            self.shared.append(file)
            post = Post(
                channel=channel,
                ts=self._state.next_ts(),
                thread_ts=thread_ts,
                text=caption,
                markdown="",
                pings=pings_in(caption),
                blocks=tuple(blocks),
            )
            self._state.keep(post, files=[{"id": told["id"], "name": name}])
            self._state.sent.append(post)
        return {"files": [{"id": told["id"]} for told in json.loads(str(params.get("files")))]}


def _text_of(params: Json) -> str:
    chunks = params.get("chunks")
    if not isinstance(chunks, list) or not chunks:
        raise Refusal("invalid_arguments")
    texts = [str(each.get("text")) for each in chunks if each.get("type") == "markdown_text"]
    if len(texts) != len(chunks) or not all(texts):
        raise Refusal("invalid_chunks")
    if any(len(text) > MARKDOWN_LIMIT_CHARS for text in texts):
        raise Refusal("msg_too_long")
    return "".join(texts)


def _grown(post: Post, text: str) -> Post:
    markdown = post.markdown + text.lstrip()
    if len(markdown) > MARKDOWN_LIMIT_CHARS:
        raise Refusal("msg_too_long")
    return replace(post, markdown=markdown, pings=pings_in(markdown))


def _caption_of(block: Json) -> str:
    elements = block.get("elements")
    text = elements[0] if isinstance(elements, list) else block.get("text")
    return str(text.get("text")) if isinstance(text, dict) else ""
