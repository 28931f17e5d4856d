"""Bytes that are text, in whatever charset."""

from __future__ import annotations

import codecs
import re

HEAD_BYTES = 65_536
"""By so much of a file it is told what it is."""

MOST_CONTROLS = 0.01
"""A text has no more of them; what has is a program's file."""

LEAST_TO_TELL_BY = 10
"""So few bytes beyond ASCII could be anything; most such texts are western."""

LEAST_SOUND = 4
"""So many sound characters beyond ASCII for each damaged one make a text UTF-8."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with that one's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_DAMAGED = "\N{REPLACEMENT CHARACTER}"
_FALLBACK = "cp1252"


def decode_text(content: bytes) -> str | None:
    """Decode a text; None for what is none.

    By its byte order mark, as UTF-8, a few damaged bytes or not, by how its zeros lie as UTF-16,
    else by what it looks most like. What has no meaning in it is replaced, never an error.
    """
    for mark, name in _BOMS:
        if content.startswith(mark):
            return content.decode(name, errors="replace")
    head = content[:HEAD_BYTES]
    wide = _utf16(head) if b"\0" in head else ""
    if _has_controls(head.decode(wide, errors="replace") if wide else head.decode("latin-1")):
        return None
    if wide:
        return content.decode(wide, errors="replace")
    text = content.decode(errors="replace")
    if _is_utf8(text):
        return text
    return content.decode(_charset(head), errors="replace")


def _is_utf8(text: str) -> bool:
    """Say whether what was decoded as UTF-8 is that, but for a few bytes that are damaged.

    In other charsets what is beyond ASCII seldom makes sense as UTF-8: of GBK and EUC, one in five.
    """
    damaged = text.count(_DAMAGED)
    if not damaged:
        return True
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return beyond_ascii - damaged >= LEAST_SOUND * damaged


def _has_controls(head: str) -> bool:
    return len(_CONTROLS.findall(head)) > MOST_CONTROLS * len(head)


def _utf16(head: bytes) -> str:
    """Say which UTF-16 it is by the half of each pair that is zero; empty for neither."""
    pairs = len(head) // 2
    low, high = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    if not low and high > pairs / 4:
        return "utf-16-le"
    if not high and low > pairs / 4:
        return "utf-16-be"
    return ""


def _charset(head: bytes) -> str:
    if sum(byte > 127 for byte in head) < LEAST_TO_TELL_BY:
        return _FALLBACK
    from charset_normalizer import from_bytes  # a tenth of a second at its first import

    whole_lines = head[: head.rfind(b"\n") + 1] or head
    found = from_bytes(whole_lines)
    best = found.best()
    if best is None:
        return _FALLBACK
    # Of charsets that make equally good sense the most common one.
    is_as_good = any(each.encoding == _FALLBACK and each.chaos <= best.chaos for each in found)
    return _FALLBACK if is_as_good else best.encoding
