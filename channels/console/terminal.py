"""The console on a terminal: the prompt stays open while an answer grows above it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.api import (
    Capabilities,
    ChatAddress,
    Inbox,
    MenuEntry,
    Receipt,
    Reply,
)
from channels.console.one_person import OnePersonChannel
from channels.console.person import ADDRESS, CHANNEL, LocalPerson

if TYPE_CHECKING:
    from channels.console.screen import Screen

_PREVIEW_INTERVAL_S = 0.05


class TerminalChannel(OnePersonChannel):
    """Hands what is entered to the inbox, and what comes back to the screen.

    Lines may be entered while an answer is being written; Ctrl-C then asks to stop it.
    """

    name = CHANNEL
    capabilities = Capabilities(
        max_text_length=sys.maxsize, shows_drafts=True, preview_interval_s=_PREVIEW_INTERVAL_S
    )

    def __init__(
        self, person: LocalPerson, make_screen: Callable[[], Screen] | None = None
    ) -> None:
        self._person = person
        self._make_screen = make_screen
        self._opening = asyncio.Lock()
        self._screen: Screen | None = None
        self._unsettled: set[asyncio.Task[None]] = set()

    async def run(self, inbox: Inbox) -> None:
        """Read and receive until the person leaves with Ctrl-D."""
        screen = await self._open_screen()
        screen.speak_in(lambda: inbox.screens.language(ADDRESS, self._person.sender))
        async with asyncio.TaskGroup() as tasks:

            def stop() -> bool:
                if self._unsettled:
                    tasks.create_task(inbox.receive((self._person.stops(),)))
                return bool(self._unsettled)

            inbox.receiving()
            while (text := await screen.read(on_interrupt=stop)) is not None:
                if text.strip():
                    await inbox.receive((self._person.says(text),))
                    self._watch(tasks.create_task(inbox.settled(ADDRESS)), screen)
            for task in self._unsettled:
                task.cancel()

    def split(self, text: str) -> tuple[str, ...]:
        """Keep the text whole: a terminal scrolls."""
        return (text,) if text.strip() else ()

    async def ready(self, address: ChatAddress) -> None:
        """Return at once: a terminal takes whatever comes."""

    async def send(self, reply: Reply) -> Receipt:
        """Print what the drafts of this answer have not yet printed."""
        screen = await self._open_screen()
        if reply.kind == "final":
            screen.print_answer(reply.text)
        else:
            screen.print_notice(reply.text)
        return self._person.receipt()

    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None:
        """Print the blocks that are complete, show the rest above the prompt."""
        (await self._open_screen()).show_draft(draft_id, text)

    async def show_typing(self, address: ChatAddress) -> None:
        """Show nothing: the screen knows by itself that an answer is awaited."""

    async def offer_commands(
        self,
        entries: tuple[MenuEntry, ...],
        admins: tuple[ChatAddress, ...],
        *,
        former: tuple[ChatAddress, ...] = (),
    ) -> None:
        """Let the commands be completed with Tab."""
        (await self._open_screen()).complete_commands(entries)

    async def close(self) -> None:
        """Leave the terminal open: it belongs to the person."""

    def _watch(self, settled: asyncio.Task[None], screen: Screen) -> None:
        """Show that an answer is awaited until ``settled`` is done.

        Where the person leaves first, the rest of it is yet to come, and goes on where it was.
        """

        def forget(task: asyncio.Task[None]) -> None:
            self._unsettled.discard(task)
            if not task.cancelled():
                screen.set_busy(bool(self._unsettled))

        self._unsettled.add(settled)
        screen.set_busy(True)
        settled.add_done_callback(forget)

    async def _open_screen(self) -> Screen:
        async with self._opening:
            if self._make_screen is None:
                self._make_screen = await asyncio.to_thread(_load_screen)
            if self._screen is None:
                self._screen = self._make_screen()
            return self._screen


def _load_screen() -> Callable[[], Screen]:
    """Import the screen, which takes a while, only when there is a terminal to draw on."""
    from channels.console.screen import Screen

    return Screen
