"""Exact details in a text: addresses, paths, dates, versions, identifiers, numbers, names.

The law of this file: what is found stands in the text character for character.
"""

from __future__ import annotations

import re

MOST_DETAIL_CHARS = 200
"""A longer detail is left out: cut it would not be exact."""

_MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_ENDINGS = (
    "py js ts tsx jsx json yaml yml toml md txt csv tsv pdf doc docx xls xlsx ppt pptx png jpg jpeg"
    " gif svg zip gz tar sh sql html htm css rs go java kt c h cpp rb php ini cfg conf log lock db"
    " sqlite ipynb com org net io dev edu gov ai app de cn jp uk eu fr"
).replace(" ", "|")
_UNITS = (
    "%|‰|€|\\$|£|°C|°F|°|元|块|円|万|亿|億|岁|歳|才|個|个|人|分|秒|小时|時間|天|日|周|週|月|年|公里|米|斤|克"
    "|(?:km|cm|mm|m|kg|mg|g|lbs?|oz|ml|l|miles?|mi|[KMGT]i?B|ms|s|min|h|hours?|hrs?|minutes?|seconds?"
    "|days?|weeks?|months?|years?|people|persons?|users?|EUR|USD|GBP|CNY|JPY|euros?|dollars?|kWh|kW|W"
    "|V|k?Hz|GHz|MHz|px|pt|tokens?|pages?|am|pm)(?![A-Za-z])"
)
_UPPER = "[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]"
_NAME_PART = rf"{_UPPER}[\w'\u2019-]{{1,30}}"
_NAME = rf"{_NAME_PART}(?:(?: (?:van|von|de|der|of))? {_NAME_PART}){{0,3}}"

_DETAIL = re.compile(
    "|".join(
        (
            r"`[^`\n]{1,80}`",
            r"(?<![A-Za-z0-9_])(?:"
            + "|".join(
                (
                    r"(?:https?|ftp|ssh|git)://[^\s<>\"'`、。「」\uff08\uff09]{1,300}",
                    r"[A-Za-z]:\\[^\s\"'<>|]{1,200}",
                    r"(?:~|\.{1,2})?/[\w.@%+-]{1,100}(?:/[\w.@%+-]{1,100}){0,12}",
                    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?",
                    r"\d{1,2}([./])\d{1,2}\1\d{2,4}(?!\d)",
                    r"\d{4}年(?:\d{1,2}月(?:\d{1,2}[日号])?)?|\d{1,2}月\d{1,2}[日号]",
                    rf"{_MONTHS}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?(?!\d)",
                    rf"\d{{1,2}}(?:st|nd|rd|th|\.)? {_MONTHS}(?: \d{{4}})?(?![A-Za-z])",
                    r"\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m\b)?",
                    r"v?\d{1,5}(?:\.\d{1,5}){2,4}(?:[-+][\w.]{1,30})?",
                    r"[A-Za-z0-9][\w.+-]{0,63}+@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}",
                    r"(?:[\w-]{1,60}+/){2,10}[\w.-]{1,60}|(?:[\w-]{1,60}+/){1,9}[\w-]{1,60}+\.\w{1,6}",
                    rf"[A-Za-z0-9][\w-]{{0,60}}+(?:\.[\w-]{{1,40}}+){{0,4}}\.(?:{_ENDINGS})(?!\w)",
                    r"[#@][A-Za-z0-9][\w-]{0,60}",
                    r"\+\d(?:[ ()-]{0,2}\d){6,16}",
                    r"[$€£¥₹] ?\d(?:[.,]?\d){0,20}(?: ?(?:million|billion|[kKmM])\b)?",
                    rf"\d(?:[.,]?\d){{0,20}} ?(?:{_UNITS})",
                    r"(?=[A-Za-z_-]{0,30}\d)(?=[0-9_-]{0,30}[A-Za-z])[A-Za-z0-9][A-Za-z0-9_-]{2,99}",
                    r"\d(?:[.,'\u2019]?\d){2,40}",
                    r"[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}",
                    r"[A-Za-z][a-z0-9]{0,40}(?:[A-Z][a-z0-9]{1,40}){1,6}(?![A-Za-z])",
                    rf"(?<=[a-z0-9,;:] ){_NAME}",
                    r"\"[^\"\n]{1,80}\"",
                )
            )
            + ")",
            r"“[^”\n]{1,80}”|„[^“”\n]{1,80}[“”]|「[^」\n]{1,80}」|『[^』\n]{1,80}』|《[^》\n]{1,80}》",
        )
    )
)
_QUOTES = '`"“”„「」『』《》'
_BEHIND = ".,;:!?)]}'\u2019…"

_COMMON = re.compile(r"I['\u2019](?:m|ll|ve|d)|OK|Ok|It")

_GERMAN = re.compile(
    r"(?<!\w)(?:der|das|und|ist|nicht|ich|wir|eine?[mnr]?|mit|f\u00fcr|auf|von|den|dem|zu)(?!\w)"
)
"""Small words by which a language is known that writes all its nouns like names."""


def exact_details(text: str, limit: int) -> tuple[str, ...]:
    """Give the exact details of a text in its order, each once, at most ``limit``."""
    found: dict[str, None] = {}
    are_names_told: bool | None = None
    for match in _DETAIL.finditer(text):
        detail = _bare(match[0])
        if not detail or _COMMON.fullmatch(detail) or len(detail) > MOST_DETAIL_CHARS:
            continue
        if detail.replace(" ", "").isalpha() and match[0][0] not in _QUOTES:
            if are_names_told is None:
                are_names_told = _tells_names(text)
            if not are_names_told:
                continue
        found.setdefault(detail)
        if len(found) == limit:
            break
    return tuple(found)


def _bare(found: str) -> str:
    if found[0] in _QUOTES:
        found = found[1:-1]
    elif found[0].isalnum() or found[0] in "/~.":
        found = found.rstrip(_BEHIND)
    detail = " ".join(found.split())
    # What was taken out, and what would read as one of the bot's own labels, is no detail.
    return "" if "redacted:" in detail or ": " in detail or detail.endswith(":") else detail


def _tells_names(text: str) -> bool:
    """Say whether a capital tells a name here: not in German, in headings, or in shouting."""
    head = text[:2_000]
    if len(set(_GERMAN.findall(head))) > 1:
        return False
    words = head.split()
    return sum(word[0].isupper() for word in words) <= max(6, len(words) // 3)
