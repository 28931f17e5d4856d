"""The tables of what is remembered, and of what runs by the calendar; part of ``schema``."""

from __future__ import annotations

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BooleanField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

NEVER_REUSED = SQL("AUTOINCREMENT")  # the id of a row that was removed must not mean another row


def make_summary(sessions: type[Model]) -> type[Model]:
    """Give the versions of summaries."""

    class Summary(Model):
        version = AutoField(constraints=[NEVER_REUSED])
        session = ForeignKeyField(
            sessions, column_name="session_key", on_delete="CASCADE", index=False
        )
        through = IntegerField()
        body = TextField()

        class Meta:
            table_name = "summary"

    Summary.add_index(Summary.session, name="summary_of_session")
    return Summary


def make_memory_job(sessions: type[Model]) -> type[Model]:
    """Give what is still to be summarised or remembered."""

    class MemoryJob(Model):
        id = AutoField(constraints=[NEVER_REUSED])
        kind = TextField()
        session = ForeignKeyField(
            sessions, column_name="session_key", on_delete="CASCADE", index=False
        )
        generation = IntegerField()
        through = IntegerField()
        attempts = IntegerField(constraints=[SQL("DEFAULT 0")])
        due_at = BigIntegerField()
        reason = TextField(null=True)

        class Meta:
            table_name = "memory_job"

    MemoryJob.add_index(MemoryJob.session, MemoryJob.kind, unique=True, name="memory_job_of_chat")
    return MemoryJob


def make_memory_entry() -> type[Model]:
    """Give what daily files have, or are to get, of each turn."""

    class MemoryEntry(Model):
        turn_id = IntegerField(primary_key=True)
        channel = TextField()
        account = TextField()
        chat = TextField()
        kind = TextField()
        day = TextField()
        text = TextField(null=True)
        moment = BigIntegerField(constraints=[SQL("DEFAULT 0")])
        revision = IntegerField(constraints=[SQL("DEFAULT 0")])

        class Meta:
            table_name = "memory_entry"

    MemoryEntry.add_index(
        MemoryEntry.turn_id, where=SQL("text IS NOT NULL"), name="memory_entry_unwritten"
    )
    return MemoryEntry


def make_setting() -> type[Model]:
    """Give the settings that were changed by command."""

    class Setting(Model):
        scope = TextField()
        key = TextField()
        value = TextField()
        changed_by = TextField()
        changed_at = BigIntegerField()

        class Meta:
            table_name = "setting"
            primary_key = CompositeKey("scope", "key")

    return Setting


def make_setting_change() -> type[Model]:
    """Give every change of a setting, to be undone one after the other."""

    class SettingChange(Model):
        id = AutoField()
        scope = TextField()
        key = TextField()
        old = TextField(null=True)
        new = TextField(null=True)
        is_undone = BooleanField()

        class Meta:
            table_name = "setting_change"

    return SettingChange


def make_job_slot() -> type[Model]:
    """Give the newest moment of each schedule that was seen to."""

    class JobSlot(Model):
        name = TextField(primary_key=True)
        slot = BigIntegerField()

        class Meta:
            table_name = "job_slot"

    return JobSlot


def make_model_limit() -> type[Model]:
    """Give what models were found to read at most."""

    class ModelLimit(Model):
        model = TextField(primary_key=True)
        window_tokens = IntegerField()
        learned_at = BigIntegerField()

        class Meta:
            table_name = "model_limit"

    return ModelLimit
