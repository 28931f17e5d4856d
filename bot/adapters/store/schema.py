"""The tables, as peewee models made for one database.

The law of this file: it says what the schema *is*; ``migrations`` says how a file gets there, and a
test holds the two equal. Nothing here is global, so that two stores in one process never mix.

Columns that hold JSON text are written by ``codec``; times are whole microseconds since 1970 in
UTC. The verbs hand SQL to :meth:`Tables.execute` and build no queries from the models, because
peewee takes 60 µs to build an insert and 120 µs to build a select that SQLite runs in 3 to 5.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    SqliteDatabase,
    TextField,
)

from bot.adapters.store.damage import Damage
from bot.adapters.store.news import News
from bot.adapters.store.schema_of_channels import (
    make_audit,
    make_button,
    make_chat_move,
    make_correction,
    make_home,
    make_pairing,
    make_person,
    make_place,
    make_turn_file,
)
from bot.adapters.store.schema_of_itself import make_cursor, make_installation, make_migration
from bot.adapters.store.schema_of_memory import (
    NEVER_REUSED,
    make_job_slot,
    make_memory_entry,
    make_memory_job,
    make_model_limit,
    make_setting,
    make_setting_change,
    make_summary,
)
from bot.adapters.store.schema_of_recall import (
    make_audience,
    make_change,
    make_episode,
    make_fact,
    make_forgetting,
    make_forgetting_gone,
)
from bot.adapters.store.schema_of_reminders import make_person_zone, make_reminder
from bot.adapters.store.schema_of_usage import make_usage, make_usage_sum

SqlValue = str | int | float | bytes | None
"""What a column holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The tables of one database, and what was found damaged in them."""

    db: SqliteDatabase
    migration: type[Model]
    cursor: type[Model]
    session: type[Model]
    turn: type[Model]
    step: type[Model]
    step_result: type[Model]
    inbox: type[Model]
    outbox: type[Model]
    usage: type[Model]
    usage_sum: type[Model]
    person: type[Model]
    setting: type[Model]
    audit: type[Model]
    installation: type[Model]
    summary: type[Model]
    memory_job: type[Model]
    memory_entry: type[Model]
    setting_change: type[Model]
    job_slot: type[Model]
    model_limit: type[Model]
    turn_file: type[Model]
    button: type[Model]
    place: type[Model]
    pairing: type[Model]
    home: type[Model]
    correction: type[Model]
    chat_move: type[Model]
    fact: type[Model]
    episode: type[Model]
    change: type[Model]
    forgetting: type[Model]
    forgetting_gone: type[Model]
    audience: type[Model]
    reminder: type[Model]
    person_zone: type[Model]
    damage: Damage = field(default_factory=Damage)
    news: News = field(default_factory=News)

    @property
    def models(self) -> tuple[type[Model], ...]:
        """All of them, each behind those that it refers to."""
        return (
            self.migration,
            self.cursor,
            self.session,
            self.turn,
            self.step,
            self.step_result,
            self.inbox,
            self.outbox,
            self.usage,
            self.usage_sum,
            self.person,
            self.setting,
            self.audit,
            self.installation,
            self.summary,
            self.memory_job,
            self.memory_entry,
            self.setting_change,
            self.job_slot,
            self.model_limit,
            self.turn_file,
            self.button,
            self.place,
            self.pairing,
            self.home,
            self.correction,
            self.chat_move,
            self.fact,
            self.episode,
            self.change,
            self.forgetting,
            self.forgetting_gone,
            self.audience,
            self.reminder,
            self.person_zone,
        )

    def execute(self, sql: str, *values: SqlValue) -> sqlite3.Cursor:
        r"""Carry out one statement on the connection of these tables.

        Halves of surrogate pairs, which UTF-8 cannot hold, are written as ``\udXXX``: no id or
        text that a platform or a model makes up can be refused for them.
        """
        cursor: sqlite3.Cursor
        try:
            cursor = self.db.execute_sql(sql, values)  # type: ignore[no-untyped-call]  # bare in stubs
        except UnicodeEncodeError:
            values = tuple(map(_storable, values))
            cursor = self.db.execute_sql(sql, values)  # type: ignore[no-untyped-call]  # as above
        return cursor


def _storable(value: SqlValue) -> SqlValue:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value


def make_tables(db: SqliteDatabase) -> Tables:
    """Make the models of ``db``; nothing is written to it."""
    session = _session()
    turn = _turn(session)
    step = _step(turn)
    outbox = _outbox(turn)
    tables = Tables(
        db=db,
        migration=make_migration(),
        cursor=make_cursor(),
        session=session,
        turn=turn,
        step=step,
        step_result=_step_result(),
        inbox=_inbox(turn),
        outbox=outbox,
        usage=make_usage(),
        usage_sum=make_usage_sum(),
        person=make_person(),
        setting=make_setting(),
        audit=make_audit(),
        installation=make_installation(),
        summary=make_summary(session),
        memory_job=make_memory_job(session),
        memory_entry=make_memory_entry(),
        setting_change=make_setting_change(),
        job_slot=make_job_slot(),
        model_limit=make_model_limit(),
        turn_file=make_turn_file(turn),
        button=make_button(outbox),
        place=make_place(),
        pairing=make_pairing(),
        home=make_home(),
        correction=make_correction(session),
        chat_move=make_chat_move(),
        fact=make_fact(),
        episode=make_episode(),
        change=make_change(),
        forgetting=make_forgetting(),
        forgetting_gone=make_forgetting_gone(),
        audience=make_audience(),
        reminder=make_reminder(),
        person_zone=make_person_zone(),
    )
    db.bind(tables.models, bind_refs=False, bind_backrefs=False)
    return tables


def _session() -> type[Model]:
    class Session(Model):
        key = TextField(primary_key=True)
        generation = IntegerField(constraints=[SQL("DEFAULT 0")])
        kind = TextField(null=True)
        person_key = TextField(null=True)
        cut = TextField(null=True)
        former = TextField(null=True)
        compaction = TextField(null=True)
        task = TextField(null=True)
        former_task = TextField(null=True)
        opened_by = TextField(null=True)
        heard_at = BigIntegerField(null=True)
        calls_after = IntegerField(constraints=[SQL("DEFAULT 0")])

        class Meta:
            table_name = "session"

    return Session


def _turn(sessions: type[Model]) -> type[Model]:
    class Turn(Model):
        id = AutoField(constraints=[NEVER_REUSED])
        session = ForeignKeyField(
            sessions, column_name="session_key", on_delete="CASCADE", index=False
        )
        generation = IntegerField()
        request = TextField()
        started_at = BigIntegerField()
        outcome = TextField(null=True)
        finished_at = BigIntegerField(null=True)
        resumes = IntegerField(constraints=[SQL("DEFAULT 0")])
        remembered = IntegerField(constraints=[SQL("DEFAULT 0")])
        revision = IntegerField(constraints=[SQL("DEFAULT 0")])
        said = TextField(null=True)
        is_read = IntegerField(constraints=[SQL("DEFAULT 0")])
        is_off_record = IntegerField(constraints=[SQL("DEFAULT 0")])
        is_recorded = IntegerField(constraints=[SQL("DEFAULT 0")])

        class Meta:
            table_name = "turn"

    Turn.add_index(Turn.session, Turn.id, name="turn_of_conversation")
    # At most one open turn a chat is a law of the data, not only of the code.
    Turn.add_index(Turn.session, unique=True, where=SQL("outcome IS NULL"), name="turn_open")
    # Small for ever: a turn is in it for a day, until the daily file has it.
    Turn.add_index(Turn.session, Turn.id, where=SQL("remembered = 0"), name="turn_unremembered")
    Turn.add_index(Turn.session, Turn.id, where=SQL("is_read = 0"), name="turn_unread")
    Turn.add_index(Turn.session, Turn.id, where=SQL("is_recorded = 0"), name="turn_unrecorded")
    return Turn


def _step(turns: type[Model]) -> type[Model]:
    class Step(Model):
        turn = ForeignKeyField(turns, on_delete="CASCADE", index=False)
        position = IntegerField()
        answer = TextField()
        stop = TextField()
        started = TextField(null=True)

        class Meta:
            table_name = "step"
            primary_key = CompositeKey("turn", "position")

    return Step


def _step_result() -> type[Model]:
    class StepResult(Model):
        turn_id = IntegerField()
        position = IntegerField()
        call_id = TextField()
        body = TextField()
        # Behind all else, so that a turn is read without the pages that hold a megabyte of it.
        whole = TextField(null=True)

        class Meta:
            table_name = "step_result"
            primary_key = CompositeKey("turn_id", "position", "call_id")
            constraints = (
                SQL(
                    "FOREIGN KEY (turn_id, position) REFERENCES step (turn_id, position)"
                    " ON DELETE CASCADE"
                ),
            )

    return StepResult


def _inbox(turns: type[Model]) -> type[Model]:
    class Inbox(Model):
        id = AutoField()
        channel = TextField()
        event_id = TextField()
        session_key = TextField(null=True)
        route = TextField()
        state = TextField()
        turn = ForeignKeyField(turns, null=True, on_delete="SET NULL", index=False)
        body = TextField(null=True)
        reason = TextField(null=True)
        received_at = BigIntegerField()
        block = IntegerField(null=True)
        changed_at = BigIntegerField(null=True)
        files = TextField(null=True)

        class Meta:
            table_name = "inbox"

    Inbox.add_index(Inbox.event_id, Inbox.channel, unique=True, name="inbox_identity")
    # Small for ever: an event is in it only while something is still to be done.
    Inbox.add_index(
        Inbox.session_key, Inbox.id, where=SQL("state = 'waiting'"), name="inbox_waiting"
    )
    Inbox.add_index(Inbox.session_key, where=SQL("state = 'kept'"), name="inbox_kept")
    Inbox.add_index(Inbox.turn, where=SQL("turn_id IS NOT NULL"), name="inbox_of_turn")
    return Inbox


def _outbox(turns: type[Model]) -> type[Model]:
    class Outbox(Model):
        id = AutoField(constraints=[NEVER_REUSED])
        session_key = TextField()
        turn = ForeignKeyField(turns, null=True, on_delete="SET NULL", index=False)
        is_preview = BooleanField()
        state = TextField()
        body = TextField(null=True)
        receipt = TextField(null=True)
        replaces = TextField(null=True)
        reason = TextField(null=True)
        created_at = BigIntegerField()
        changed_at = BigIntegerField()
        content = BlobField(null=True)

        class Meta:
            table_name = "outbox"

    Outbox.add_index(Outbox.id, where=SQL("state IN ('pending', 'sending')"), name="outbox_open")
    Outbox.add_index(
        Outbox.session_key,
        Outbox.id,
        where=SQL("state = 'failed' AND is_preview = 0"),
        name="outbox_failed",
    )
    Outbox.add_index(Outbox.turn, where=SQL("is_preview = 1"), name="outbox_preview_of_turn")
    # Who removes a turn asks for its replies: without this, by reading all there are.
    Outbox.add_index(Outbox.turn, where=SQL("turn_id IS NOT NULL"), name="outbox_of_turn")
    return Outbox
