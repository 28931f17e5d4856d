"""The vendor's model: :class:`~bot.ports.ModelClient` on the streaming Messages API.

``request`` and ``answer`` are pure and know the wire format, ``failures`` turns what goes wrong
into :mod:`bot.errors`, ``transport`` is the SDK, and ``model`` puts them together.
"""

from bot.adapters.anthropic_model.model import AnthropicModel, Limits

__all__ = ["AnthropicModel", "Limits"]
