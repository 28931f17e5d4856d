"""What is a command, and which one was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.commands import CommandCall, nearest_command, parse_command

KNOWN = ("claim", "help", "new", "status", "stop")


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("/help", "help", ""),
        ("/HELP", "help", ""),
        ("/claim  7F3K-Q2MX ", "claim", "7F3K-Q2MX"),
        ("/remind_me\nin an hour\nto call", "remind_me", "in an hour\nto call"),
        ("/new@DayBookBot now", "new", "now"),
        ("/re-load", "re-load", ""),
        ("/помощь", "помощь", ""),
        ("/stop /now", "stop", "/now"),
    ],
)
def test_commands(text: str, name: str, arguments: str) -> None:
    assert CommandCall(name=name, arguments=arguments) == parse_command(text, bot_name="daybookbot")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "//",
        "//help",
        "/ help",
        " /help",
        "help",
        "a /help",
        "/usr/bin",
        "/etc/hosts please",
        "/1",
        "/2 of 3",
        "/a.txt",
        "/help@",
        "/help@ me",
        "/new@otherbot",
        "/" + "a" * 65,
        "/stop@a/b",
    ],
)
def test_other_texts_are_none(text: str) -> None:
    assert parse_command(text, bot_name="@daybookbot") is None


def test_without_an_own_name_every_name_is_the_own_one() -> None:
    assert CommandCall(name="new", arguments="") == parse_command("/new@anybot")


@given(st.text(max_size=30), st.text(max_size=5))
def test_any_text_is_a_command_or_none(text: str, bot_name: str) -> None:
    call = parse_command(text, bot_name=bot_name)

    assert call is None or (text.startswith("/") and call.arguments == call.arguments.strip())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hlep", "help"),
        ("Stauts", "status"),
        ("nwe", "new"),
        ("stp", "stop"),
        ("claims", "claim"),
        ("xyzzy", None),
        ("", None),
    ],
)
def test_the_nearest_command(name: str, expected: str | None) -> None:
    assert expected == nearest_command(name, KNOWN)


@given(st.text(max_size=8), st.permutations(KNOWN))
def test_the_nearest_command_does_not_hang_on_the_order(name: str, known: list[str]) -> None:
    assert nearest_command(name, KNOWN) == nearest_command(name, known)


@pytest.mark.parametrize("name", KNOWN)
def test_the_nearest_to_a_command_is_itself(name: str) -> None:
    assert name == nearest_command(name, KNOWN)
