import pytest

from bot.adapters.anthropic_model.answer import Answer
from bot.core.llm import ArgumentsDelta, TextDelta, Usage, UsageSoFar
from bot.core.messages import Text, ToolCall
from bot.errors import ModelStreamCut

STOP = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}


def start(index: int, **block: object) -> dict[str, object]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **piece: object) -> dict[str, object]:
    return {"type": "content_block_delta", "index": index, "delta": piece}


def test_a_count_that_comes_later_replaces_the_earlier_and_null_does_not() -> None:
    answer = Answer("asked")
    started = {"model": "real", "usage": {"input_tokens": 3, "cache_read_input_tokens": 9}}
    answer.take({"type": "message_start", "message": started})
    usage = {"output_tokens": 7, "input_tokens": 5, "cache_read_input_tokens": None}
    answer.take({**STOP, "usage": usage})

    response = answer.response()

    assert Usage(input_tokens=5, output_tokens=7, cache_read_tokens=9) == response.usage
    assert response.model == "real"


def test_what_an_answer_takes_is_told_as_soon_as_it_is_said() -> None:
    answer = Answer("m")
    started = {"usage": {"input_tokens": 3, "cache_read_input_tokens": 9, "output_tokens": 1}}
    begun = answer.take({"type": "message_start", "message": started})
    ended = answer.take({**STOP, "usage": {"output_tokens": 7}})

    so_far = Usage(input_tokens=3, cache_read_tokens=9, output_tokens=1)
    whole = Usage(input_tokens=3, cache_read_tokens=9, output_tokens=7)
    assert (UsageSoFar(usage=so_far), UsageSoFar(usage=whole)) == (begun, ended)
    assert Answer("m").take({"type": "message_start", "message": {}}) is None


def test_the_model_asked_for_stands_where_none_is_named() -> None:
    answer = Answer("asked")
    answer.take(STOP)

    assert answer.response().model == "asked"


def test_blocks_that_grow_side_by_side_do_not_mix() -> None:
    answer = Answer("m")
    answer.take(start(0, type="text", text=""))
    answer.take(start(1, type="tool_use", id="a", name="f", input={}))
    answer.take(delta(1, type="input_json_delta", partial_json='{"x":'))
    answer.take(delta(0, type="text_delta", text="hello"))
    answer.take(delta(1, type="input_json_delta", partial_json="1}"))
    answer.take(STOP)

    expected = (Text(text="hello"), ToolCall(id="a", name="f", arguments='{"x":1}'))
    assert expected == answer.response().message.blocks


def test_a_call_written_in_one_piece_keeps_its_arguments() -> None:
    answer = Answer("m")
    answer.take(start(0, type="tool_use", id="a", name="f", input={"x": 1}))
    answer.take(STOP)

    (call,) = answer.response().message.tool_calls
    assert call.arguments == '{"x": 1}'


def test_arguments_of_a_call_are_told_as_they_are_written() -> None:
    """Nobody is shown them, and they are paid for also where the answer breaks off."""
    answer = Answer("m")
    begun = answer.take(start(0, type="tool_use", id="a", name="f", input={}))
    went_on = answer.take(delta(0, type="input_json_delta", partial_json='{"x":'))
    whole = answer.take(start(1, type="tool_use", id="b", name="f", input={"x": 1}))

    assert begun is None
    assert (ArgumentsDelta(text='{"x":'), ArgumentsDelta(text='{"x": 1}')) == (went_on, whole)


def test_text_that_stands_in_the_beginning_of_a_block_is_shown() -> None:
    assert Answer("m").take(start(0, type="text", text="Hi")) == TextDelta(text="Hi")


def test_a_block_of_an_unknown_kind_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    answer = Answer("m")
    answer.take(start(0, type="hologram"))
    answer.take(delta(0, type="text_delta", text="???"))
    answer.take(start(1, type="text", text="Hi"))
    answer.take(STOP)

    assert answer.response().message.blocks == (Text(text="Hi"),)
    assert [record.message for record in caplog.records] == ["model.unknown_block"]


def test_an_unknown_reason_to_stop_ends_the_turn(caplog: pytest.LogCaptureFixture) -> None:
    answer = Answer("m")
    answer.take({"type": "message_delta", "delta": {"stop_reason": "tired"}})

    assert answer.response().stop == "end_turn"
    assert [record.message for record in caplog.records] == ["model.unknown_stop_reason"]


def test_an_answer_that_does_not_say_why_it_stopped_is_cut() -> None:
    answer = Answer("m")
    answer.take(start(0, type="text", text="Hi"))
    answer.take({"type": "message_delta", "delta": {"stop_reason": None}})
    answer.take({"type": "message_stop"})

    with pytest.raises(ModelStreamCut):
        answer.response()


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": 3},
        {"type": "message_start"},
        {"type": "message_start", "message": []},
        {"type": "content_block_start", "index": "0", "content_block": None},
        {"type": "content_block_delta", "index": 4, "delta": {"type": "text_delta"}},
        {"type": "message_delta", "usage": "many", "delta": 1},
    ],
)
def test_events_of_a_wrong_shape_do_no_harm(event: dict[str, object]) -> None:
    answer = Answer("m")
    answer.take(event)
    answer.take(STOP)

    assert answer.response().message.blocks == ()
