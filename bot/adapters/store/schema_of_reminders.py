"""The tables of reminders, and of the time zones of people."""

from __future__ import annotations

from peewee import AutoField, BigIntegerField, Model, TextField

from bot.adapters.store.schema_of_recall import NEVER_REUSED


def make_reminder() -> type[Model]:
    """Give what people want told or asked at moments to come."""

    class Reminder(Model):
        id = AutoField(constraints=[NEVER_REUSED])
        session_key = TextField()
        person_key = TextField()
        due_at = BigIntegerField()
        origin = TextField()
        body = TextField()

        class Meta:
            table_name = "reminder"

    Reminder.add_index(Reminder.origin, unique=True, name="reminder_origin")
    Reminder.add_index(Reminder.due_at, name="reminder_due")
    Reminder.add_index(Reminder.person_key, Reminder.due_at, name="reminder_of_person")
    Reminder.add_index(Reminder.session_key, name="reminder_of_chat")
    return Reminder


def make_person_zone() -> type[Model]:
    """Give the time zones that people chose."""

    class PersonZone(Model):
        person_key = TextField(primary_key=True)
        zone = TextField()

        class Meta:
            table_name = "person_zone"

    return PersonZone
