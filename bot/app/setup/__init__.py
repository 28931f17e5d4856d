"""The first start, and every later change of keys and tokens, as a talk with the operator.

``questions`` asks and shows, ``pasted`` reads what was pasted, ``form`` holds what is going to be
written and has it checked, ``model_step`` and ``channel_step`` are the steps, ``sitting`` the whole
of it. The law of this package: nothing is written before the end, nothing that may be a secret is
shown, and what is checked is read exactly as the next start will read it.
"""

from bot.app.setup.sitting import hold_setup, offer_setup

__all__ = ["hold_setup", "offer_setup"]
