"""The contract of a :class:`~bot.ports.ModelClient` that speaks the Messages API.

Each function of :data:`CONTRACT` takes a :data:`~bot.testing.model_meeting.MakeModel` and raises
AssertionError where the client falls short. A client's author writes one parametrised test.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable

from bot.core.llm import CacheMark, Delta, StopReason, TextDelta, ThinkingDelta
from bot.core.messages import (
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant_text,
    user_text,
)
from bot.errors import (
    ContextTooLong,
    ModelAuthError,
    ModelError,
    ModelNotFound,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRefused,
    ModelSilent,
    ModelStreamCut,
    ModelUnavailable,
)
from bot.testing.anthropic_events import Written
from bot.testing.anthropic_server import (
    OVERLOADED,
    SERVER_ERROR,
    UNAUTHORIZED,
    Answer,
    Broken,
    PretendedAnthropic,
    Refused,
    rate_limited,
)
from bot.testing.model_meeting import (
    KEY,
    MakeModel,
    ask,
    asking,
    everything_logged,
    failure,
    meeting,
)
from bot.testing.patience import PATIENCE_S

MAX_ERROR_CHARS = 200

FAILURES: tuple[tuple[Answer, type[ModelError]], ...] = (
    (UNAUTHORIZED, ModelAuthError),
    (Refused(status=403, kind="permission_error"), ModelAuthError),
    (rate_limited(), ModelRateLimited),
    (OVERLOADED, ModelOverloaded),
    (SERVER_ERROR, ModelUnavailable),
    (Refused(status=503, body="<html>no service</html>"), ModelUnavailable),
    (Refused(status=400, kind="invalid_request_error"), ModelRequestRefused),
    (Refused(status=404, kind="not_found_error", message="model: claude-0"), ModelNotFound),
    (Refused(status=422, body="no"), ModelRequestRefused),
    (Refused(status=413, kind="request_too_large"), ContextTooLong),
    (Broken(how="error_event"), ModelOverloaded),
    (Broken(how="error_event", kind="api_error"), ModelUnavailable),
    (Broken(how="error_event", kind="rate_limit_error"), ModelRateLimited),
    (Broken(how="error_event", kind="invalid_request_error"), ModelRequestRefused),
    (Broken(how="error_event", kind="a_new_error"), ModelUnavailable),
    (Broken(how="cut"), ModelStreamCut),
    (Broken(how="unfinished"), ModelStreamCut),
    (Broken(how="garbled"), ModelStreamCut),
    (Broken(how="not_a_stream"), ModelStreamCut),
    (Broken(how="stall"), ModelSilent),
    (Broken(how="silent"), ModelSilent),
    (Broken(how="hangs_up"), ModelSilent),
    (Refused(status=504, kind="timeout_error"), ModelSilent),
)
"""What a vendor may do, and which error the runner must see."""

STOPS: tuple[tuple[str, StopReason], ...] = (
    ("end_turn", "end_turn"),
    ("max_tokens", "max_tokens"),
    ("stop_sequence", "stop_sequence"),
    ("tool_use", "tool_use"),
    ("pause_turn", "pause_turn"),
    ("refusal", "refusal"),
    ("model_context_window_exceeded", "window_full"),
    ("a_new_reason", "end_turn"),
)


async def blocks_make_the_round_trip(make: MakeModel) -> None:
    """What the model wrote comes back as values, and goes out again as it came."""
    written = (
        Thinking(text="Which city? " * 5, signature="sig-1"),
        Thinking(text="opaque", is_redacted=True),
        Text(text="Let me look: ☂ " * 5),
        ToolCall(id="toolu_1", name="weather", arguments='{"city": "Łódź"}'),
    )
    question = Message(
        role="user", blocks=(Image(media_type="image/png", data="iVBO"), Text(text="Weather?"))
    )
    result = ToolResult(call_id="toolu_1", content="rain", is_error=True)
    async with meeting(make, Written(blocks=written), "It rains.") as (model, server):
        answered = await ask(model, asking(question))
        expected = Message(role="assistant", blocks=written)
        assert expected == answered.message
        assert answered.stop == "tool_use"
        results = Message(role="user", blocks=(result,))
        last = await ask(model, asking(question, answered.message, results))
        assert assistant_text("It rains.") == last.message
        assert server.faults == []
        sent = server.requests[-1].body["messages"]
    image = {"type": "base64", "media_type": "image/png", "data": "iVBO"}
    assert sent == [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": image},
                {"type": "text", "text": "Weather?"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Which city? " * 5, "signature": "sig-1"},
                {"type": "redacted_thinking", "data": "opaque"},
                {"type": "text", "text": "Let me look: ☂ " * 5},
                {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Łódź"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": "rain",
                    "is_error": True,
                }
            ],
        },
    ]


async def pieces_add_up_to_the_answer(make: MakeModel) -> None:
    """The pieces are the answer's text and reasoning, in order, and more than one."""
    text, thought = "One, two, three. " * 10, "Count. " * 10
    deltas: list[Delta] = []
    blocks = (Thinking(text=thought, signature="s"), Text(text=text))
    async with meeting(make, Written(blocks=blocks)) as (model, _):
        await model.ask(asking(), deltas.append)
    assert text == "".join(d.text for d in deltas if isinstance(d, TextDelta))
    assert thought == "".join(d.text for d in deltas if isinstance(d, ThinkingDelta))
    assert len(deltas) > len(blocks)


async def arguments_stay_as_written(make: MakeModel) -> None:
    """Malformed arguments are handed on as text; none at all are an empty object."""
    for arguments, expected in (
        ('{"city": "Par', '{"city": "Par'),
        ("[1, 2]", "[1, 2]"),
        ("", "{}"),
    ):
        call = ToolCall(id="toolu_1", name="weather", arguments=arguments)
        async with meeting(make, Written(blocks=(call,))) as (model, _):
            (answered,) = (await ask(model, asking())).message.tool_calls
        assert expected == answered.arguments


async def stops_are_told_apart(make: MakeModel) -> None:
    """Each of the vendor's reasons is one of ours; one that is unknown ends the turn."""
    answers = [Written(blocks=(Text(text="Well."),), stop=theirs) for theirs, _ in STOPS]
    async with meeting(make, *answers) as (model, _):
        stops = [(await ask(model, asking())).stop for _ in STOPS]
    assert [ours for _, ours in STOPS] == stops


async def usage_counts_the_cache(make: MakeModel) -> None:
    """What was written to the cache by one request is read by the next, and both are told."""
    first = asking(user_text("one"), marks=(CacheMark(message=0, block=0),))
    longer = (*first.messages, assistant_text("two"), user_text("three"))
    second = asking(*longer, marks=(CacheMark(message=2, block=0),))
    async with meeting(make) as (model, _):
        before, after = (await ask(model, first)).usage, (await ask(model, second)).usage
    assert before.cache_read_tokens == 0
    assert before.cache_write_tokens > 0
    assert after.cache_read_tokens == before.cache_write_tokens
    assert after.prompt_tokens > before.prompt_tokens
    assert after.output_tokens > 0


async def failures_become_our_errors(make: MakeModel) -> None:
    """Every way to fail is one class, told in one short line, and the next request is served."""
    for answer, expected in FAILURES:
        async with meeting(make, answer) as (model, _):
            error = await failure(model, asking())
            assert type(error) is expected, f"{answer}: {error!r}"
            assert 0 < len(str(error)) <= MAX_ERROR_CHARS, f"{answer}: {error}"
            assert "\n" not in str(error), f"{answer}: {error}"
            assert assistant_text("All is well.") == (await ask(model, asking())).message


async def overflow_names_its_numbers(make: MakeModel) -> None:
    """A prompt longer than the window is told with what was needed and what there is."""
    async with PretendedAnthropic(window_tokens=1_000) as server:
        model = make(server.base_url, KEY)
        error = await failure(model, asking(user_text("word " * 2_000)))
        await model.close()
    assert isinstance(error, ContextTooLong)
    assert error.limit_tokens == 1_000
    assert error.needed_tokens is not None
    assert error.needed_tokens > 1_000


async def waiting_time_is_told(make: MakeModel) -> None:
    """How long a vendor wants to be left alone is told in seconds."""
    async with meeting(make, rate_limited("7")) as (model, _):
        error = await failure(model, asking())
    assert error.retry_after_s == 7.0


async def absence_is_unavailability(make: MakeModel) -> None:
    """Where nobody listens, the vendor is unavailable, and was not asked."""
    async with PretendedAnthropic() as server:
        nobody = server.base_url
    model = make(nobody, KEY)
    error = await failure(model, asking())
    await model.close()
    assert type(error) is ModelUnavailable


async def cancelling_hangs_up(make: MakeModel) -> None:
    """A cancelled request ends at once and closes its connection."""
    async with meeting(make, Broken(how="stall")) as (model, server):
        task = asyncio.create_task(ask(model, asking()))
        await server.stalled()
        task.cancel()
        (ended,) = await asyncio.gather(task, return_exceptions=True)
        assert isinstance(ended, asyncio.CancelledError)
        async with asyncio.timeout(PATIENCE_S):
            await server.hung_up()


async def the_key_shows_nowhere(make: MakeModel) -> None:
    """Neither logs nor errors nor ``repr`` show the key, whatever the vendor says."""
    tactless = Refused(status=401, kind="authentication_error", message=f"no such key: {KEY}")
    unparsed = Refused(status=500, body=f"key {KEY}")
    event = Broken(how="error_event", kind="api_error", message=f"key {KEY}")
    failures: list[ModelError] = []
    with everything_logged() as records:
        async with meeting(make, "Well.", tactless, unparsed, event) as (model, _):
            shown = [repr(model), repr(await ask(model, asking()))]
            failures += [await failure(model, asking()) for _ in range(3)]
    shown += ["".join(traceback.format_exception(error)) for error in failures]
    shown += [logging.Formatter().format(record) for record in records]
    assert records
    assert [text for text in shown if KEY in text] == []


CONTRACT: tuple[Callable[[MakeModel], Awaitable[None]], ...] = (
    blocks_make_the_round_trip,
    pieces_add_up_to_the_answer,
    arguments_stay_as_written,
    stops_are_told_apart,
    usage_counts_the_cache,
    failures_become_our_errors,
    overflow_names_its_numbers,
    waiting_time_is_told,
    absence_is_unavailability,
    cancelling_hangs_up,
    the_key_shows_nowhere,
)
