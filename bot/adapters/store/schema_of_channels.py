"""The tables of files, buttons, people, groups and changed messages; part of ``schema``."""

from __future__ import annotations

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BlobField,
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
        call_id = TextField()
        name = TextField()
        media_type = TextField()
        content = BlobField()

        class Meta:
            table_name = "turn_file"

    # A call that is made again after a crash sends no file twice.
    TurnFile.add_index(
        TurnFile.turn, TurnFile.call_id, TurnFile.name, unique=True, name="turn_file_of_call"
    )
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
        message_id = TextField(null=True)

        class Meta:
            table_name = "button"

    Button.add_index(Button.outbox_id, name="button_of_reply")
    Button.add_index(Button.taken_by, where=SQL("taken_by IS NOT NULL"), name="button_taken")
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


def make_home() -> type[Model]:
    """Give the private chats in which admins can be reached."""

    class Home(Model):
        person_key = TextField(primary_key=True)
        session_key = TextField()

        class Meta:
            table_name = "home"

    return Home


def make_correction(sessions: type[Model]) -> type[Model]:
    """Give what people changed in messages while their turn ran, until the next turn is told."""

    class Correction(Model):
        id = AutoField()
        session = ForeignKeyField(
            sessions, column_name="session_key", on_delete="CASCADE", index=False
        )
        turn_id = IntegerField()
        body = TextField()

        class Meta:
            table_name = "correction"

    Correction.add_index(Correction.session, Correction.id, name="correction_of_chat")
    return Correction


def make_chat_move() -> type[Model]:
    """Give the chats that go on under another id, and how far what is kept of them does."""

    class ChatMove(Model):
        chat_key = TextField(primary_key=True)
        event_id = TextField()
        new_chat = TextField()
        state = TextField()

        class Meta:
            table_name = "chat_move"

    return ChatMove


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
