"""The terminal: no peer, but the same conversation over the product's own pipe."""

from __future__ import annotations

from scripts.peering.processes import Daybook


class TerminalSide:
    """A person who writes lines to the product's standard input."""

    name = "terminal"
    peer = "(own terminal)"

    def __init__(self, product: Daybook) -> None:
        self._product = product

    async def say(self, text: str) -> None:
        """Enter a line."""
        self._product.enter(text.replace("!", "/", 1) if text.startswith("!") else text)

    async def seen(self) -> tuple[str, ...]:
        """Give the lines of its standard output."""
        return tuple(self._product.output.splitlines())
