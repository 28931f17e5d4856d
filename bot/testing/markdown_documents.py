"""Random Markdown documents, and a second opinion on what a reader of one sees.

The opinion is markdown-it's, a parser that no channel draws with: so a channel's rendering can be
held against it, word by word and, in code, byte by byte.
"""

from __future__ import annotations

import math
import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

_WORDS = (
    *("word", "Wörter", "слово", "你好", "世界", "テスト", "مرحبا", "e\u0301", "x²", "№7"),
    *(
        "😀",
        "👩\u200d👩\u200d👧\u200d👦",
        "🇩🇪",
        "👍🏽",
        "❤️",
        "a_b_c",
        "3.14",
        "C++",
        "50%",
        "Vec<T>",
    ),
    *("<b>", "</div>", "a<br>b", "$5", "~6", "&amp;", "&", r"\*", "a|b", "AT&T", "it's", "—"),
)
_CODE = (
    "x = 1",
    "\tif a < b && c:",
    "    return `é` | '你'",
    "",
    "  # 😀 **no bold**",
    "<html>",
    "}",
)
_LANGUAGES = ("", "python", "sh", "c++")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a reader of a document sees.

    Attributes:
        text: All of it in order; marks of lists, tables and rules as they come.
        blocks: The content of each block of code, without the line break at its end.
        inline: The content of each piece of code inside a line, outside of tables.
    """

    text: str
    blocks: tuple[str, ...]
    inline: tuple[str, ...]


def markdown_document(seed: int, *, blocks: int = 12) -> str:
    """Write a document that is the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret is made
    return "\n\n".join(_Writer(chance).blocks(blocks))


def seen_in(markdown: str, *, most_columns: float = math.inf) -> Seen:
    """Read a document as markdown-it does: CommonMark, tables and ``~~``.

    Of a table that takes more than ``most_columns`` letters of one width, what stands above a cell
    is seen before each cell.
    """
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    reader = _Reader(most_columns)
    for token in parser.parse(markdown):
        reader.read(token)
    return Seen(
        text="\n".join(reader.texts), blocks=tuple(reader.blocks), inline=tuple(reader.inline)
    )


class _Writer:
    """Writes blocks, at most two deep in one another."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def blocks(self, most: int, *, depth: int = 0) -> list[str]:
        kinds = [self._paragraph, self._paragraph, self._heading, self._code, self._rule]
        kinds += [self._table, self._tasks] if depth == 0 else []
        if depth < 2:
            kinds += [lambda: self._list(depth), lambda: self._quote(depth)]
        written = [self._chance.choice(kinds)() for _ in range(self._chance.randint(1, most))]
        # Two lists in a row would be one, and a rule directly behind a text would be a heading.
        return [block for each in written for block in (each, "And then.")]

    def _line(self, most: int = 14) -> str:
        return " ".join(self._piece() for _ in range(self._chance.randint(1, most)))

    def _piece(self) -> str:
        word = self._chance.choice(_WORDS)
        kind = self._chance.randint(0, 15)
        plain = self._chance.choice(("word", "两个 字", "two words", "😀 x"))
        marked = {
            0: f"**{plain}**",
            1: f"*{plain}*",
            2: f"`{self._chance.choice(_CODE[:2]).strip()}`",
            3: f"[{plain}](https://example.org/{self._chance.randint(1, 99)})",
            4: f"~~{plain}~~",
            5: f"***{plain}***",
            6: f"**{plain} *{plain}* `c`**",
        }
        return marked.get(kind, word)

    def _paragraph(self) -> str:
        return "\n".join(f"Text {self._line()}" for _ in range(self._chance.randint(1, 4)))

    def _heading(self) -> str:
        return "#" * self._chance.randint(1, 6) + f" Title {self._line(4)}"

    def _rule(self) -> str:
        return self._chance.choice(("---", "***"))

    def _code(self) -> str:
        lines = [self._chance.choice(_CODE) for _ in range(self._chance.randint(1, 8))]
        body = "\n".join(["begin", *lines, "end"])
        return f"```{self._chance.choice(_LANGUAGES)}\n{body}\n```"

    def _table(self) -> str:
        columns = self._chance.randint(1, 4)
        rows = [
            [self._piece().replace("|", "/") for _ in range(columns)]
            for _ in range(self._chance.randint(1, 6))
        ]
        ruler = [self._chance.choice(("---", ":--", "--:", ":-:")) for _ in range(columns)]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in (rows[0], ruler, *rows[1:]))

    def _tasks(self) -> str:
        return "\n".join(
            f"- [{self._chance.choice('x ')}] task {self._line(5)}"
            for _ in range(self._chance.randint(1, 4))
        )

    def _list(self, depth: int) -> str:
        is_ordered, first = self._chance.random() < 0.4, self._chance.choice((1, 1, 7))
        items = []
        for number in range(self._chance.randint(1, 4)):
            mark = f"{first + number}. " if is_ordered else "- "
            inside = f"item {self._line(6)}"
            if self._chance.random() < 0.3:
                inside += "\n\n" + "\n\n".join(self.blocks(2, depth=depth + 1))
            items.append(mark + inside.replace("\n", "\n" + " " * len(mark)))
        return "\n".join(items)

    def _quote(self, depth: int) -> str:
        inside = "\n\n".join(self.blocks(2, depth=depth + 1))
        return "\n".join(f"> {line}" for line in inside.split("\n"))


class _Reader:
    """Collects what tokens show."""

    def __init__(self, most_columns: float) -> None:
        self._most_columns = most_columns
        self.texts: list[str] = []
        self.blocks: list[str] = []
        self.inline: list[str] = []
        self._numbers: list[int | None] = []
        self._is_in_table = False
        self._rows: list[list[str]] = []

    def read(self, token: Token) -> None:
        """Take one token of a block."""
        match token.type:
            case "fence" | "code_block":
                content = token.content.removesuffix("\n")
                self.blocks.append(content)
                self.texts.append(content)
            case "html_block":
                self.texts.append(token.content)
            case "ordered_list_open":
                self._numbers.append(int(token.attrGet("start") or 1))
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_close" | "bullet_list_close":
                self._numbers.pop()
            case "list_item_open":
                self.texts.append(self._mark())
            case "table_open" | "table_close":
                self._is_in_table = token.type == "table_open"
                self.texts += self._table()
            case "tr_open":
                self._rows.append([])
            case "inline":
                texts = self._rows[-1] if self._is_in_table else self.texts
                texts.append("".join(self._pieces(token.children or [])))

    def _table(self) -> list[str]:
        """Give what is seen of the rows that were read, and forget them."""
        rows, self._rows = self._rows, []
        columns = list(zip(*rows, strict=True))
        width = sum(max(map(_columns_of, cells)) for cells in columns) + 3 * (len(columns) - 1)
        if width <= self._most_columns or len(rows) == 1:
            return [cell for row in rows for cell in row]
        named = [zip(rows[0], row, strict=True) for row in rows[1:]]
        return [f"{name}: {cell}" if name else cell for row in named for name, cell in row]

    def _mark(self) -> str:
        number = self._numbers[-1]
        if number is None:
            return "•"
        self._numbers[-1] = number + 1
        return f"{number}."

    def _pieces(self, tokens: list[Token]) -> Iterator[str]:
        addresses: list[str] = []
        for token in tokens:
            match token.type:
                case "softbreak" | "hardbreak":
                    yield "\n"
                case "code_inline":
                    if not self._is_in_table:
                        self.inline.append(token.content)
                    yield token.content
                case "link_open":
                    addresses.append(str(token.attrGet("href") or ""))
                case "link_close":
                    address = addresses.pop()
                    # Nobody can click what stands in a table: its address is shown beside it.
                    yield f" ({address})" if self._is_in_table else ""
                case _:
                    yield token.content


def _columns_of(text: str) -> int:
    """Count letters of one width: wide ones are two, what stands upon another is none."""
    marks = sum(unicodedata.category(each) in ("Mn", "Me", "Cf") for each in text)
    wide = sum(unicodedata.east_asian_width(each) in ("W", "F") for each in text)
    return len(text) - marks + wide
