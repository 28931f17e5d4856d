import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import ChatAddress
from bot.core.memory.audience import MOST_FOLDER_CHARS, Audience, audience_of

IDS = st.text(max_size=12) | st.text("aAbBzZ01-_.=~/", max_size=6) | st.just("a\ud800")
AUDIENCES = st.builds(Audience, channel=IDS, account=IDS, chat=IDS, kind=st.just("group"))
PORTABLE = re.compile(r"[a-z0-9=~_-][a-z0-9=~_.-]*[a-z0-9=~_-]")


def audience(chat: str, account: str = "T1") -> Audience:
    return Audience(channel="slack", account=account, chat=chat, kind="group")


def ids_in(folder: str) -> tuple[str, ...]:
    """Read the ids back from a folder's name, as a person would by its rules."""
    return tuple(_id_in(part) for part in folder.split("."))


def _id_in(part: str) -> str:
    if part == "=":
        return ""
    signs: list[str] = []
    is_capital = False
    for found in re.findall(r"=[0-9a-f]+=|.", part):
        if found == "_":
            is_capital = not is_capital
        elif found.startswith("="):
            signs.append(bytes.fromhex(found[1:-1]).decode("utf-8", "surrogatepass"))
        else:
            signs.append(found.upper() if is_capital else found)
    return "".join(signs)


@pytest.mark.parametrize(
    ("channel", "account", "chat", "folder"),
    [
        ("telegram", "77", "-1001", "telegram.77.-1001"),
        ("console", "local", "terminal", "console.local.terminal"),
        ("slack", "T024BE7LH", "C042", "slack._t024be7lh._c042"),
        ("slack", "T1", "C0aB9", "slack._t1._c0_a_b9"),
        ("matrix", "me", "!x:y.org", "matrix.me.=21=x=3a=y=2e=org"),
        ("", "", "", "=.=.="),
        ("a", "..", "\0", "a.=2e==2e=.=00="),
        ("a", "/etc", "\u212aelvin", "a.=2f=etc.=e284aa=elvin"),
    ],
)
def test_folders_by_example(channel: str, account: str, chat: str, folder: str) -> None:
    made = Audience(channel=channel, account=account, chat=chat, kind="private")

    assert made.folder == folder


@given(AUDIENCES)
@settings(max_examples=100)
def test_a_folder_is_one_portable_name_from_which_the_ids_can_be_read(made: Audience) -> None:
    folder = made.folder

    assert PORTABLE.fullmatch(folder)
    assert len(folder) <= MOST_FOLDER_CHARS
    if "~" not in folder:
        assert ids_in(folder) == (made.channel, made.account, made.chat)


def test_ids_that_differ_by_case_alone_have_folders_of_their_own() -> None:
    folders = {audience(chat).folder.casefold() for chat in ("c0ab", "C0AB", "C0ab", "c0aB")}

    assert len(folders) == 4


def test_very_long_ids_are_told_apart_by_their_last_letter() -> None:
    long = "x" * 5_000
    folders = {audience(long + "a").folder, audience(long + "b").folder, audience(long).folder}

    assert len(folders) == 3
    assert all(len(folder) == MOST_FOLDER_CHARS for folder in folders)


def test_no_id_can_pose_as_the_digest_of_a_long_one() -> None:
    shortened = audience("c", account="x" * 5_000).folder

    assert audience(shortened.rpartition(".")[2]).folder != shortened
    assert "~" not in audience("~").folder


def test_topics_of_a_group_and_threads_of_a_channel_are_one_audience() -> None:
    topics = [
        ChatAddress(channel="telegram", account="77", chat="-1001", thread=thread).session_key
        for thread in ("", "5", "6")
    ]

    assert {audience_of(key, "group").folder for key in topics} == {"telegram.77.-1001"}


@given(IDS, IDS)
@settings(max_examples=50)
def test_an_audience_has_the_ids_of_its_chat(account: str, chat: str) -> None:
    key = ChatAddress(channel="slack", account=account, chat=chat).session_key

    assert audience_of(key, "group") == audience(chat, account)
