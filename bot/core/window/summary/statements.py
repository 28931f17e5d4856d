"""What people say of themselves and of what they want: their name, their preferences, their goal.

Found by the words such sentences begin or end with, in English, German, French, Spanish, Chinese
and Japanese; what is said otherwise is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.quoting import one_line

NAME, GOAL, PREFERENCE = "name: ", "goal: ", "prefers: "

LABELS = (NAME, GOAL, PREFERENCE)
"""What stands before a pinned statement, in the order in which they are listed."""

MOST_CLAUSE_CHARS = 160

MOST_OF_A_TEXT = 6
"""Statements of one kind taken from one text."""

_CAPITAL = r"[^\W\d_a-zà-öø-ÿ]"
_NAME_WORD = rf"(?:{_CAPITAL}\.(?= )|{_CAPITAL}[\w'\u2019-]{{0,30}})"
_NAME_WORDS = rf"{_NAME_WORD}(?: {_NAME_WORD}){{0,3}}"
_HAN_NAME = r"[^\s\W\d的]{1,12}"

_NAMES = re.compile(
    r"(?<!\w)(?i:my name is|my name['\u2019]s|mein name ist|ich hei(?:ß|ss)e"
    r"|je m['\u2019]appelle|me llamo)"
    r" {1,3}(?P<told>" + _NAME_WORDS + r"|[^\W\d_][\w'\u2019-]{1,30})"
    r"|(?<!\w)(?i:(?:please )?call me|nenn mich|appelle-moi|ll[aá]mame)"
    r" {1,3}(?P<wished>" + _NAME_WORDS + r")"
    r"|(?:我的名字[是叫]|我叫|请叫我|叫我)(?!做|了)\s?(?P<han>" + _HAN_NAME + r")"
    r"|(?:私の名前は|名前は)\s?(?P<kana>[^\s\W]{1,16}?)(?:です|と|といいます|だよ|$|[。、!\uff01])"
)

_PREFERENCES = re.compile(
    r"(?<!\w)(?i:i(?:['\u2019]d| would)? (?:much |really )?prefer"
    r"|i(?: really)? (?:like|love|hate)(?! (?:that|how|it|this|the|all|your?|when))"
    r"|i (?:don['\u2019]t|do not) (?:like|want)|i(?:['\u2019]m| am) allergic"
    r"|(?:please )?(?:always|never) (?:answer|reply|respond|write|use|speak|call|keep|ask|send"
    r"|start|end|explain|add|mention|include|format|quote|show|tell)"
    r"|(?:answer|reply|respond|write)(?: to)?(?: me)? in(?! the| a| an)|from now on|in future"
    r"|in the future,|ich mag|ich bevorzuge|bitte immer|bitte nie|ab jetzt|je pr[eé]f[eè]re"
    r"|prefiero)(?!\w)"
    r"|请总是|请一直|请始终|总是用|以后都|以后请|从现在起|请不要再|我更?喜欢|我不喜欢|我讨厌|我偏好|我习惯"
    r"|(?:いつも|必ず|常に|今後|これからは|毎回)"
    r"(?=[^。!?\uff01\uff1f\n]{0,80}(?:ください|下さい|お願い|ほしい))"
    r"|で(?:返答|回答|返信|返事|説明|話|書)[^。!?\uff01\uff1f\n]{0,4}て(?:ください|下さい|ほしい)"
    r"|のほうが好き|の方が好き|が好きです|が嫌いです|が苦手"
)

_GOALS = re.compile(
    r"(?<!\w)(?i:i(?:['\u2019]d| would) like to|i (?:want|need|have|plan|am trying) to"
    r"|i['\u2019]m trying to"
    r"|we (?:want|need|have) to"
    r"|(?:(?<=you )|(?<=please )|(?<![\w,] ))help me"
    r"|my goal is|(?:the|our) goal is|my task is"
    r"|ich (?:will|m[oö]chte)|hilf mir|je veux|aide-moi|quiero|ay[uú]dame)(?!\w)"
    r"|我的?目标|目标是|我想要?(?!知道)|我需要|请?帮我|帮助我"
    r"|目標は|目的は|を?手伝って|したい(?:です|と思|ん)"
)

_HINTS = (
    *("name", "call", "prefer", "like", "love", "hate", "want", "allergic", "always", "never"),
    *("answer", "reply", "respond", "write", "future", "from now", "goal", "task", "need", "have"),
    *("plan", "trying", "help", "ich ", "mein", "nenn", "mag", "bitte", "jetzt", "hilf", "mir"),
    *("appelle", "préf", "pref", "veux", "aide", "llam", "llám", "quiero", "ayud", "ayúd"),
)
_FAR_EAST = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
"""One of these stands in every statement: most texts are done with at once."""

_END = re.compile(r"[.!?](?=\s|$)|[。\uff01\uff1f\n;\uff1b]")


def statements_in(text: str) -> Iterator[tuple[str, str]]:
    """Give what a person states of each kind: label and clause, the last of a kind first.

    Lines that quote somebody are passed over.
    """
    if "\n>" in text or text.startswith(">"):
        text = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
    folded = text.casefold()
    if not any(hint in folded for hint in _HINTS) and not _FAR_EAST.search(text):
        return
    for found in _last(list(_NAMES.finditer(text))):
        name = next(group for group in found.groups() if group)
        yield NAME, name.rstrip("'\u2019-")
    for label, pattern in ((GOAL, _GOALS), (PREFERENCE, _PREFERENCES)):
        for found in _last(list(pattern.finditer(text))):
            yield label, _clause(text, found.start(), found.end())


def _last(found: list[re.Match[str]]) -> list[re.Match[str]]:
    return found[: -MOST_OF_A_TEXT - 1 : -1]


def _clause(text: str, start: int, end: int) -> str:
    """Give the sentence around what was found, or what begins there where that is too long."""
    before = text[max(0, end - MOST_CLAUSE_CHARS) : start]
    ends = [found.end() for found in _END.finditer(before)]
    if ends or len(before) == start:  # the sentence begins near enough
        start -= len(before) - (ends[-1] if ends else 0)
    stop = _END.search(text, end, start + MOST_CLAUSE_CHARS)
    return one_line(text[start : stop.start() if stop else None], MOST_CLAUSE_CHARS)
