"""Names of chats and people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.chat import ChatAddress, Sender, SessionKey
from bot.testing.strategies import addresses, senders

ANYTHING = st.text(alphabet=st.one_of(st.characters(), st.sampled_from(":%/ \ud800\udfff")))


@given(st.builds(ChatAddress, channel=ANYTHING, account=ANYTHING, chat=ANYTHING, thread=ANYTHING))
def test_a_session_key_reads_back_as_its_address(address: ChatAddress) -> None:
    assert address == ChatAddress.from_session_key(address.session_key)


@given(addresses(), addresses())
def test_two_addresses_have_two_session_keys(first: ChatAddress, second: ChatAddress) -> None:
    assert (first == second) == (first.session_key == second.session_key)


def test_a_session_key_shows_plain_ids_plainly() -> None:
    address = ChatAddress(channel="telegram", account="77", chat="-1001", thread="5")

    assert "telegram:77:-1001:5" == address.session_key


@pytest.mark.parametrize("text", ["", "a:b:c", "a:b:c:d:e", "a:b:c:%ff"])
def test_other_texts_are_no_session_keys(text: str) -> None:
    with pytest.raises(ValueError):
        ChatAddress.from_session_key(SessionKey(text))


@given(senders(), senders())
def test_two_people_have_two_person_keys(first: Sender, second: Sender) -> None:
    same = (first.channel, first.realm, first.user_id) == (
        second.channel,
        second.realm,
        second.user_id,
    )

    assert same == (first.person_key == second.person_key)


def test_people_are_named_with_and_without_their_realm() -> None:
    slack = Sender(channel="slack", realm="T1", user_id="U2", name="Ann")
    telegram = Sender(channel="telegram", user_id="1001", name="Bob")

    assert {"slack:U2", "slack:T1:U2"} == slack.names
    assert {"telegram:1001"} == telegram.names
    assert "slack:T1:U2" == slack.person_key
