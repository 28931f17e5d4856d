"""One chat platform each; they see :mod:`bot.api` and nothing else of the bot."""
