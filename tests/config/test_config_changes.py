"""What may be changed in the chat, and how words become values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import Config
from bot.config.changes import CHANGEABLE, Value, changeable, is_value, read_change
from bot.errors import ConfigError

NUMBERS = [key for key in CHANGEABLE if "number" in changeable(key).allowed]

NO_TURNS = "`agent_max_context_turns` must be a whole number from 1 to 1000"
WORDS = [
    ("agent_max_context_turns", "0", f"{NO_TURNS}, not 0; nothing was changed."),
    ("agent_max_context_turns", "-1", f"{NO_TURNS}, not -1; nothing was changed."),
    ("agent_max_context_turns", "1001", f"{NO_TURNS}, not 1001; nothing was changed."),
    *(
        ("agent_max_context_turns", text, f"{NO_TURNS}, not {text}; nothing was changed.")
        for text in ("abc", "1e9", "1.0", "50k", "50,000", "true")
    ),
    *(
        ("agent_max_context_turns", text, f"{NO_TURNS}; nothing was changed.")
        for text in ("", "50_000", "**7**", "7 8", "9" * 9_000)
    ),
    (
        "agent_max_context_tokens",
        "3999",
        "`agent_max_context_tokens` must be a whole number from 4000 to 1000000, not 3999; "
        "nothing was changed.",
    ),
    *(
        ("model", text, "`model` must be the name of a model; nothing was changed.")
        for text in (
            "",
            "two words",
            "**bold**",
            "[a](b)",
            "`code`",
            "<!channel>",
            "a\nb",
            "m" * 129,
        )
    ),
    (
        "log_level",
        "loud",
        "`log_level` must be debug, info, warning or error, not loud; nothing was changed.",
    ),
    ("agent_max_stepz", "3", "There is no such setting; did you mean `agent_max_steps`?"),
    ("xyzzy", "3", "There is no such setting; `/config` lists all that can be changed here."),
    (
        "caps.person_usd",
        "much",
        "`caps.person_usd` must be a number from 0 to 1000000, not much; nothing was changed.",
    ),
    (
        "caps.person_usd",
        "-1",
        "`caps.person_usd` must be a number from 0 to 1000000, not -1; nothing was changed.",
    ),
    ("caps.persn_usd", "3", "There is no such setting; did you mean `caps.person_usd`?"),
    (
        "caps.admins_exempt",
        "true",
        "`caps.admins_exempt` is for the operator to change, in the settings file; not in a chat.",
    ),
    (
        "anthropic.api_key",
        "a secret",
        "`anthropic.api_key` is for the operator to change, in the settings file; not in a chat.",
    ),
]


@pytest.mark.parametrize(("key", "text", "sentence"), WORDS)
def test_what_is_no_value_is_refused_in_one_sentence(key: str, text: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_change(key, text)

    assert sentence == str(caught.value)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("agent_max_context_turns", "1", 1),
        ("agent_max_context_turns", " 1000 ", 1000),
        ("model_window_tokens", "1000000", 1_000_000),
        ("model", "qwen2.5:7b", "qwen2.5:7b"),
        ("model", "/models/llama", "/models/llama"),
        ("summary_model", "vendor/model@2026-01-01", "vendor/model@2026-01-01"),
        ("log_level", "debug", "debug"),
        ("caps.person_usd", "2.5", 2.5),
        ("caps.bot_usd", "0", 0.0),
        ("caps.bot_tokens", "1000000", 1_000_000),
    ],
)
def test_words_become_values(key: str, text: str, value: Value) -> None:
    assert value == read_change(key, text)


def nested(key: str, value: object) -> dict[str, object]:
    section, _, inner = key.partition(".")
    return {section: {inner: value}} if inner else {key: value}


@given(st.sampled_from(NUMBERS), st.one_of(st.integers(), st.integers(0, 70_000)))
def test_a_number_is_taken_exactly_when_the_settings_file_takes_it(key: str, number: int) -> None:
    try:
        Config.model_validate(nested(key, number))
    except ValueError:
        with pytest.raises(ConfigError):
            read_change(key, str(number))
        assert not is_value(key, number)
    else:
        assert number == read_change(key, str(number))
        assert is_value(key, number)


@given(st.sampled_from(CHANGEABLE), st.text(max_size=40))
def test_whatever_is_written_is_a_value_or_refused_without_repeating_it(
    key: str, text: str
) -> None:
    try:
        assert is_value(key, read_change(key, text))
    except ConfigError as error:
        sentence = str(error)
        assert sentence.startswith(f"`{key}` must be {changeable(key).allowed}")
        assert sentence.endswith("; nothing was changed.")
        assert len(sentence) < 200


@pytest.mark.parametrize("value", [True, 3.0, "20", [20], {}, None, 0])
def test_what_was_kept_is_a_value_only_if_it_is_one_to_the_letter(value: object) -> None:
    assert not is_value("agent_max_context_turns", value)


def test_a_setting_of_another_version_has_no_values() -> None:
    assert not is_value("agent_max_dreams", 3)


def test_what_belongs_to_the_operator_cannot_be_changed() -> None:
    for key in set(Config.model_fields) - set(CHANGEABLE):
        with pytest.raises(ConfigError, match="is for the operator to change"):
            read_change(key, "anything")


def test_every_default_is_a_value_and_every_limit_is_told() -> None:
    for key in CHANGEABLE:
        described = changeable(key)
        assert described.default is None or is_value(key, described.default)
        assert described.description.endswith(".")
    assert all(" from " in changeable(key).allowed for key in NUMBERS)
