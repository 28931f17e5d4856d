"""The process that takes a stranger's file apart: content on stdin, what was read on stdout.

``python -m bot.adapters.attachments.worker picture|pdf CHARS`` answers with one JSON object:
``{"media_type", "data"}`` or ``{"text", "left_out", "note"}`` or ``{"why"}``. Whatever else it ends
with is a file that cannot be read.
"""

from __future__ import annotations

import base64
import json
import sys

MOST_MEMORY_BYTES = 1_000_000_000
MOST_CPU_S = 20

UNKNOWN_KIND = "I cannot read this kind of file"
DAMAGED = "it is damaged, or not what it seems to be"
TOO_MANY_PIXELS = "it has more pixels than I can look at"
LOCKED = "it is locked by a password"
NO_TEXT = "it holds no text; if it was scanned, its pages as pictures can be read"


def limit_self() -> None:
    """Take away from this process what no honest file needs; where the system can do that."""
    try:
        import resource
    except ImportError:  # Windows: there is the parent's limit of time alone
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S + 1))
    if sys.platform != "darwin":  # which knows the limit, and refuses to set it
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))


def read_picture(content: bytes) -> dict[str, object]:
    """Give a picture as it is sent."""
    from PIL import UnidentifiedImageError

    from bot.adapters.attachments.pictures import TooManyPixelsError, shrink

    try:
        media_type, data = shrink(content)
    except UnidentifiedImageError:
        return {"why": UNKNOWN_KIND}
    except TooManyPixelsError:
        return {"why": TOO_MANY_PIXELS}
    except (OSError, ValueError, SyntaxError):  # the last one is Pillow's word for a broken PNG
        return {"why": DAMAGED}
    return {"media_type": media_type, "data": base64.b64encode(data).decode()}


def read_document(content: bytes, most_chars: int) -> dict[str, object]:
    """Give the text of a PDF."""
    from bot.adapters.attachments.pdf import BROKEN, LockedError, read_pdf

    try:
        found = read_pdf(content, most_chars=most_chars)
    except LockedError:
        return {"why": LOCKED}
    except BROKEN:
        return {"why": DAMAGED}
    if not found.text:
        return {"why": DAMAGED if len(found.broken) == found.read else NO_TEXT}
    notes = [f"pages 1 to {found.read} of {found.pages}"] if found.read < found.pages else []
    if found.broken:
        pages = ", ".join(map(str, found.broken[:20]))
        notes.append(f"what stands on these pages could not be read: {pages}")
    return {"text": found.text, "left_out": found.left_out_chars, "note": "; ".join(notes)}


def main(kind: str, most_chars: int) -> None:
    """Read what is on stdin."""
    limit_self()
    content = sys.stdin.buffer.read()
    try:
        read = read_picture(content) if kind == "picture" else read_document(content, most_chars)
    except MemoryError:
        read = {"why": DAMAGED}
    sys.stdout.buffer.write(json.dumps(read).encode())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
