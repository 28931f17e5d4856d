import re
from dataclasses import replace

import pytest

from bot.core.chat import Capabilities, ChatAddress, Reply, Sender
from bot.core.files import OutgoingFile
from bot.ports import Choice, CommandAnswer
from bot.runtime.answers import buttons_of, in_code, replies_to, replies_with
from bot.testing.loopback import LoopbackChannel

ANN = Sender(channel="loopback", user_id="1", name="Ann")
TEMPLATE = Reply(
    address=ChatAddress(channel="loopback", account="bot", chat="1"), text="", kind="notice"
)
YES = Choice(label="Yes", command="wipe --yes")
JOIN = Choice(label="Join", command="join", for_anyone=True)
NOTES = OutgoingFile(name="notes.md", media_type="text/markdown", content=b"# Notes\n")
PICTURE = OutgoingFile(name="cat.png", media_type="image/png", content=b"\x89PNG\xff")
ABLE = Capabilities(max_text_length=20, has_buttons=True, sends_files=True)
PLAIN = Capabilities(max_text_length=4_096, command_prefix="!")


def channel(capabilities: Capabilities) -> LoopbackChannel:
    return LoopbackChannel(capabilities=capabilities)


def test_each_button_has_a_token_of_its_own_that_any_platform_takes() -> None:
    tokens = [each.token for _ in range(50) for each in buttons_of((YES, JOIN), ANN)]

    assert 100 == len(set(tokens))
    assert all(re.fullmatch(r"[0-9a-zA-Z]{32}", token) for token in tokens)


def test_a_button_is_for_who_asked_unless_it_is_for_anyone_or_they_cannot_be_known_again() -> None:
    hidden = replace(ANN, is_person=False)

    assert [ANN.person_key, ""] == [each.person for each in buttons_of((YES, JOIN), ANN)]
    assert ["", ""] == [each.person for each in buttons_of((YES, JOIN), hidden)]
    assert ["", ""] == [each.person for each in buttons_of((YES, JOIN), None)]


async def test_buttons_stand_below_the_last_part_and_the_file_behind_it() -> None:
    answer = CommandAnswer(text="x" * 30, choices=(YES,), file=NOTES)

    first, second, third = await replies_to(answer, channel(ABLE), TEMPLATE, ANN)

    assert ("x" * 20, (), None) == (first.text, first.buttons, first.file)
    assert ("x" * 10, ["Yes"]) == (second.text, [each.label for each in second.buttons])
    assert ("", (), NOTES) == (third.text, third.buttons, third.file)
    assert {"notice"} == {each.kind for each in (first, second, third)}


async def test_what_cannot_be_shown_is_said() -> None:
    answer = CommandAnswer(text="Wipe with `/wipe`?", choices=(YES, JOIN), file=NOTES)

    (reply,) = await replies_to(answer, channel(PLAIN), TEMPLATE, ANN)

    assert reply == replace(
        TEMPLATE,
        text=(
            "Wipe with `!wipe`?\n\n- Yes: write `!wipe --yes`\n- Join: write `!join`\n\n"
            "```md\n# Notes\n```"
        ),
    )


async def test_a_mere_text_is_a_mere_text_and_nothing_is_nothing() -> None:
    assert (replace(TEMPLATE, text="Done."),) == await replies_to(
        "Done.", channel(ABLE), TEMPLATE, ANN
    )
    assert () == await replies_to("", channel(ABLE), TEMPLATE, ANN)


@pytest.mark.parametrize(("text", "count"), [("What?", 9), ("", 1), (" ", 1)])
def test_choices_that_no_platform_could_show_are_a_mistake(text: str, count: int) -> None:
    with pytest.raises(ValueError, match="choices"):
        CommandAnswer(text=text, choices=(YES,) * count)


async def test_files_of_a_turn_are_sent_or_shown_or_named() -> None:
    answer = replace(TEMPLATE, kind="final", reply_to="9")
    long = replace(NOTES, content=b"x" * 4_001)

    sent = await replies_with((NOTES, PICTURE), channel(ABLE), answer)
    shown = await replies_with((NOTES, PICTURE, long), channel(PLAIN), answer)

    assert [NOTES, PICTURE] == [reply.file for reply in sent]
    assert {("", "", "final")} == {(each.text, each.reply_to, each.kind) for each in sent}
    assert [
        "`notes.md`:\n\n```md\n# Notes\n```",
        "`cat.png` is ready, but files cannot be sent here.",
        "`notes.md` is ready, but files cannot be sent here.",
    ] == [reply.text for reply in shown]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"a\n", "```md\na\n```"),
        (b"a", "```md\na\n```"),
        (b"```py\n```\n", "````md\n```py\n```\n````"),
        (b"a\0b", ""),
        (b"\xff", ""),
    ],
)
def test_a_text_in_code_is_all_there(content: bytes, code: str) -> None:
    assert code == in_code(replace(NOTES, content=content))


def test_an_ending_that_is_no_language_is_left_out() -> None:
    assert "```\n# Notes\n```" == in_code(replace(NOTES, name="a.b c`d"))
