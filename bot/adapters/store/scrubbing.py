"""Looking through what was stored earlier, column by column, for what may not stand there."""

from __future__ import annotations

from dataclasses import dataclass

from bot.adapters.store.schema import Tables
from bot.adapters.store.wordy_columns import WordyColumn

ROWS_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """What stands in a column.

    Attributes:
        state: That of the row where it has one: of an event that was set aside, the text is raw.
    """

    row: int
    text: str
    state: str = ""


def texts_behind(tables: Tables, column: WordyColumn, row: int) -> tuple[StoredText, ...]:
    """Give what stands in a column behind a row, in the order of rows; empty at the end."""
    state = "state" if column.table == "inbox" else "''"
    rows = tables.execute(
        f"SELECT rowid, {column.column}, {state} FROM {column.table}"  # noqa: S608 - names of ours
        f" WHERE rowid > ? AND {column.column} IS NOT NULL ORDER BY rowid LIMIT ?",
        row,
        ROWS_AT_ONCE,
    )
    return tuple(
        StoredText(row=row, text=_as_text(value), state=state) for row, value, state in rows
    )


def rewrite(tables: Tables, column: WordyColumn, texts: tuple[StoredText, ...]) -> None:
    """Write texts in the place of those that stand there."""
    for each in texts:
        tables.execute(
            f"UPDATE {column.table} SET {column.column} = ? WHERE rowid = ?",  # noqa: S608 - as above
            each.text.encode() if column.form == "bytes" else each.text,
            each.row,
        )


def _as_text(value: str | bytes) -> str:
    """Give what stands there; a file that is no text says nothing."""
    if isinstance(value, str):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return ""
