"""The one place where the parts meet."""

from bot.app.application import App, Outside, Store
from bot.app.channels import build_channels

__all__ = ["App", "Outside", "Store", "build_channels"]
