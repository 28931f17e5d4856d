"""What a channel of one person at their own machine has no need of."""

from __future__ import annotations

from bot.api import (
    Attachment,
    ChatAddress,
    DeliveryError,
    EarlierMessage,
    Finding,
    Receipt,
    Reply,
    Role,
    Sender,
)


class OnePersonChannel:
    """Answers for the pipe and the terminal: one person, no group, no files, nothing to set up."""

    async def edit(self, receipt: Receipt, reply: Reply) -> None:
        """Refuse: what was written stays.

        Raises:
            DeliveryError: Always.
        """
        raise DeliveryError("what was written cannot be changed", can_retry=False)

    async def find_sent(self, reply: Reply) -> Receipt | None:
        """Find nothing: what was written is not read back."""
        return None

    async def fetch(self, attachment: Attachment) -> bytes:
        """Refuse: nothing but text comes in here.

        Raises:
            DeliveryError: Always.
        """
        raise DeliveryError("no files come in here", can_retry=False)

    async def earlier(
        self, address: ChatAddress, message_id: str, *, limit: int
    ) -> tuple[EarlierMessage, ...]:
        """Give nothing: nobody else speaks here."""
        return ()

    async def role_of(self, address: ChatAddress, sender: Sender) -> Role:
        """Say nothing: nobody is set over others here."""
        return "unknown"

    async def examine(self, *, is_running: bool) -> tuple[Finding, ...]:
        """Find nothing: there is nothing to set up."""
        return ()
