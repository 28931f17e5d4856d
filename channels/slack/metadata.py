"""The key of a reply, carried along unseen: people do not see it, the bot finds it."""

from __future__ import annotations

from collections.abc import Mapping

EVENT_TYPE = "daybook_reply"


def metadata_of(key: str) -> dict[str, object] | None:
    """Write the metadata of a reply; one without a key gets none."""
    return {"event_type": EVENT_TYPE, "event_payload": {"key": key}} if key else None


def block_id_of(key: str) -> str:
    """Write the id of a block for a message that takes no metadata, a file's."""
    return f"{EVENT_TYPE}:{key}"


def key_of(message: object) -> str:
    """Read the key of a message as Slack gives it back, empty when it has none of ours."""
    if not isinstance(message, Mapping):
        return ""
    return _key_in_metadata(message.get("metadata")) or _key_in_blocks(message.get("blocks"))


def is_unfinished_stream(message: object, bot_user_id: str) -> bool:
    """Say whether a message is a stream of the bot's that was never finished by it.

    A stream takes its metadata when it is stopped, so that one which has none was cut before, even
    if Slack has closed it since.
    """
    if not isinstance(message, Mapping) or message.get("user") != bot_user_id:
        return False
    return bool(message.get("streaming_state")) and not key_of(message)


def _key_in_metadata(metadata: object) -> str:
    if not isinstance(metadata, Mapping) or metadata.get("event_type") != EVENT_TYPE:
        return ""
    payload = metadata.get("event_payload")
    return str(payload.get("key", "")) if isinstance(payload, Mapping) else ""


def _key_in_blocks(blocks: object) -> str:
    for block in blocks if isinstance(blocks, list) else ():
        named = str(block.get("block_id", "")) if isinstance(block, Mapping) else ""
        owner, _, key = named.partition(":")
        if owner == EVENT_TYPE:
            return key
    return ""
