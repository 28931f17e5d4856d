"""What a message holds besides its text: files to be fetched, and the rest in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bot.api import Attachment, AttachmentKind
from channels.telegram.durations import clock_of
from channels.telegram.utf16 import well_formed

if TYPE_CHECKING:  # the SDK is slow to import, and only its names are needed here
    from telegram import (
        Animation,
        Audio,
        Checklist,
        Contact,
        Dice,
        Document,
        ExternalReplyInfo,
        Location,
        Message,
        PhotoSize,
        Poll,
        Venue,
        Video,
        VideoNote,
        Voice,
    )

    Holder = Message | ExternalReplyInfo
    """What can hold content: a message, or what is told of one in another chat."""

MOST_PICTURE_BYTES = 5_000_000
"""A larger form of a picture is passed over for a smaller one. Source: Anthropic, Vision, read
2026-11-30 (5 MB a picture)."""

_PICTURES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
"""What the model can look at; any other picture is a document."""

_NAMED_ONLY = {
    "game": "game",
    "invoice": "invoice",
    "story": "story",
    "paid_media": "paid media",
    "giveaway": "giveaway",
    "giveaway_winners": "winners of a giveaway",
}
"""Fields that hold something of which no more is said than what it is."""


def attachments_of(holder: Holder) -> tuple[Attachment, ...]:
    """Give the files of a message; a picture as the largest of its forms that can be looked at."""
    photos = holder.photo or (holder.live_photo.photo if holder.live_photo else ())
    if photos:
        return (_picture(tuple(photos)),)
    if holder.animation:  # before document: it is both
        return (_recorded(holder.animation, "video", "animation"),)
    if holder.document:
        return (_document(holder.document),)
    if holder.audio:
        return (_recorded(holder.audio, "sound", _title(holder.audio)),)
    if holder.voice:
        return (_recorded(holder.voice, "sound", "voice message"),)
    if holder.video_note:
        return (_recorded(holder.video_note, "video", "video message"),)
    if holder.video:
        return (_recorded(holder.video, "video", "video"),)
    return ()


def worded_content(holder: Holder) -> str:
    """Say in words what is no file: a sticker is its emoji, all else stands in brackets."""
    if holder.sticker:
        return holder.sticker.emoji or "[sticker]"
    for field, worded in _WORDED.items():
        if value := getattr(holder, field):
            return f"[{well_formed(worded(value))}]"
    found = (name for field, name in _NAMED_ONLY.items() if getattr(holder, field))
    return "".join(f"[{name}]" for name in found)


def worded_files(holder: Holder) -> str:
    """Name the files of a message that is only told of."""
    files = attachments_of(holder)
    return "\n".join(
        f"[{each.kind}: {each.name}]" if each.name else f"[{each.kind}]" for each in files
    )


def _picture(forms: tuple[PhotoSize, ...]) -> Attachment:
    def pixels(form: PhotoSize) -> int:
        return form.width * form.height

    fit = [form for form in forms if (form.file_size or 0) <= MOST_PICTURE_BYTES]
    best = max(fit, key=pixels) if fit else min(forms, key=pixels)
    return Attachment(
        kind="picture",
        name="",
        media_type="image/jpeg",
        handle=best.file_id,
        size_bytes=_size(best.file_size),
    )


def _document(document: Document) -> Attachment:
    media_type = document.mime_type or ""
    return Attachment(
        kind=_kind_of(media_type),
        name=well_formed(document.file_name or ""),
        media_type=media_type,
        handle=document.file_id,
        size_bytes=_size(document.file_size),
    )


def _size(told: int | None) -> int | None:
    """Take a size as it is told; one below nothing is none that is known."""
    return told if told is None or told >= 0 else None


def _kind_of(media_type: str) -> AttachmentKind:
    if media_type in _PICTURES:
        return "picture"
    kinds: dict[str, AttachmentKind] = {"audio": "sound", "video": "video"}
    return kinds.get(media_type.partition("/")[0], "document")


def _recorded(
    media: Animation | Audio | Video | VideoNote | Voice, kind: AttachmentKind, title: str
) -> Attachment:
    """Describe what takes time, and how long: ``voice message (0:12)``."""
    name = getattr(media, "file_name", None) or title
    return Attachment(
        kind=kind,
        name=well_formed(f"{name} ({clock_of(media.duration)})"),
        media_type=getattr(media, "mime_type", None) or "",
        handle=media.file_id,
        size_bytes=_size(media.file_size),
    )


def _title(audio: Audio) -> str:
    return ", ".join(part for part in (audio.title, audio.performer) if part) or "audio"


def _venue(venue: Venue) -> str:
    return f"place: {venue.title}, {venue.address} ({_degrees(venue.location)})"


def _location(location: Location) -> str:
    return f"{'live location' if location.live_period else 'location'}: {_degrees(location)}"


def _degrees(location: Location) -> str:
    return f"{location.latitude:.6f}, {location.longitude:.6f}"


def _contact(contact: Contact) -> str:
    name = " ".join(part for part in (contact.first_name, contact.last_name) if part)
    return f"contact: {name}, {contact.phone_number}"


def _poll(poll: Poll) -> str:
    return "\n".join((f"poll: {poll.question}", *(f"- {each.text}" for each in poll.options)))


def _checklist(checklist: Checklist) -> str:
    tasks = (f"- [{'x' if each.completion_date else ' '}] {each.text}" for each in checklist.tasks)
    return "\n".join((f"checklist: {checklist.title}", *tasks))


def _dice(dice: Dice) -> str:
    return f"{dice.emoji}: {dice.value}"


_WORDED: dict[str, Callable[[Any], str]] = {  # each gets what its field holds
    "venue": _venue,  # before location: it is both
    "location": _location,
    "contact": _contact,
    "poll": _poll,
    "checklist": _checklist,
    "dice": _dice,
}
"""Fields that hold something which can be told, and how."""
