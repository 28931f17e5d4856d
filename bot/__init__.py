"""Daybook: a chat bot whose context always fits and whose messages are never lost."""

__version__ = "0.1.0"
