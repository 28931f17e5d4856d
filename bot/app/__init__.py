"""The one place where the parts meet."""

from bot.app.application import App
from bot.app.channels import build_channels, slack_manifest
from bot.app.outside import Outside, Store
from bot.app.signals import StopSignals

__all__ = ["App", "Outside", "StopSignals", "Store", "build_channels", "slack_manifest"]
