"""The set-up through a pipe: a line answers a question, and what fails takes none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.setting_up import KEY, World, world_in


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with world_in(tmp_path) as world:
        yield world


async def test_lines_of_a_pipe_answer_the_same_questions(world: World) -> None:
    code, out, err = await world.through_pipe(
        *("1", KEY, world.telegram.token),
        *("y", world.slack.bot_token, world.slack.app_token),
    )

    assert (0, "") == (code, err)
    assert 4 == len(world.dotenv())
    assert "\x1b" not in out
    assert not world.has_shown_a_secret(out)
    assert "ok      telegram.token: the token is that of @daybook_bot" in out


async def test_the_end_of_a_pipe_in_the_middle_is_exit_1(world: World) -> None:
    code, _, err = await world.through_pipe("1", KEY)

    assert (1, "Set-up stopped; everything is as it was.") == (code, err.strip())
    assert ["config.json"] == world.names


async def test_what_the_environment_gives_is_not_asked_for(world: World) -> None:
    code, out, _ = await world.through_pipe("1", "", "", ANTHROPIC_API_KEY=KEY)

    assert 0 == code
    assert "API key: ANTHROPIC_API_KEY of the environment gives it." in out
    assert "claude-sonnet-5-5 is there" in out
    assert ["config.json"] == world.names


WRONG_KEY = "sk-" + "ant-" + "wrong" * 6


@pytest.mark.parametrize(
    ("case", "left_out"),
    [
        ("refused", "model"),
        ("another's", "Bot token"),
        ("out of reach", "telegram"),
        ("one of two", "slack"),
    ],
)
async def test_what_fails_in_a_pipe_takes_no_line_of_another_question(
    world: World, case: str, left_out: str
) -> None:
    """It is left out, which is said, and all else is put in."""
    key, token, app_token = KEY, world.telegram.token, world.slack.app_token
    match case:
        case "refused":
            key = WRONG_KEY
        case "another's":
            token = world.slack.bot_token
        case "out of reach":
            world.cut_telegram_off()
        case _:
            app_token = ""

    code, out, err = await world.through_pipe(
        *("1", key, token), *("y", world.slack.bot_token, app_token)
    )

    kept = {
        "model": {"ANTHROPIC_API_KEY": KEY},
        "telegram": {"TELEGRAM_BOT_TOKEN": world.telegram.token},
        "slack": {
            "SLACK_BOT_TOKEN": world.slack.bot_token,
            "SLACK_APP_TOKEN": world.slack.app_token,
        },
    }
    del kept["telegram" if left_out == "Bot token" else left_out]
    assert (1, f"Not kept, see above: {left_out}.") == (code, err.strip())
    assert {name: value for each in kept.values() for name, value in each.items()} == world.dotenv()
    assert "Keep it" not in out


@pytest.mark.parametrize("lines", [("9", KEY), ("", "", "TELEGRAM_BOT_TOKEN=x", "y")])
async def test_what_answers_another_question_ends_the_pipe(
    world: World, lines: tuple[str, ...]
) -> None:
    """Nobody can say what the lines behind it are about."""
    code, out, err = await world.through_pipe(*lines)

    assert (1, "Set-up stopped; everything is as it was.") == (code, err.strip())
    assert ("A number from 1 to" in out) or ("y or n?" in out)
    assert ["config.json"] == world.names


async def test_an_address_that_is_none_does_not_shift_the_lines_behind_it(world: World) -> None:
    code, out, err = await world.through_pipe(
        *("2", "nowhere", "small", "its-key"), world.telegram.token, ""
    )

    assert (1, "Not kept, see above: model.") == (code, err.strip())
    assert "anthropic.base_url: must be a web address" in out
    assert {"TELEGRAM_BOT_TOKEN": world.telegram.token} == world.dotenv()


async def test_settings_that_cannot_be_read_are_exit_2(world: World) -> None:
    (world.folder / "config.local.json").write_text('{"modle": "x"}')

    code, out, err = await world.through_pipe("1")

    assert (2, "") == (code, out)
    assert "config.local.json: modle" in err
    assert 1 == len(err.splitlines())
