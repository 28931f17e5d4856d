"""What is searched, and how the index follows it, in the background, whatever happens to it."""

from bot.runtime.indexing.current import CurrentItems, CurrentParts
from bot.runtime.indexing.indexing import Indexing, IndexingParts

__all__ = ["CurrentItems", "CurrentParts", "Indexing", "IndexingParts"]
