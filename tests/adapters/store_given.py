"""What the machine of both stores is fed with."""

import sqlite3
from collections.abc import Coroutine
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import strategies as st

from bot.core.lifecycle import Received, Route, SetAside
from bot.core.memory.audience import audience_of
from bot.core.memory.jobs import JobId, MemoryJob
from bot.core.messages import Text
from bot.core.turns import Outcome, TurnId
from bot.testing.clock import START
from bot.testing.stores.given import ANN, ELSEWHERE, HOME, TRIMMED, message, saying

CHATS = st.sampled_from([HOME, HOME, ELSEWHERE])
ROUTES: st.SearchStrategy[Route] = st.sampled_from(["turn", "turn", "command", "none"])
OUTCOMES: st.SearchStrategy[Outcome] = st.sampled_from(["answered", "failed", "empty", "stopped"])
LATER = START + timedelta(seconds=1)
AFTER = START + timedelta(days=400)
TIMES = st.sampled_from([START, LATER])
BACK = st.sampled_from([0, 0, 0, 1, 2, -1])  # how many before the newest; -1 was never made
CALLS = st.sampled_from(["a", "b", "unasked"])
TEXTS = st.sampled_from(["", "yes", "\ud800"])
REPLIES = st.lists(TEXTS.map(saying), max_size=2).map(tuple)
BLOCKS = st.lists(TEXTS.map(lambda text: Text(text=text)), max_size=2).map(tuple)
BROUGHT = st.lists(BLOCKS, min_size=1, max_size=3).map(tuple)
MESSAGES = st.builds(
    lambda number, chat, route: Received(inbound=message(number, address=chat), route=route),
    st.integers(0, 20),
    CHATS,
    ROUTES,
)
WHY = st.sampled_from([TRIMMED, TRIMMED, None])
NO_JOB = MemoryJob(
    id=JobId(0),
    kind="remember",
    session_key=HOME.session_key,
    audience=audience_of(HOME.session_key, "private"),
    person_key=ANN.person_key,
    generation=0,
    through=TurnId(0),
    attempts=0,
    due_at=START,
)
ODD = st.builds(
    SetAside, event_id=TEXTS, channel=st.just("telegram"), raw=TEXTS, reason=st.just("odd")
)

Value = TypeVar("Value")
Call = Coroutine[Any, Any, Value]  # what a coroutine that never waits yields is of no interest


def carried_out(call: Call[Value]) -> Value:
    """Run a coroutine that never waits."""
    try:
        call.send(None)
    except StopIteration as stop:
        value: Value = stop.value
        return value
    raise AssertionError("it waited")


def installation_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        (name,) = connection.execute("SELECT id FROM installation").fetchone()
        return str(name)
