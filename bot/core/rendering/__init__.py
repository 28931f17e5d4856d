"""Where a long text may be cut, so that a platform takes it and a reader misses nothing.

The law of this package: nothing here knows a platform. How long a part may be is the caller's
``fits``; how Markdown looks in the end is a matter of the channels.
"""

from bot.core.rendering.split import split_markdown

__all__ = ["split_markdown"]
