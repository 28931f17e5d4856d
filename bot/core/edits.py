"""What it means that somebody changed a message or took it back, by where the message stands.

The law of this file: the newest version of a message counts, and of one that was taken back
nothing is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import Literal

from bot.core.chat import InboundDeletion, InboundEdit, InboundMessage
from bot.core.files import label_of, remark_on
from bot.core.lifecycle import Route, worded
from bot.core.looking_back import LEAD, NOT_TO_BE_HAD
from bot.core.messages import ContentBlock, Message, Text
from bot.core.quoting import one_line, written
from bot.core.window.notes import DELETED, MEANWHILE_LEAD

Place = Literal["waiting", "claimed", "kept", "done", "set_aside"]
"""Where a message stands, as the store has it."""

Meaning = Literal["nothing", "message", "waiting", "running", "ended"]
"""What a change does: nothing; it is a message that was not one before; it changes what waits; what
a turn is working on; what an ended turn was asked."""

BEHIND_ALL_EDITS = datetime.max.replace(tzinfo=UTC)
"""The moment of a deletion: no edit comes after it."""

EXCHANGED = "it took another file's place after this was asked, and its content was not read"

MOST_QUOTED_CHARS = 200
_SAME_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What somebody did to a message.

    Attributes:
        event_id: The message's, not that of the change.
        message: Its new form; None when it was taken back.
        moment: When that was; of several changes the newest counts.
    """

    event_id: str
    message: InboundMessage | None
    moment: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a message stands that the store knows.

    Attributes:
        has_turn: Whether a turn took it up and is still there.
        changed_at: The moment of the newest change that was made to it, None for none.
    """

    place: Place
    route: Route
    has_turn: bool
    changed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A text that was changed after its turn had begun; ``after`` is empty where it was deleted."""

    before: str
    after: str


def change_of(inbound: InboundEdit | InboundDeletion) -> Change:
    """Read an event as a change of a message."""
    if isinstance(inbound, InboundDeletion):
        return Change(event_id=inbound.message_event_id, message=None, moment=BEHIND_ALL_EDITS)
    message = inbound.message
    return Change(event_id=message.event_id, message=message, moment=inbound.edited_at)


def meaning_of(change: Change, standing: Standing | None, *, is_for_bot: bool) -> Meaning:
    """Say what a change does; ``is_for_bot`` if it would be answered, were it a new message.

    A command is never given again, and what was deleted stays so. Of two edits of one moment the
    one that is heard later counts.
    """
    if standing is None:
        return "message" if is_for_bot and change.message is not None else "nothing"
    if standing.route != "turn" or _is_outdated(change, standing):
        return "nothing"
    match standing.place:
        case "waiting":
            return "waiting"
        case "claimed":
            return "running"
        case "kept" | "done":
            return "ended" if standing.has_turn else "nothing"
        case "set_aside":
            return "nothing"


def changed_message(message: InboundMessage, change: Change) -> InboundMessage:
    """Give the message that the store keeps from now on: the same one with other words.

    Of what came with it nothing is left when it was taken back.
    """
    new = change.message
    if new is None:
        return replace(message, text=DELETED, quoted="", forwarded_from="", attachments=())
    return replace(
        message,
        text=new.text,
        quoted=new.quoted,
        forwarded_from=new.forwarded_from,
        attachments=new.attachments,
    )


def words_after(change: Change) -> str:
    """Give the text that a message has in its turn's request from now on."""
    return DELETED if change.message is None else worded(change.message)


def files_mark(message: InboundMessage) -> str | None:
    """Give by what it is known later whether a message's files are the same; None for no files.

    Handles would not do: a platform may give another one for the same file.
    """
    if not message.attachments:
        return None
    same = [
        (each.kind, each.name, each.media_type, each.size_bytes) for each in message.attachments
    ]
    return hashlib.sha256(repr(same).encode()).hexdigest()[:16]


def rewritten(
    request: Message,
    places: tuple[int, ...],
    index: int,
    change: Change,
    mark: str | None = None,
) -> tuple[Message, tuple[int, ...]]:
    """Change one message within a turn's request.

    Args:
        request: The request.
        places: At which block the text of each of its messages stands, in order; what a message's
            files brought stands behind it.
        index: Which of the messages it is.
        change: What was done to it.
        mark: The :func:`files_mark` of the files that it had; None where that is not known.

    Returns:
        The request and the places, as they are from now on. An edit leaves what the files brought,
        unless they are others now; a deletion takes it away.
    """
    start = places[index]
    end = places[index + 1] if index + 1 < len(places) else len(request.blocks)
    blocks = request.blocks
    behind = _behind(blocks[start:end], change, mark)
    new = Text(text=words_after(change))
    shift = end - start - 1 - len(behind)
    return (
        replace(request, blocks=(*blocks[:start], new, *behind, *blocks[end:])),
        (*places[: index + 1], *(place - shift for place in places[index + 1 :])),
    )


def _behind(
    blocks: tuple[ContentBlock, ...], change: Change, mark: str | None
) -> tuple[ContentBlock, ...]:
    """Say what stands behind a message's text from now on; the text is the first of ``blocks``."""
    text, *behind = blocks
    if change.message is None:
        return ()
    if not _are_exchanged(text, change.message, mark):
        return tuple(behind)
    talk = tuple(each for each in behind if _is_talk(each))
    files = change.message.attachments if len(talk) < len(behind) else ()
    remarks = "\n".join(remark_on(each, EXCHANGED) for each in files)
    return (*talk, Text(text=remarks)) if remarks else talk


def _are_exchanged(text: ContentBlock, message: InboundMessage, mark: str | None) -> bool:
    """Say whether a message has other files than before; without a mark, by their labels alone."""
    if mark is not None:
        return files_mark(message) != mark
    before = text.text if isinstance(text, Text) else ""
    return any(label_of(each) not in before for each in message.attachments)


def _is_talk(block: ContentBlock) -> bool:
    """Tell what was quoted from before the message from what its files brought."""
    return isinstance(block, Text) and block.text.startswith((LEAD, NOT_TO_BE_HAD))


def merged(corrections: tuple[Correction, ...], new: Correction) -> tuple[Correction, ...]:
    """Add a correction to those of the same turn that were not told; one changed back is none."""
    first = next((each for each in corrections if each.after == new.before), None)
    rest = tuple(each for each in corrections if each is not first)
    if not new.after:
        return (*rest, Correction(before="", after=""))
    if first is None:
        return (*rest, new)
    return rest if first.before == new.after else (*rest, replace(new, before=first.before))


def note_of(corrections: Iterable[Correction]) -> tuple[Text, ...]:
    """Word what was changed while an answer was being written, for the request that comes next."""
    told = "; ".join(
        "a message was deleted by its author" if not each.after else now_reads(each)
        for each in corrections
    )
    return (Text(text=f"{MEANWHILE_LEAD} {told}.]"),) if told else ()


def now_reads(correction: Correction) -> str:
    """Quote both versions, without a long beginning that they share."""
    before, after = (" ".join(text.split()) for text in (correction.before, correction.after))
    pairs = zip(before, after, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if same > _SAME_CHARS:
        start = before.rfind(" ", 0, same - _SAME_CHARS // 2) + 1
        before, after = f"…{before[start:]}", f"…{after[start:]}"
    quoted = (one_line(written(text), MOST_QUOTED_CHARS) for text in (before, after))
    return "“{}” now reads “{}”".format(*quoted)


def _is_outdated(change: Change, standing: Standing) -> bool:
    if standing.changed_at is None:
        return False
    is_repeated = change.message is None and standing.changed_at == change.moment
    return change.moment < standing.changed_at or is_repeated
