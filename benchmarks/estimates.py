"""The tables of ``estimator.py``: estimates against an independent count, and their speed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from statistics import mean

from bot.adapters.anthropic_model.request import encode
from bot.adapters.token_counter import TiktokenCounter
from bot.core.llm import ModelRequest, ToolSpec
from bot.core.messages import (
    Message,
    Thinking,
    ToolCall,
    ToolResult,
    assistant_text,
    user_text,
)
from bot.core.tokens import calibrate, weigh_request
from bot.testing.independent_count import count, count_request
from bot.testing.text_kinds import (
    CHINESE,
    ENGLISH,
    JAPANESE,
    KINDS,
    Maker,
    html_page,
    json_rows,
    log_lines,
    python_code,
    sentences,
)

SEEDS = 5
SEED = 7
LEARNING_TURNS = 3
MOST_SAMPLES = 8
"""So many of a chat's newest requests correct the next estimate, as in the product."""

CUT_AT, LEFT_AT_A_CUT = 150, 40
"""Messages: a chat that has so many is compacted to so many."""

SYSTEM = "You are a helpful companion in a chat. Answer briefly; say when you do not know. " * 8
TOOLS = tuple(
    ToolSpec(
        name=name,
        description=f"Use this to {name.replace('_', ' ')} when the person asks for it.",
        schema='{"properties": {"limit": {"description": "How many at most.", "type": "integer"},'
        ' "query": {"description": "What to look for.", "type": "string"}}, "type": "object"}',
    )
    for name in ("search_the_web", "read_a_file", "list_reminders", "look_at_the_weather")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """What people, the assistant and, if there are any, the tools of a chat say."""

    says: tuple[Maker, ...]
    results: tuple[Maker, ...] = ()


ENGLISH_SPOKEN = sentences(ENGLISH, count=4)
CHINESE_SPOKEN = sentences(CHINESE, "", 5)
JAPANESE_SPOKEN = sentences(JAPANESE, "", 5)
CHATS = {
    "English": Chat(says=(ENGLISH_SPOKEN,)),
    "code": Chat(says=(ENGLISH_SPOKEN, python_code)),
    "Chinese": Chat(says=(CHINESE_SPOKEN,)),
    "Japanese": Chat(says=(JAPANESE_SPOKEN,)),
    "English, tools": Chat(says=(ENGLISH_SPOKEN,), results=(json_rows, html_page, log_lines)),
    "three languages and code, tools": Chat(
        says=(ENGLISH_SPOKEN, CHINESE_SPOKEN, JAPANESE_SPOKEN, python_code),
        results=(json_rows, html_page, sentences(CHINESE, "")),
    ),
    "English, long pastes of every kind": Chat(
        says=(ENGLISH_SPOKEN,) * 9 + (lambda chance: _paste(chance),)
    ),
}


def _paste(chance: Random) -> str:
    maker = chance.choice(tuple(KINDS.values()))
    return "".join(maker(chance) for _ in range(10))


def of_kinds() -> str:
    """Lay out the least and the most error of each kind of text, a text at a time."""
    counters = (TiktokenCounter(), TiktokenCounter("no_such_package"))
    rows = [
        "| kind | least | most | without vocabulary: least | most |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, maker in KINDS.items():
        texts = [maker(Random(seed)) for seed in range(SEEDS)]
        cells = []
        for counter in counters:
            errors = [counter.count(text) / count(text) - 1 for text in texts]
            cells += [f"{min(errors):+.1%}", f"{max(errors):+.1%}"]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def of_chats(turns: int) -> str:
    """Lay out the errors of whole requests."""
    rows = [
        "| chat | requests | first | then, in the mean | 99 of 100 within | least | most |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    counter = TiktokenCounter()
    for name, chat in CHATS.items():
        first, *errors = _errors(chat, turns, counter)
        sizes = sorted(map(abs, errors))
        rows.append(
            f"| {name} | {len(errors) + 1} | {first:+.1%} | {mean(sizes):.2%} "
            f"| {sizes[len(sizes) * 99 // 100]:.1%} | {min(errors):+.1%} | {max(errors):+.1%} |"
        )
    return "\n".join(rows) + "\n"


def _errors(chat: Chat, turns: int, counter: TiktokenCounter) -> list[float]:
    """Play a chat; give the error of its first request and of those after three turns."""
    chance = Random(SEED)
    tools = TOOLS if chat.results else ()
    samples: list[tuple[int, int]] = []
    messages: tuple[Message, ...] = ()
    errors = []
    for number in range(turns):
        if len(messages) > CUT_AT:
            messages = _from_a_request(messages[-LEFT_AT_A_CUT:])
        messages += (user_text(chance.choice(chat.says)(chance)),)
        steps = [messages]
        if chat.results and chance.random() < 0.4:
            messages += _round(f"call-{number}", chance.choice(chat.results)(chance), chance)
            steps.append(messages)
        for step in steps:
            local = weigh_request(SYSTEM, tools, step, counter.count)
            estimate = calibrate(samples[-MOST_SAMPLES:]).estimate(local)
            actual = _reported(step, tools)
            samples.append((local, actual))
            if number == 0 or number >= LEARNING_TURNS:
                errors.append(estimate / actual - 1)
        messages += (assistant_text(chance.choice(chat.says)(chance)),)
    return errors


def _from_a_request(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Leave out what stands before the first message that is no result and no answer."""
    start = next(
        number
        for number, message in enumerate(messages)
        if message.role == "user" and not isinstance(message.blocks[0], ToolResult)
    )
    return messages[start:]


def _round(call_id: str, result: str, chance: Random) -> tuple[Message, ...]:
    arguments = json.dumps({"limit": chance.randrange(50), "query": chance.choice(ENGLISH)})
    call = ToolCall(id=call_id, name=chance.choice(TOOLS).name, arguments=arguments)
    thought = Thinking(text=chance.choice(ENGLISH), signature="c2lnbmF0dXJl" * 20)
    answer = Message(role="assistant", blocks=(thought, call))
    return answer, Message(role="user", blocks=(ToolResult(call_id=call_id, content=result),))


def _reported(messages: tuple[Message, ...], tools: tuple[ToolSpec, ...]) -> int:
    """Play the model: say how many tokens the request had as it was posted."""
    request = ModelRequest(
        model="claude", system=SYSTEM, messages=messages, tools=tools, max_tokens=2_000
    )
    return count_request(json.loads(encode(request)))


def of_speeds() -> str:
    """Lay out what loading, counting and weighing take."""
    counter = TiktokenCounter()
    memory = _memory_mib()
    loading = _seconds(counter.load)
    texts = [KINDS["English"](Random(seed)) for seed in range(400)]
    fresh = _seconds(lambda: [counter.count(text) for text in texts])
    messages = tuple(map(user_text, texts[:200]))
    weighing = min(
        _seconds(lambda: weigh_request("", (), messages, counter.count)) for _ in range(20)
    )
    size = sum(map(len, texts))
    return "\n".join(
        (
            "| | |",
            "|---|---:|",
            f"| loading the vocabulary (s) | {loading:.2f} |",
            f"| … memory (MiB) | {_memory_mib() - memory:.0f} |",
            f"| new text, 1 000 characters (µs) | {fresh / size * 1e9:.0f} |",
            f"| 200 messages counted before (µs) | {weighing * 1e6:.0f} |",
            "",
        )
    )


def _seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def _memory_mib() -> float:
    """Read how much memory this process has in use; zero where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123 - no path of ours
            return int(statm.read().split()[1]) * 4096 / 2**20
    except OSError:
        return 0.0
