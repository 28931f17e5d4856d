"""What became of every message, judged from what the platform shows and the tools wrote down.

The law of this file: it sees what a person sees. Answers are made of numbered paragraphs that
carry the mark of the message they answer, so that a piece which is missing, doubled or left over
can be told from the texts alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields

from bot.runtime.delivery import REPEATED

_PARAGRAPH = re.compile(r"(mark-\d+-\d+)/(\d{3})")
_REPEATED = REPEATED.strip("\n *")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A message that a person wrote, and how many paragraphs answer it."""

    mark: str
    paragraphs: int = 1
    has_tool: bool = False

    @property
    def answer(self) -> str:
        """What the model answers to it."""
        filling = "as was asked, and said so that nothing can be mistaken for it."
        numbers = range(1, self.paragraphs + 1)
        return "\n\n".join(f"{self.mark}/{number:03d} {filling}" for number in numbers)


@dataclass(slots=True, kw_only=True)
class Verdict:
    """Counts of what went wrong over some chats.

    Attributes:
        lost: Messages of whose answer a paragraph is missing.
        answered_twice: Messages of whose answer a paragraph stands twice without a mark.
        tools_run_twice: Tools begun twice for one message.
        tools_not_run: Tools that were never begun.
        orphan_previews: Unfinished answers left standing.
        disordered: Chats whose answers are not in the order of their messages.
        marked_repeats: Parts sent again with a word that they are.
        parts_in_doubt: Parts of which the bot could not know, when it was killed, whether the
            platform had them: so many may be repeated.
        calls_in_doubt: Tools of which it could not know whether they had done their work: so many
            may stay undone.
        faults: One line for everything else that is wrong, such as words that nobody asked for.
    """

    lost: int = 0
    answered_twice: int = 0
    tools_run_twice: int = 0
    tools_not_run: int = 0
    orphan_previews: int = 0
    disordered: int = 0
    marked_repeats: int = 0
    parts_in_doubt: int = 0
    calls_in_doubt: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, other: Verdict) -> None:
        """Count another verdict in."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def forbidden(self) -> list[str]:
        """Say what must not be; empty when all is well. For the verdict of one kill."""
        excess = {
            "lost": self.lost,
            "answered twice": self.answered_twice,
            "tools run twice": self.tools_run_twice,
            "tools not run": self.tools_not_run - self.calls_in_doubt,
            "orphan previews": self.orphan_previews,
            "disordered": self.disordered,
            "marked repeats": self.marked_repeats - self.parts_in_doubt,
        }
        return [f"{name}: {count}" for name, count in excess.items() if count > 0] + self.faults


def judge(chats: Mapping[str, Sequence[Asked]], shown: Mapping[str, Sequence[str]]) -> Verdict:
    """Compare what was asked in each chat with the bot's messages in it, oldest first."""
    verdict = Verdict()
    for chat, asked in chats.items():
        verdict.add(_judge_chat(asked, shown.get(chat, ())))
    return verdict


def judge_ledger(chats: Mapping[str, Sequence[Asked]], lines: Iterable[str]) -> Verdict:
    """Count the tools that were begun twice, or never."""
    begun = Counter(line.removeprefix("start ") for line in lines if line.startswith("start "))
    with_tool = [each.mark for asked in chats.values() for each in asked if each.has_tool]
    return Verdict(
        tools_run_twice=sum(1 for mark in with_tool if begun[mark] > 1),
        tools_not_run=sum(1 for mark in with_tool if not begun[mark]),
    )


def is_answered(asked: Iterable[Asked], shown: Iterable[str]) -> bool:
    """Tell whether every paragraph of every answer stands there at least once."""
    seen = {piece for text in shown for piece in _PARAGRAPH.findall(text)}
    return all(_pieces(each) <= seen for each in asked)


def _pieces(asked: Asked) -> set[tuple[str, str]]:
    return {(asked.mark, f"{number:03d}") for number in range(1, asked.paragraphs + 1)}


def _judge_chat(asked: Sequence[Asked], texts: Sequence[str]) -> Verdict:
    orphans = [text for text in texts if _is_orphan(text, asked, texts)]
    standing = [text for text in texts if text not in orphans]
    fresh: Counter[tuple[str, str]] = Counter()
    every: dict[tuple[str, str], None] = {}
    for text in standing:
        found = _PARAGRAPH.findall(text)
        every |= dict.fromkeys(found)
        if _REPEATED not in text:
            fresh.update(found)
    expected = [piece for each in asked for piece in sorted(_pieces(each))]
    in_order = [piece for piece in every if piece in set(expected)]
    return Verdict(
        lost=sum(1 for each in asked if not _pieces(each) <= every.keys()),
        answered_twice=len({mark for (mark, _), count in fresh.items() if count > 1}),
        orphan_previews=len(orphans),
        disordered=int(in_order != [piece for piece in expected if piece in every]),
        marked_repeats=sum(1 for text in texts if _REPEATED in text),
        faults=[f"said besides: {text[:80]!r}" for text in texts if not _PARAGRAPH.search(text)],
    )


def _is_orphan(text: str, asked: Sequence[Asked], texts: Sequence[str]) -> bool:
    """Tell a text that stops in the middle of an answer which no other text takes up."""
    found = _PARAGRAPH.findall(text)
    if not found:
        return False
    mark, number = found[-1]
    lengths = {each.mark: each.paragraphs for each in asked}
    if int(number) >= lengths.get(mark, 0):
        return False
    following = (mark, f"{int(number) + 1:03d}")
    begins = [pieces[0] for each in texts if (pieces := _PARAGRAPH.findall(each))]
    return following not in begins
