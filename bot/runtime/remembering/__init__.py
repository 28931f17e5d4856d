"""What left the window is summarised and remembered, in the background, however often it fails."""

from bot.runtime.remembering.parts import RememberingParts, SummaryLimits
from bot.runtime.remembering.remembering import Remembering

__all__ = ["Remembering", "RememberingParts", "SummaryLimits"]
