"""Secrets as people paste them into the set-up."""

import pytest

from bot.app.setup.pasted import read_pasted

KEY = "sk-" + "ant-" + "pretended" * 3
TELEGRAM = "12345678:" + "AbC-9" * 7


@pytest.mark.parametrize("pasted", [
    TELEGRAM,
    f"  '{TELEGRAM}'\n",
    f"\u201c{TELEGRAM}\u201d\u200b",
    f"\x1b[200~{TELEGRAM}\x1b[201~",
    f"TELEGRAM_BOT_TOKEN={TELEGRAM}",
    f'export TELEGRAM_BOT_TOKEN="{TELEGRAM}"',
    f"{TELEGRAM[:20]}\n{TELEGRAM[20:]}",
    f"Use this token to access the HTTP API:\n{TELEGRAM}\nKeep your token secure.",
])  # fmt: skip
def test_a_secret_is_found_in_what_was_pasted(pasted: str) -> None:
    assert TELEGRAM == read_pasted(pasted, "telegram")


@pytest.mark.parametrize(
    ("pasted", "why"),
    [
        ("two words", "more than one word"),
        ("schlüssel", "signs in it"),
        ("xox" + "p-1234", "for a person"),
        ("xox" + "b-1234", r"Bot User OAuth Token \(xoxb-…\); wanted is a bot token of Telegram"),
        (KEY, "an API key of Anthropic"),
        ("0123456789abcdef" * 2, "Signing Secret"),
    ],
)
def test_what_is_none_is_named_and_not_shown(pasted: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as refused:
        read_pasted(pasted, "telegram")

    assert pasted not in str(refused.value)
