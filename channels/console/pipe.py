"""The console on a pipe or file: a line in, its answer out, then the next line."""

from __future__ import annotations

import contextlib
import sys

from bot.api import (
    Capabilities,
    ChatAddress,
    DeliveryError,
    Inbox,
    MenuEntry,
    Receipt,
    Reply,
)
from channels.console.one_person import OnePersonChannel
from channels.console.person import ADDRESS, CHANNEL, LocalPerson
from channels.console.streams import read_lines, write_all
from channels.console.text import without_controls, without_escapes


class PipeChannel(OnePersonChannel):
    """Reads one file descriptor and writes another; nothing but whole answers is written."""

    name = CHANNEL
    capabilities = Capabilities(max_text_length=sys.maxsize)

    def __init__(self, person: LocalPerson, *, read_from: int, write_to: int) -> None:
        self._person = person
        self._read_from = read_from
        self._write_to = write_to
        self._is_output_gone = False

    async def run(self, inbox: Inbox) -> None:
        """Answer line by line until the input ends or nobody reads the output any more."""
        inbox.receiving()
        async with contextlib.aclosing(read_lines(self._read_from)) as lines:
            async for line in lines:
                if not line.strip():
                    continue
                await inbox.receive((self._person.says(line),))
                await inbox.settled(ADDRESS)
                if self._is_output_gone:
                    return

    def split(self, text: str) -> tuple[str, ...]:
        """Keep the text whole: a pipe has no limit."""
        return (text,) if text.strip() else ()

    async def ready(self, address: ChatAddress) -> None:
        """Return at once: a pipe takes whatever comes."""

    async def send(self, reply: Reply) -> Receipt:
        """Write an answer and the end of its line.

        Raises:
            DeliveryError: Nobody reads the output any more.
        """
        text = without_escapes(without_controls(reply.text)).rstrip("\n") + "\n"
        try:
            await write_all(self._write_to, text.encode("utf-8", errors="replace"))
        except OSError as error:
            self._is_output_gone = True
            raise DeliveryError(f"cannot write the answer: {error}", can_retry=False) from error
        return self._person.receipt()

    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None:
        """Show nothing, so that the output holds whole answers only."""

    async def show_typing(self, address: ChatAddress) -> None:
        """Show nothing."""

    async def offer_commands(
        self,
        entries: tuple[MenuEntry, ...],
        admins: tuple[ChatAddress, ...],
        *,
        former: tuple[ChatAddress, ...] = (),
    ) -> None:
        """Show nothing: a pipe has no menu."""

    async def close(self) -> None:
        """Leave both streams open: they belong to the process."""
