"""Moving a chat leaves nothing behind under its old id."""

from peewee import SqliteDatabase

from bot.adapters.store import moving
from bot.adapters.store.schema import make_tables

NAMES_OF_CHATS = {"session_key", "scope", "chat_key"}


def test_every_column_that_names_a_chat_is_moved() -> None:
    """A new one must be thought of: what kind of column it is, :mod:`moving` says."""
    tables = make_tables(SqliteDatabase(":memory:"))
    named = {
        (table._meta.table_name, field.column_name)
        for table in tables.models
        for field in table._meta.sorted_fields
        if field.column_name in NAMES_OF_CHATS
    }
    one_a_chat = {("setting", "scope"), ("place", "chat_key"), ("memory_job", "session_key")}
    assert named == {*moving._PLAIN_COLUMNS, *one_a_chat, ("chat_move", "chat_key")}
