"""The only importers of SDKs and databases: each file fills a port of :mod:`bot.ports`."""
