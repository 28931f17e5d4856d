"""What the bot itself says, in the language of who reads it.

The English sentence stands where it is said and is the key of its translations, which stand in
``LANGUAGE/LC_MESSAGES/daybook.po``. ``scripts/texts.py`` finds new sentences and compiles the
files; :mod:`gettext` reads them. What the model writes, logs, and what operators read on their
terminal are not translated.
"""

from bot.languages.speaking import LANGUAGES, Language, language_of, speaking, spoken
from bot.languages.texts import gettext, gettext_noop, ngettext

__all__ = [
    "LANGUAGES",
    "Language",
    "gettext",
    "gettext_noop",
    "language_of",
    "ngettext",
    "speaking",
    "spoken",
]
