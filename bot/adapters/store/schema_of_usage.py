"""The tables of what calls of the model took and cost; part of ``schema``."""

from __future__ import annotations

from peewee import SQL, AutoField, BigIntegerField, CompositeKey, Model, TextField


def make_usage() -> type[Model]:
    """Give what each call took and cost."""

    class Usage(Model):
        id = AutoField()
        at = BigIntegerField()
        session_key = TextField()
        person_key = TextField()
        model = TextField()
        purpose = TextField()
        input_tokens = BigIntegerField()
        output_tokens = BigIntegerField()
        cache_read_tokens = BigIntegerField()
        cache_write_tokens = BigIntegerField()
        local_tokens = BigIntegerField(constraints=[SQL("DEFAULT 0")])
        asked = TextField(constraints=[SQL("DEFAULT ''")])
        cost_nano_usd = BigIntegerField(null=True)

        class Meta:
            table_name = "usage"

    Usage.add_index(Usage.session_key, Usage.id, name="usage_of_session")
    Usage.add_index(Usage.at, name="usage_at")
    return Usage


def make_usage_sum() -> type[Model]:
    """Give what calls took together, by period and by what they are told apart by."""

    class UsageSum(Model):
        axis = TextField()
        step = BigIntegerField()
        start = BigIntegerField()
        name = TextField()
        input_tokens = BigIntegerField()
        output_tokens = BigIntegerField()
        cache_read_tokens = BigIntegerField()
        cache_write_tokens = BigIntegerField()
        cost_nano_usd = BigIntegerField()
        calls = BigIntegerField()
        unpriced = BigIntegerField()

        class Meta:
            table_name = "usage_sum"
            primary_key = CompositeKey("axis", "step", "start", "name")
            without_rowid = True

    return UsageSum
