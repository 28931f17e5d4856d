"""One plugin a file; they see :mod:`bot.api` and nothing else of the bot."""
