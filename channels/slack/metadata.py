"""The key of a reply, carried along as message metadata: people do not see it, the bot finds it."""

from __future__ import annotations

from collections.abc import Mapping

EVENT_TYPE = "daybook_reply"


def metadata_of(key: str) -> dict[str, object] | None:
    """Write the metadata of a reply; one without a key gets none."""
    return {"event_type": EVENT_TYPE, "event_payload": {"key": key}} if key else None


def key_of(message: object) -> str:
    """Read the key of a message as Slack gives it back, empty when it has none of ours."""
    metadata = message.get("metadata") if isinstance(message, Mapping) else None
    if not isinstance(metadata, Mapping) or metadata.get("event_type") != EVENT_TYPE:
        return ""
    payload = metadata.get("event_payload")
    return str(payload.get("key", "")) if isinstance(payload, Mapping) else ""
