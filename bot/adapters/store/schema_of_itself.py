"""The tables of the database itself: its name, its version, how far channels have read."""

from __future__ import annotations

from peewee import IntegerField, Model, TextField


def make_migration() -> type[Model]:
    """Give the changes of the schema that were applied."""

    class Migration(Model):
        version = IntegerField(primary_key=True)
        name = TextField()

        class Meta:
            table_name = "migration"

    return Migration


def make_cursor() -> type[Model]:
    """Give how far each channel has read its platform's queue."""

    class Cursor(Model):
        channel = TextField(primary_key=True)
        value = TextField()

        class Meta:
            table_name = "cursor"

    return Cursor


def make_installation() -> type[Model]:
    """Give the name of the database, one row."""

    class Installation(Model):
        id = TextField(primary_key=True)

        class Meta:
            table_name = "installation"

    return Installation
