"""Slack: receives over Socket Mode, answers with Markdown blocks.

Importing this package imports no SDK; ``run`` or the first ``send`` does, off the event loop.
"""

from channels.slack.channel import SlackChannel, build
from channels.slack.settings import Settings

__all__ = ["Settings", "SlackChannel", "build"]
