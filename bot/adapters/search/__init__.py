"""Search over memory: one SQLite file that can be removed and made again at any time."""
