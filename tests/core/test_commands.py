"""What is a command, and which one was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.commands import CommandCall, nearest_command, parse_command, with_prefix

KNOWN = ("claim", "help", "new", "status", "stop")


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("/help", "help", ""),
        ("/HELP", "help", ""),
        ("/claim  7F3K-Q2MX ", "claim", "7F3K-Q2MX"),
        ("/remind_me\nin an hour\nto call", "remind_me", "in an hour\nto call"),
        ("/re-load", "re-load", ""),
        ("/помощь", "помощь", ""),
        ("/stop /now", "stop", "/now"),
        ("/stop!", "stop", ""),
        ("/help?!", "help", ""),
        ("/context, please", "context", "please"),
        ("/stop\u3002", "stop", ""),
    ],
)
def test_commands(text: str, name: str, arguments: str) -> None:
    assert CommandCall(name=name, arguments=arguments) == parse_command(text)


@pytest.mark.parametrize("arguments", ["", "now"])
def test_another_bot_may_be_meant(arguments: str) -> None:
    call = CommandCall(name="new", arguments=arguments, bot="DayBookBot")
    assert call == parse_command(f"/new@DayBookBot {arguments}".rstrip())
    assert call == parse_command(f"/new@DayBookBot! {arguments}".rstrip())


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
        "/what's the weather?",
        "/2+2",
        "/\u00bfqu\u00e9?",
        "/stop!now",
        "/help@",
        "/help@ me",
        "/" + "a" * 65,
        "/stop@a/b",
    ],
)
def test_other_texts_are_none(text: str) -> None:
    assert parse_command(text) is None


@pytest.mark.parametrize("text", ["!help", "/help"])
def test_a_platform_has_its_own_prefix_beside_the_slash(text: str) -> None:
    assert CommandCall(name="help", arguments="") == parse_command(text, prefix="!")


def test_another_platforms_prefix_is_a_text() -> None:
    assert parse_command("!help") is None


def test_commands_are_worded_as_the_platform_wants_them() -> None:
    assert "`!help` and `a/b`" == with_prefix("`/help` and `a/b`", "!")
    assert "`!config KEY`" == with_prefix("`/config KEY`", "!")
    assert "`/help`" == with_prefix("`/help`", "/")


def test_paths_are_no_commands() -> None:
    assert "`/models/llama`, `/` and `//`" == with_prefix("`/models/llama`, `/` and `//`", "!")


@given(st.text(max_size=30), st.sampled_from(["/", "!"]))
def test_any_text_is_a_command_or_none(text: str, prefix: str) -> None:
    call = parse_command(text, prefix=prefix)

    assert call is None or text[0] in ("/", prefix)
    assert call is None or call.arguments == call.arguments.strip()


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
