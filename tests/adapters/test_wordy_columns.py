"""Every column of text or bytes is known to hold words, or to hold none."""

from pathlib import Path

from peewee import BlobField, SqliteDatabase, TextField

from bot.adapters.store.schema import make_tables
from bot.adapters.store.wordy_columns import WORDLESS, WORDY


def test_no_column_can_be_overlooked(tmp_path: Path) -> None:
    tables = make_tables(SqliteDatabase(str(tmp_path / "daybook.db")))
    there = {
        (model._meta.table_name, field.column_name)
        for model in tables.models
        for field in model._meta.sorted_fields
        if isinstance(field, TextField | BlobField) or field.column_name == "session_key"
    }
    wordy = {(each.table, each.column) for each in WORDY}
    wordless = {(table, column) for table, names in WORDLESS.items() for column in names.split()}

    assert set() == wordy & wordless
    assert there == wordy | wordless
