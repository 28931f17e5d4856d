"""How far a long piece of work is: a bar on a terminal, else a line a phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

PHASES = {
    "copying": "copying the database",
    "examining": "examining the copy",
    "packing": "writing the file",
    "checking": "reading it again",
    "unpacking": "unpacking",
}

_WIDTH = 24
_CLEAR = "\r\x1b[K"


class ShowProgress:
    """Shows progress on a stream; what is no progress is passed over."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._shown = ""

    def see(self, told: Mapping[str, object]) -> None:
        """Show ``phase``, with ``done`` and ``total`` in bytes, if it looks different by now."""
        match told:
            case {"phase": str(phase), "done": int(done), "total": int(total)} if total > 0:
                what = PHASES.get(phase, phase)
                shown = _bar(done / total, what) if self._is_terminal else f"{what} …\n"
                if shown != self._shown:
                    self._shown = shown
                    self._write(shown)

    def end(self) -> None:
        """Take a bar away, so that what was done stands in its place."""
        if self._is_terminal and self._shown:
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _bar(share: float, what: str) -> str:
    filled = int(_WIDTH * min(share, 1.0))
    return f"{_CLEAR}[{'#' * filled:-<{_WIDTH}}] {min(share, 1.0):4.0%}  {what}"
