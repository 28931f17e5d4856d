"""The tables of files, buttons, people, groups and changed messages; part of ``schema``."""

from __future__ import annotations

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


def make_turn_file(turns: type[Model]) -> type[Model]:
    """Give the files that tools of a turn want sent with its answer."""

    class TurnFile(Model):
        id = AutoField()
        turn = ForeignKeyField(turns, on_delete="CASCADE", index=False)
        name = TextField()
        media_type = TextField()
        content = BlobField()

        class Meta:
            table_name = "turn_file"

    TurnFile.add_index(TurnFile.turn, name="turn_file_of_turn")
    return TurnFile


def make_button(outbox: type[Model]) -> type[Model]:
    """Give the buttons of replies; one that was pressed takes all of its reply."""

    class Button(Model):
        token = TextField(primary_key=True)
        outbox_id = ForeignKeyField(
            outbox, column_name="outbox_id", on_delete="CASCADE", index=False
        )
        person = TextField()
        command = TextField()
        taken_by = TextField(null=True)

        class Meta:
            table_name = "button"

    Button.add_index(Button.outbox_id, name="button_of_reply")
    return Button


def make_place() -> type[Model]:
    """Give the groups and channels that were allowed, or refused, as a whole."""

    class Place(Model):
        chat_key = TextField(primary_key=True)
        state = TextField()
        title = TextField()
        changed_by = TextField()
        changed_at = BigIntegerField()

        class Meta:
            table_name = "place"

    return Place


def make_pairing() -> type[Model]:
    """Give the people who wait for an admin to let them in."""

    class Pairing(Model):
        person_key = TextField(primary_key=True)
        code = TextField()
        name = TextField()
        session_key = TextField()
        asked_at = BigIntegerField()

        class Meta:
            table_name = "pairing"

    return Pairing


def make_correction(sessions: type[Model]) -> type[Model]:
    """Give what people changed in messages after their turn had begun."""

    class Correction(Model):
        id = AutoField()
        session = ForeignKeyField(
            sessions, column_name="session_key", on_delete="CASCADE", index=False
        )
        turn_id = IntegerField()
        before = TextField()
        after = TextField()
        changed_at = BigIntegerField()
        is_told = BooleanField(constraints=[SQL("DEFAULT 0")])

        class Meta:
            table_name = "correction"

    Correction.add_index(Correction.session, Correction.id, name="correction_of_chat")
    return Correction


def make_person() -> type[Model]:
    """Give what people were allowed to do."""

    class Person(Model):
        person_key = TextField(primary_key=True)
        grant = TextField()
        name = TextField()
        since = BigIntegerField()

        class Meta:
            table_name = "person"

    return Person


def make_audit() -> type[Model]:
    """Give every change of a grant or a setting."""

    class Audit(Model):
        id = AutoField()
        at = BigIntegerField()
        who = TextField()
        what = TextField()
        old = TextField(null=True)
        new = TextField(null=True)

        class Meta:
            table_name = "audit"

    return Audit
