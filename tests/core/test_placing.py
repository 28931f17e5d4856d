"""Which message of a preview a reply takes the place of."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.core.chat import ChatAddress, Receipt, Reply
from bot.core.files import OutgoingFile
from bot.core.lifecycle import DeliveryState, OutboxId, OutboxItem, placed

HERE = ChatAddress(channel="slack", account="T1", chat="C1", thread="1.5")
TEXT = Reply(address=HERE, text="a")
FILE = replace(TEXT, text="", file=OutgoingFile(name="f", media_type="text/plain", content=b"f"))


def preview(number: int, state: DeliveryState) -> OutboxItem:
    receipt = Receipt(message_id=f"m{number}") if state == "sent" else None
    return OutboxItem(
        id=OutboxId(number), reply=TEXT, state=state, is_preview=True, receipt=receipt
    )


STATES: tuple[DeliveryState, ...] = ("pending", "sending", "sent", "failed")
PREVIEWS = st.lists(st.sampled_from(STATES), max_size=5).map(
    lambda states: tuple(preview(number, state) for number, state in enumerate(states))
)
REPLIES = st.lists(st.sampled_from((TEXT, FILE)), max_size=5).map(tuple)


@given(PREVIEWS, REPLIES)
def test_every_reply_is_kept_and_texts_take_places_in_order(
    previews: tuple[OutboxItem, ...], replies: tuple[Reply, ...]
) -> None:
    pairs = placed(previews, replies)
    kept, more = pairs[: len(replies)], pairs[len(replies) :]
    assert tuple(reply for reply, _ in kept) == replies
    assert all(item is None for reply, item in kept if reply.file is not None)
    taken = [item for _, item in kept if item is not None]
    assert taken == list(previews[: len(taken)])
    texts = sum(reply.file is None for reply in replies)
    assert len(taken) == min(texts, len(previews))
    assert all(reply.takes_back and reply.address == HERE for reply, _ in more)


@given(PREVIEWS, REPLIES)
def test_what_may_stand_there_too_much_is_taken_back_unless_nothing_is_said(
    previews: tuple[OutboxItem, ...], replies: tuple[Reply, ...]
) -> None:
    texts = sum(reply.file is None for reply in replies)
    left = previews[texts:] if texts else ()
    may_stand = [each for each in left if each.receipt is not None or each.state == "sending"]
    assert [item for _, item in placed(previews, replies)[len(replies) :]] == may_stand
