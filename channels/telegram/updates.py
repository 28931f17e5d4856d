"""Every kind of update that Telegram knows, and what becomes of it.

The law of this file: nothing is asked for that is not answered, and each kind that is not says
why. ``docs/telegram.md`` shows the same table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of update; ``meaning`` is what happens, or why nothing does."""

    name: str
    is_heard: bool
    meaning: str


def _heard(name: str, meaning: str) -> Kind:
    return Kind(name=name, is_heard=True, meaning=meaning)


def _ignored(name: str, why: str) -> Kind:
    return Kind(name=name, is_heard=False, meaning=why)


UPDATES: tuple[Kind, ...] = (
    _heard("message", "a message; a group that becomes a supergroup moves with all it has"),
    _heard("edited_message", "the message changes in what the bot knows; positions do not count"),
    _ignored("channel_post", "the bot answers in private chats and groups, not in channels"),
    _ignored("edited_channel_post", "as `channel_post`"),
    _ignored("inline_query", "the bot is not offered below what people write elsewhere"),
    _ignored("chosen_inline_result", "as `inline_query`"),
    _heard("callback_query", "a button was pressed: its command is given, once"),
    _ignored("shipping_query", "the bot sells nothing"),
    _ignored("pre_checkout_query", "the bot sells nothing"),
    _ignored("poll", "the bot makes no polls"),
    _ignored("poll_answer", "the bot makes no polls"),
    _heard("my_chat_member", "the bot was added, made admin, silenced, removed, blocked or let in"),
    _ignored("chat_member", "who else comes and goes is not kept"),
    _ignored("chat_join_request", "people decide who joins their groups"),
    _ignored("chat_boost", "nothing depends on boosts"),
    _ignored("removed_chat_boost", "nothing depends on boosts"),
    _ignored("message_reaction", "a reaction is no message"),
    _ignored("message_reaction_count", "a reaction is no message"),
    _ignored("business_connection", "the bot does not answer in a person's name"),
    _ignored("business_message", "as `business_connection`"),
    _ignored("edited_business_message", "as `business_connection`"),
    _ignored("deleted_business_messages", "as `business_connection`"),
    _ignored("purchased_paid_media", "the bot sells nothing"),
    _ignored("managed_bot", "the bot makes no other bots"),
    _ignored("guest_message", "the bot answers only where it was added"),
    _heard("stopped_message_generation", "the answer that is being written stops"),
)
"""The kinds in Telegram's order. Source: Telegram Bot API 10.0, Update, and for the last one 10.3,
read 2026-11-30."""

ALLOWED_UPDATES: list[str] = [kind.name for kind in UPDATES if kind.is_heard]
"""Asked for by name, since a former owner of the token may have asked for less."""

OLDER_UPDATES: list[str] = ALLOWED_UPDATES[:-1]
"""Without what came after Bot API 10.0. Telegram's own server passes over names that it does not
know; others refuse them."""

_NAMES = frozenset(kind.name for kind in UPDATES)


def unknown_kinds(update: dict[str, object]) -> tuple[str, ...]:
    """Name the parts of a raw update that no kind of the table accounts for."""
    return tuple(name for name in update if name != "update_id" and name not in _NAMES)
