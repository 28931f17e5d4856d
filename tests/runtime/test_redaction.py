"""What comes in, what tools say and what is kept: redacted, and else left as it was."""

import json
import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.redactor import RuleRedactor
from bot.core.chat import InboundDeletion, InboundEdit, InboundMessage, StopRequest
from bot.core.files import Attachment
from bot.core.lifecycle import SetAside
from bot.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from bot.runtime.redaction import (
    MOST_CHARS_AT_ONCE,
    NOT_LOOKED_THROUGH,
    redact_answer,
    redact_inbound,
    redact_result,
    redact_text,
    without_text,
)
from bot.testing.clock import START
from bot.testing.loopback import LoopbackChannel
from bot.testing.secret_texts import card_number

REDACTOR = RuleRedactor()
PASSWORD = "Tr0ub" + "4dor&3"
CARD = card_number()


def message(text: str, quoted: str = "") -> InboundMessage:
    return replace(LoopbackChannel().message(text), quoted=quoted)


def answer(*arguments: str) -> Message:
    calls = (
        ToolCall(id=f"c{number}", name="note", arguments=a) for number, a in enumerate(arguments)
    )
    return Message(role="assistant", blocks=tuple(calls))


async def kept(arguments: str) -> str:
    (call,) = (await redact_answer(answer(arguments), REDACTOR)).tool_calls
    return call.arguments


async def test_prv_1_what_somebody_writes_or_quotes_is_redacted_and_their_name_is_not() -> None:
    named = replace(message("x").sender, name=f"password: {PASSWORD}")
    given = replace(message(f"my password is {PASSWORD}", f"card {CARD}"), sender=named)

    redacted = await redact_inbound(given, REDACTOR)

    assert redacted == replace(
        given, text="my password is [redacted:password]", quoted="card [redacted:card]"
    )


async def test_prv_1_what_somebody_calls_a_file_is_redacted() -> None:
    plan = Attachment(kind="document", name="plan.pdf", media_type="", handle="h")
    named = replace(plan, name=f"password={PASSWORD}")
    given = replace(message("Look"), attachments=(plan, named))

    redacted = await redact_inbound(given, REDACTOR)

    assert isinstance(redacted, InboundMessage)
    assert [each.name for each in redacted.attachments] == [
        *("plan.pdf", "password=[redacted:password]")
    ]
    blank = without_text(given)
    assert isinstance(blank, InboundMessage)
    assert [each.name for each in blank.attachments] == ["", ""]


async def test_prv_1_an_edit_and_what_was_not_understood_are_redacted() -> None:
    edit = InboundEdit(event_id="e", message=message(f"pwd: {PASSWORD}"), edited_at=START)
    aside = SetAside(event_id="e", channel="x", raw=f'{{"text": "pwd: {PASSWORD}"}}', reason="?")

    assert await redact_inbound(edit, REDACTOR) == replace(
        edit, message=replace(edit.message, text="pwd: [redacted:password]")
    )
    assert await redact_inbound(aside, REDACTOR) == replace(
        aside, raw='{"text": "pwd: [redacted:password]"}'
    )


async def test_what_holds_no_secret_comes_back_as_the_same_object() -> None:
    plain = message("hello", "yes?")
    events = (
        plain,
        InboundEdit(event_id="e", message=plain, edited_at=START),
        InboundDeletion(event_id="e", address=plain.address, message_id="1", message_event_id="m"),
        StopRequest(event_id="e", address=plain.address, sender=plain.sender),
        SetAside(event_id="e", channel="x", raw="{}", reason="?"),
    )
    said = Message(
        role="assistant",
        blocks=(Thinking(text="hm"), Text(text="Well."), *answer('{"a": [1, 2.50]}').blocks),
    )
    result = ToolResult(call_id="c", content="3 files")

    assert [True] * 5 == [await redact_inbound(each, REDACTOR) is each for each in events]
    assert await redact_answer(said, REDACTOR) is said
    assert await redact_result(result, REDACTOR) is result


async def test_nothing_is_left_of_what_was_not_looked_through_but_that_it_came() -> None:
    given = message(PASSWORD, PASSWORD)
    empty = replace(given, text=NOT_LOOKED_THROUGH, quoted=NOT_LOOKED_THROUGH)
    edit = InboundEdit(event_id="e", message=given, edited_at=START)
    aside = SetAside(event_id="e", channel="x", raw=PASSWORD, reason="?")
    deletion = InboundDeletion(
        event_id="e", address=given.address, message_id="1", message_event_id="m"
    )

    assert empty == without_text(given)
    assert replace(edit, message=empty) == without_text(edit)
    assert replace(aside, raw=NOT_LOOKED_THROUGH) == without_text(aside)
    assert without_text(deletion) is deletion


async def test_prv_1_texts_and_calls_of_an_answer_are_redacted_and_its_reasoning_is_not() -> None:
    thought = Thinking(text=f"the password is {PASSWORD}", signature="s")
    picture = Image(media_type="image/png", data="AAAA")
    given = Message(
        role="assistant",
        blocks=(thought, picture, Text(text=f"password: {PASSWORD}"), *answer(CARD).blocks),
    )

    redacted = await redact_answer(given, REDACTOR)

    assert redacted.blocks[:2] == (thought, picture)
    assert redacted.text == "password: [redacted:password]"
    assert redacted.tool_calls[0].arguments == '"[redacted:card]"'


async def test_prv_1_a_result_is_redacted() -> None:
    given = ToolResult(call_id="c", content=f"password={PASSWORD}", is_error=True)

    assert await redact_result(given, REDACTOR) == replace(
        given, content="password=[redacted:password]"
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (f'{{"password": "{PASSWORD}"}}', '{"password": "[redacted:password]"}'),
        ('{"password" : "a long one, with blanks"}', '{"password" : "[redacted:password]"}'),
        (f'{{"a":1,"b":"pwd: {PASSWORD}"}}', '{"a":1,"b":"pwd: [redacted:password]"}'),
        (f'{{"card": {CARD}, "n": 1.50}}', '{"card": "[redacted:card]", "n": 1.50}'),
        (f'[{CARD}, "{CARD}"]', '["[redacted:card]", "[redacted:card]"]'),
        ('{"pin": 4821}', '{"pin": "[redacted:password]"}'),
        ('{"pin": ["4821", 7]}', '{"pin": ["[redacted:password]", 7]}'),
        (f'{{"{CARD}": 1, "a": 1, "a": 2}}', '{"[redacted:card]": 1, "a": 1, "a": 2}'),
        (r'{"password": "qu\"oted\u0021 9\\x"}', '{"password": "[redacted:password]"}'),
        (f'{{"a": 1e400, "c": "{CARD}"}}', '{"a": 1e400, "c": "[redacted:card]"}'),
    ],
)  # fmt: skip
async def test_arguments_that_were_json_stay_json_and_all_else_in_them_as_it_was(
    given: str, expected: str
) -> None:
    redacted = await kept(given)

    assert expected == redacted
    json.loads(redacted)


async def test_a_secret_that_json_has_escaped_is_found() -> None:
    escaped = "".join(f"\\u{ord(each):04x}" for each in f"password: {PASSWORD}")

    assert '{"body": "password: [redacted:password]"}' == await kept(f'{{"body": "{escaped}"}}')


async def test_arguments_that_are_no_json_are_a_text() -> None:
    assert '{"password": "[redacted:password]' == await kept(f'{{"password": "{PASSWORD}')
    assert "" == await kept("")


async def test_arguments_too_deep_to_be_read_are_redacted_all_the_same() -> None:
    deep = 100_000

    redacted = await kept("[" * deep + f'"{CARD}"' + "]" * deep)

    assert "[" * deep + '"[redacted:card]"' + "]" * deep == redacted


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20)
        | st.sampled_from([CARD, int(CARD), f"password: {PASSWORD}", PASSWORD]),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["password", "pin", "a", CARD]), inner, max_size=3),
        max_leaves=8,
    ),
    st.booleans(),
)  # fmt: skip
async def test_any_json_stays_json_without_the_secret(value: object, is_ascii: bool) -> None:
    redacted = await kept(json.dumps(value, ensure_ascii=is_ascii))

    json.loads(redacted)
    assert CARD not in redacted
    assert await kept(redacted) == redacted


async def test_a_long_text_is_looked_through_in_a_thread_and_a_short_one_is_not() -> None:
    class Noting:
        def redact(self, text: str) -> str:
            threads.append(threading.current_thread() is threading.main_thread())
            return text

    threads: list[bool] = []
    await redact_text("a" * MOST_CHARS_AT_ONCE, Noting())
    await redact_text("a" * (MOST_CHARS_AT_ONCE + 1), Noting())
    await redact_answer(answer('"' + "a" * MOST_CHARS_AT_ONCE + '"'), Noting())

    assert threads == [True, False, False]
