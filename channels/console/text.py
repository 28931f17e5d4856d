"""What may be written to a terminal."""

from __future__ import annotations

import re

_REPLACED = (*range(0x09), *range(0x0B, 0x0D), *range(0x0E, 0x20), *range(0x7F, 0xA0))
_VISIBLE = {ord("\r"): "", **dict.fromkeys(_REPLACED, "\N{REPLACEMENT CHARACTER}")}

_CODE_OR_ESCAPE = re.compile(
    r"^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n[\s\S]*?(?:^[ ]{0,3}(?P=fence)|\Z)"
    r"|``[^\n]*?``|`[^`\n]*`"
    r"|\\(?P<sign>[!-/:-@\[-`{-~])",
    re.MULTILINE,
)


def without_controls(text: str) -> str:
    """Replace control characters: an answer must not move the cursor or reprogram a terminal.

    Tabs and line feeds stay, carriage returns go.
    """
    return text.translate(_VISIBLE)


def without_escapes(text: str) -> str:
    r"""Write signs that Markdown escapes as they are meant; in code a backslash is one.

    For who reads Markdown as it is written: ``a\_b`` is ``a_b``.
    """
    return _CODE_OR_ESCAPE.sub(lambda found: found["sign"] or found[0], text)
