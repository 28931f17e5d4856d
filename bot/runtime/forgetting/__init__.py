"""Forgetting at a person's wish: proposed, confirmed, carried out in the background, proved."""

from bot.runtime.forgetting.forgetting import Forgetting
from bot.runtime.forgetting.parts import ForgettingParts, Proposal
from bot.runtime.forgetting.switch import MemorySwitch

__all__ = ["Forgetting", "ForgettingParts", "MemorySwitch", "Proposal"]
