"""The text of a PDF, page by page, until there is enough of it."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass
from io import BytesIO

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, PyPdfError

MOST_PAGES = 200
LONGEST_S = 10.0
"""After so long no page more is begun."""

BROKEN = (
    *(PyPdfError, zlib.error, OSError, ArithmeticError, AttributeError, LookupError),
    *(RecursionError, TypeError, ValueError),
)
"""What pypdf raises when a file is not as it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfText:
    """What was read.

    Attributes:
        text: Each page under a line ``[page 3]``; empty where no page had any.
        left_out_chars: How much of the last page that was read is missing.
        pages: How many the document has.
        read: How many were looked at, from the first one on.
        broken: Numbers of those that could not be read.
    """

    text: str
    left_out_chars: int
    pages: int
    read: int
    broken: tuple[int, ...]


class LockedError(Exception):
    """The document asks for a password."""


def read_pdf(content: bytes, *, most_chars: int) -> PdfText:
    """Read a document.

    Raises:
        LockedError: It cannot be opened without its password.
        Exception: One of ``BROKEN``, when not even its pages can be counted.
    """
    document = PdfReader(BytesIO(content), strict=False)
    try:
        if document.is_encrypted and not document.decrypt(""):
            raise LockedError
    except DependencyError as error:
        raise LockedError from error
    count = len(document.pages)
    until = time.monotonic() + LONGEST_S
    parts: list[str] = []
    broken: list[int] = []
    room, read = most_chars, 0
    while read < min(count, MOST_PAGES) and room > 0 and time.monotonic() < until:
        read += 1
        text = _text_of(document.pages[read - 1])
        if text is None:
            broken.append(read)
        elif text:
            parts.append(f"[page {read}]\n{text[:room]}")
            room -= len(text)
    return PdfText(
        text="\n\n".join(parts),
        left_out_chars=max(0, -room),
        pages=count,
        read=read,
        broken=tuple(broken),
    )


def _text_of(page: PageObject) -> str | None:
    try:
        return page.extract_text().strip()
    except BROKEN:
        return None
