"""Secrets found by what stands around them, by their own form, and by detect-secrets' forms."""

from bot.adapters.redactor.redactor import RuleRedactor

__all__ = ["RuleRedactor"]
