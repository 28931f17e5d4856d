"""What a store in memory keeps of buttons and of the files of turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.chat import ButtonPress, ChatAddress, InboundMessage, Receipt
from bot.core.files import MOST_FILES_A_TURN, OutgoingFile
from bot.core.lifecycle import OutboxId, OutboxItem
from bot.core.presses import KeptButton, Refusal, message_below, redeemed
from bot.core.turns import TurnId


@dataclass(slots=True)
class _Kept:
    """A button, the item whose reply it is of, and what took it: channel and event id."""

    item_id: OutboxId
    button: KeptButton
    taken_by: tuple[str, str] | None = None
    message_id: str = ""


class MemoryButtons:
    """Buttons by their token."""

    def __init__(self) -> None:
        self._buttons: dict[str, _Kept] = {}

    def add(self, item: OutboxItem, at: datetime) -> None:
        """Keep the buttons of a reply."""
        for button in item.reply.buttons:
            kept = KeptButton(
                command=button.command,
                person=button.person,
                address=item.reply.address,
                made_at=at,
            )
            self._buttons[button.token] = _Kept(item.id, kept)

    def find(self, token: str) -> KeptButton | None:
        """Give what is kept of a button."""
        known = self._buttons.get(token)
        return None if known is None else known.button

    def readdress(self, change: Callable[[ChatAddress], ChatAddress]) -> None:
        """Let buttons stand elsewhere, and no message of the old chat be known."""
        for kept in self._buttons.values():
            address = change(kept.button.address)
            if address != kept.button.address:
                kept.button, kept.message_id = replace(kept.button, address=address), ""

    def redeem(self, press: ButtonPress, at: datetime) -> InboundMessage | Refusal:
        """Take all buttons of a reply for a press, or say why not."""
        known = self._buttons.get(press.token)
        command = redeemed(None if known is None else known.button, press, at)
        if known is not None and isinstance(command, InboundMessage) and known.taken_by is None:
            for each in self._buttons.values():
                if each.item_id == known.item_id:
                    each.taken_by = (press.address.channel, press.event_id)
                    each.message_id = message_below(known.button, press)
                    each.button = replace(each.button, taken_by=press.event_id)
        return command

    def pressed_message(self, channel: str, event_id: str) -> Receipt | None:
        """Say below which message the button stood that an event took."""
        taken = (kept for kept in self._buttons.values() if kept.taken_by == (channel, event_id))
        message_id = next((kept.message_id for kept in taken), "")
        return Receipt(message_id=message_id) if message_id else None

    def remove(self, item_id: OutboxId) -> None:
        """Forget the buttons of a reply."""
        of_item = [token for token, kept in self._buttons.items() if kept.item_id == item_id]
        for token in of_item:
            del self._buttons[token]


class MemoryFiles:
    """Files that tools want sent, by turn; each by its call and name."""

    def __init__(self) -> None:
        self._files: dict[TurnId, dict[tuple[str, str], OutgoingFile]] = {}

    def add(self, turn_id: TurnId, call_id: str, file: OutgoingFile) -> bool:
        """Keep a file, unless the turn has too many."""
        files = self._files.setdefault(turn_id, {})
        place = (call_id, file.name)
        if place not in files and len(files) >= MOST_FILES_A_TURN:
            return False
        files[place] = file
        return True

    def of_turn(self, turn_id: TurnId) -> tuple[OutgoingFile, ...]:
        """Give the files of a turn."""
        return tuple(self._files.get(turn_id, {}).values())

    def drop(self, turn_id: TurnId) -> None:
        """Forget the files of a turn."""
        self._files.pop(turn_id, None)
