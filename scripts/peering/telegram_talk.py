"""What people do on Telegram besides writing lines: files, buttons, changes; and long answers."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

from scripts.peering.claude_side import AIMock
from scripts.peering.processes import until
from scripts.peering.telegram_side import TelegramSide

MOST_UNITS = 4096
LETTER = "Dear neighbour, a heron has moved into the reeds behind your house.\n"
FILE_TEXT = "# Heron\n\nIt stands in the reeds.\n"
_PARAGRAPH = "The heron stands in the reeds and waits, as herons do, for what comes by. "
_CODE = "".join(f"herons[{n}] = wait(reeds, until={n})\n" for n in range(40))
LONG_WORDS = (
    "\n\n".join(f"{n}. {_PARAGRAPH * 4}".strip() for n in range(1, 20)),
    _CODE,
    "\n\n".join(f"{n}. {_PARAGRAPH * 4}".strip() for n in range(20, 37)) + "\n\nTHE END",
)
LONG = f"{LONG_WORDS[0]}\n\n```python\n{LONG_WORDS[1]}```\n\n{LONG_WORDS[2]}"

ANSWERS: list[dict[str, object]] = [
    {"match": {"userMessage": "what is on the picture"}, "response": {"content": "A red square."}},
    {"match": {"userMessage": "sum this letter up"}, "response": {"content": "A heron came."}},
    {
        "match": {"userMessage": "write me a file", "hasToolResult": True},
        "response": {"content": "There it is."},
    },
    {
        "match": {"userMessage": "write me a file"},
        "response": {
            "toolCalls": [
                {
                    "name": "save_as_file",
                    "arguments": json.dumps({"name": "heron.md", "text": FILE_TEXT}),
                }
            ]
        },
    },
    {"match": {"userMessage": "tell me everything"}, "response": {"content": LONG}},
    {"match": {"userMessage": "is called"}, "response": {"content": "Noted."}},
    {"match": {"userMessage": "which name"}, "response": {"content": "The one I have."}},
]
"""What the pretended Claude says to it, in the words of aimock's fixture files."""

_Seen = TypeVar("_Seen")


class TelegramTalk:
    """A person who tries everything once; each step gives what was seen in some words.

    A step that sees something else raises TimeoutError or ValueError.
    """

    def __init__(self, side: TelegramSide, claude: AIMock) -> None:
        self._side = side
        self._front = side.front
        self._claude = claude

    async def hold(self) -> list[str]:
        """Do one thing after the other."""
        steps: tuple[Callable[[], Awaitable[str]], ...] = (
            self._picture,
            self._letter,
            self._file,
            self._long_answer,
            self._changed_message,
            self._buttons,
        )
        seen = []
        for step in steps:
            words = await step()
            print(f"{self._side.name:>9} = {words}", flush=True)
            seen.append(words)
        return seen

    async def _picture(self) -> str:
        png = _red_square()
        handle = await self._side.upload("photo", "square.png", png)
        form = {"file_id": handle, "file_unique_id": "u1", "width": 64, "height": 64}
        answer = await self._answer_to(
            "A red square", caption="what is on the picture", photo=[form]
        )
        kinds = [block["type"] for block in self._claude.newest_user_blocks()]
        _insist("image" in kinds, f"the model was sent {kinds}")
        return f"picture in ({len(png)} bytes), an image block to the model: {answer}"

    async def _letter(self) -> str:
        handle = await self._side.upload("document", "letter.txt", LETTER.encode())
        document = {
            "file_id": handle,
            "file_unique_id": "u2",
            "file_name": "letter.txt",
            "mime_type": "text/plain",
            "file_size": len(LETTER),
        }
        answer = await self._answer_to("heron", caption="sum this letter up", document=document)
        asked = json.dumps(self._claude.newest_user_blocks())
        _insist("moved into the reeds" in asked, "the model was not sent what is in the letter")
        return f"document in, its text to the model: {answer}"

    async def _file(self) -> str:
        await self._answer_to("There it is", text="write me a file")
        found = await self._until(
            lambda: [each for each in self._front.messages.values() if each.content], "a file"
        )
        _insist(found[-1].content.decode() == FILE_TEXT, f"the file holds {found[-1].content!r}")
        return f"document out: {found[-1].file_name}, {len(found[-1].content)} bytes, as written"

    async def _long_answer(self) -> str:
        before = len(self._front.messages)
        await self._answer_to("THE END", text="tell me everything")
        parts = [each.text for each in self._front.messages.values()][before:]
        longest = max(len(part.encode("utf-16-le")) // 2 for part in parts)
        _insist(longest <= MOST_UNITS, f"a message of {longest} units")
        said, written = ("".join("".join(each).split()) for each in (LONG_WORDS, parts))
        _insist(said == written, "the answer is not what the model said")
        return (
            f"{len(LONG)} characters in {len(parts)} messages of up to {longest} units, all there"
        )

    async def _changed_message(self) -> str:
        cat = await self._side.write(text="my cat is called Mitzi")
        await self._until(lambda: self._front.messages[self._last()].text == "Noted.", "Noted.")
        count = len(self._front.messages)
        await self._side.change(cat, "my dog is called Rex")
        await self._answer_to("The one I have", text="which name did I say?")
        asked = json.dumps(self._claude.newest_request())
        _insist("Rex" in asked and "Mitzi" not in asked, "the model still sees the former text")
        _insist(len(self._front.messages) == count + 1, "the change was answered")
        return "changed message: the model sees the new text alone; nothing was answered twice"

    async def _buttons(self) -> str:
        await self._side.write(text="/context clear")
        await self._until(lambda: self._front.messages[self._last()].buttons, "buttons")
        number = self._last()
        asked, count = self._front.messages[number], len(self._front.messages)
        labels = list(asked.buttons)
        await self._side.press(number, labels[0])
        await self._until(lambda: "Cleared" in self._front.messages[number].text, "Cleared")
        _insist(len(self._front.messages) == count, "the answer is a message of its own")
        await self._until(lambda: self._front.answered_presses, "the press to be confirmed")
        return f"buttons {labels}; {labels[0]} pressed: {asked.text.splitlines()[0]}"

    def _last(self) -> int:
        return max(self._front.messages)

    async def _answer_to(self, expected: str, **content: object) -> str:
        before = len(self._front.messages)
        await self._side.write(**content)

        def found() -> str:
            texts = [each.text for each in self._front.messages.values()][before:]
            return next((text for text in texts if expected in text), "")

        return await self._until(found, repr(expected))

    async def _until(self, find: Callable[[], _Seen], what: str) -> _Seen:
        try:
            await until(lambda: bool(find()), what)
        except TimeoutError as error:
            texts = [each.text[:200] for each in self._front.messages.values()]
            raise TimeoutError(f"{error}; the newest messages: {texts[-3:]}") from None
        return find()


def _insist(is_so: object, otherwise: str) -> None:
    if not is_so:
        raise ValueError(otherwise)


def _red_square(side: int = 64) -> bytes:
    """Write a PNG by hand."""
    rows = (b"\x00" + b"\xff\x00\x00" * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
