"""The tables of what is recalled: facts, episodes, what changed, and what is to be forgotten."""

from __future__ import annotations

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    CompositeKey,
    FloatField,
    IntegerField,
    Model,
    TextField,
)

NEVER_REUSED = SQL("AUTOINCREMENT")


def make_fact() -> type[Model]:
    """Give statements about people, all versions of them."""

    class Fact(Model):
        id = AutoField(constraints=[NEVER_REUSED])
        person_key = TextField()
        channel = TextField()
        account = TextField()
        chat = TextField()
        kind = TextField()
        topic = TextField()
        key = TextField()
        text = TextField()
        origin = TextField()
        confidence = FloatField()
        turn_id = IntegerField(null=True)
        valid_from = BigIntegerField()
        valid_to = BigIntegerField(null=True)
        confirmed_at = BigIntegerField()
        said_again = TextField(null=True)

        class Meta:
            table_name = "fact"

    holds = SQL("valid_to IS NULL")
    of_chat = (Fact.channel, Fact.account, Fact.chat)
    Fact.add_index(
        Fact.person_key, *of_chat, Fact.key, unique=True, where=holds, name="fact_holding"
    )
    Fact.add_index(Fact.person_key, *of_chat, Fact.key, Fact.valid_from, name="fact_versions")
    Fact.add_index(*of_chat, where=holds, name="fact_of_chat")
    Fact.add_index(Fact.turn_id, where=SQL("turn_id IS NOT NULL"), name="fact_of_turn")
    Fact.add_index(Fact.id, where=SQL("said_again IS NOT NULL"), name="fact_said_again")
    return Fact


def make_episode() -> type[Model]:
    """Give the records of past sessions; they outlast their chat's turns."""

    class Episode(Model):
        id = AutoField(constraints=[NEVER_REUSED])
        session_key = TextField()
        channel = TextField()
        account = TextField()
        chat = TextField()
        kind = TextField()
        person_key = TextField()
        first = IntegerField()
        through = IntegerField()
        started_at = BigIntegerField()
        ended_at = BigIntegerField()
        body = TextField()

        class Meta:
            table_name = "episode"

    Episode.add_index(Episode.session_key, Episode.through, name="episode_of_session")
    Episode.add_index(
        Episode.channel, Episode.account, Episode.chat, Episode.through, name="episode_of_chat"
    )
    return Episode


def make_change() -> type[Model]:
    """Give what the search index has to follow: of each ref the newest change."""

    class Change(Model):
        seq = AutoField(constraints=[NEVER_REUSED])
        ref = TextField()

        class Meta:
            table_name = "change"

    Change.add_index(Change.ref, unique=True, name="change_of_ref")
    return Change


def make_forgetting() -> type[Model]:
    """Give what people asked to be forgotten, until nothing of it is left anywhere."""

    class Forgetting(Model):
        id = AutoField(constraints=[NEVER_REUSED])
        session_key = TextField()
        person_key = TextField()
        asked_at = BigIntegerField()
        body = TextField()

        class Meta:
            table_name = "forgetting"

    return Forgetting


def make_forgetting_gone() -> type[Model]:
    """Give what is known of what is gone, a row for each time something went."""

    class ForgettingGone(Model):
        id = AutoField(constraints=[NEVER_REUSED])
        forgetting_id = IntegerField()
        body = TextField()

        class Meta:
            table_name = "forgetting_gone"

    ForgettingGone.add_index(ForgettingGone.forgetting_id, name="forgetting_gone_of")
    return ForgettingGone


def make_audience() -> type[Model]:
    """Give the chats that there ever were, and of what kind: memory files outlast a chat."""

    class Audience(Model):
        channel = TextField()
        account = TextField()
        chat = TextField()
        kind = TextField()

        class Meta:
            table_name = "audience"
            primary_key = CompositeKey("channel", "account", "chat")

    return Audience
