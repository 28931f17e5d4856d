"""The whole application in a world where everything goes wrong, replayable from one number.

``simulate(seed)`` plays one history: the real application on the real database, a model and two
chat platforms that are pretended, virtual time, and one source of chance. Processes die at any
call; afterwards nothing may be lost, doubled, or out of order. ``scripts/simulate.py`` plays many.
"""

from bot.testing.simulator.sabotage import SABOTAGES
from bot.testing.simulator.simulation import Verdict, simulate

__all__ = ["SABOTAGES", "Verdict", "simulate"]
