#!/usr/bin/env python3
"""Bring the translations of the bot's own texts up to date with the code.

New sentences are put into ``bot/languages/*/LC_MESSAGES/daybook.po`` without a translation, those
that are said no more are taken out, and the files are compiled to what :mod:`gettext` reads. The
exit code is 1 while a sentence has no translation. ``--check`` writes nothing.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.languages import LANGUAGES  # noqa: E402 - found through the line above
from bot.languages.texts import DOMAIN, FOLDER  # noqa: E402

SPEAKING = ("bot", "channels", "plugins")
"""The folders in which people are spoken to."""

FORMS = {"gettext": 1, "gettext_noop": 1, "ngettext": 2}
"""What says or marks a sentence, and how many forms of it: its first arguments."""

COLUMNS = 100
HEADER = """\
# What Daybook says, in {name}. Made with scripts/texts.py; only the translations are written.
msgid ""
msgstr ""
"Language: {language}\\n"
"Plural-Forms: {plurals}\\n"
"Content-Type: text/plain; charset=utf-8\\n"

"""
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands in compiled files, so that the same sentences make the same file."""


def main() -> int:
    """Update and compile all catalogues; return 1 when something is missing or out of date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    is_right = True
    for language in LANGUAGES[1:]:
        path = catalogue_path(language)
        written = updated(language)
        missing = list(untranslated(read_po(BytesIO(written))))
        for message in missing:
            print(f"{language}: no translation of {message.id!r}")
        files = {path: written, path.with_suffix(".mo"): compiled(written)}
        stale = [each for each, content in files.items() if not _holds(each, content)]
        if options.check:
            for each in stale:
                print(f"{each.relative_to(ROOT)} is out of date: run scripts/texts.py")
        else:
            for each in stale:
                each.write_bytes(files[each])
        is_right &= not missing and not (options.check and stale)
    return 0 if is_right else 1


def catalogue_path(language: str) -> Path:
    """Name the file of a language's sentences."""
    return FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def updated(language: str) -> bytes:
    """Give a language's file with all sentences that the code says, and no others."""
    with catalogue_path(language).open("rb") as file:
        catalogue = read_po(file, locale=language)
    template = Catalog()
    for said in sentences():
        template.add(said)
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    written = BytesIO()
    header = HEADER.format(
        name=Locale(language).english_name,
        language=language,
        plurals=Catalog(language).plural_forms,
    )
    written.write(header.encode())
    write_po(
        written,
        catalogue,
        width=COLUMNS,
        no_location=True,
        omit_header=True,
        sort_output=True,
    )
    return written.getvalue()


def compiled(written: bytes) -> bytes:
    """Give what :mod:`gettext` reads of a file of sentences."""
    catalogue = read_po(BytesIO(written))
    catalogue.creation_date = UNDATED
    made = BytesIO()
    write_mo(made, catalogue)
    return made.getvalue()


def sentences() -> Iterator[str | tuple[str, ...]]:
    """Find all sentences of the code, those with a plural as both of their forms.

    Raises:
        ValueError: One is put together where it is said, so that nobody can translate it.
    """
    for folder in SPEAKING:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in FORMS:
                    yield from _said(node, path)


def _said(call: ast.Call, path: Path) -> Iterator[str | tuple[str, ...]]:
    """Give what a call says, unless it stands in a constant, which is marked itself."""
    forms = call.args[: FORMS[ast.unparse(call.func)]]
    said = tuple(str(each.value) for each in forms if isinstance(each, ast.Constant))
    if len(said) == len(forms):
        yield said if len(said) > 1 else said[0]
    elif said or any(isinstance(each, ast.JoinedStr | ast.BinOp) for each in forms):
        raise ValueError(f"{path}:{call.lineno}: a sentence is written out, its values named")


def untranslated(catalogue: Catalog) -> Iterator[Message]:
    """Find sentences that stand in a catalogue without a translation, or with a doubtful one."""
    for message in catalogue:
        said = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and (message.fuzzy or not all(said)):
            yield message


def _holds(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes() == content


if __name__ == "__main__":
    sys.exit(main())
