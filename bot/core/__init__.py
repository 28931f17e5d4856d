"""Frozen values and functions of values: every decision, and not one side effect."""
