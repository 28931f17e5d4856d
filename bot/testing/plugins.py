"""Contract kit for tool plugins, and a pretended web.

A test of a plugin is a subclass::

    class TestDice(PluginContract):
        plugin = plugins.dice
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from types import ModuleType
from zoneinfo import ZoneInfo

from bot.adapters.calendar import CronCalendar
from bot.core.chat import Sender, SessionKey
from bot.core.llm import ToolSpec
from bot.core.messages import ToolCall, ToolResult
from bot.core.turns import TurnId
from bot.errors import ToolError
from bot.ports import Clock, Fetcher, Page, ToolContext
from bot.runtime.chat_records import StoredChatRecords
from bot.runtime.plugin_host import LoadedPlugin, PluginHost
from bot.runtime.plugin_reach import PluginReach
from bot.runtime.reminder_records import StoredReminderRecords
from bot.runtime.tools import GRACE_S, ToolRegistry
from bot.runtime.zones import PeopleZones
from bot.testing.clock import FakeClock
from bot.testing.patience import PATIENCE_S
from bot.testing.recalling import MemoryGiven
from bot.testing.store import InMemoryStore

LONGEST_TIMEOUT_S = 600.0
"""More than any tool may ask for; a pretended web that is silent is waited for so long."""

TOOL_CONTEXT = ToolContext(
    session_key=SessionKey("console:local:terminal:"),
    turn_id=TurnId(1),
    kind="private",
    sender=Sender(channel="console", user_id="local", name="Ada"),
    call_id="",
)

SECRET = "-".join(("open", "sesame"))
"""What :class:`OneWordRedactor` takes for a password."""

_PROJECT = Path(__file__).resolve().parents[2]


class FakeFetcher:
    """A web of the pages it was given; ``requested`` lists the addresses asked for."""

    def __init__(self, *pages: Page) -> None:
        self._pages = {page.url: page for page in pages}
        self.requested: list[str] = []

    async def get(self, url: str, *, max_bytes: int, timeout_s: float) -> Page:
        """Give the page of this address."""
        self.requested.append(url)
        if url not in self._pages:
            raise ToolError("There is no such page.")
        return self._pages[url]


class SilentFetcher:
    """A web that never answers."""

    async def get(self, url: str, *, max_bytes: int, timeout_s: float) -> Page:
        """Wait for ever, whatever the limit."""
        await asyncio.Event().wait()
        raise AssertionError("a silent web has spoken")


class OneWordRedactor:
    """A :class:`~bot.ports.Redactor` that knows one secret."""

    def redact(self, text: str) -> str:
        """Replace the secret."""
        return text.replace(SECRET, "[redacted:password]") if SECRET in text else text


def chat_records(store: InMemoryStore, clock: Clock) -> StoredChatRecords:
    """Give tools what they may see and note of a chat in a store."""
    return StoredChatRecords(
        results=store, tasks=store, files=store, clock=clock, redactor=OneWordRedactor()
    )


def plugin_reach(fetcher: Fetcher, memory: MemoryGiven) -> PluginReach:
    """Give plugins a web, and what is kept in the store of a memory."""
    zones = PeopleZones(memory.store, ZoneInfo("UTC"))
    return PluginReach(
        clock=memory.clock,
        timezone=UTC,
        http=fetcher,
        chat=chat_records(memory.store, memory.clock),
        memory=memory.records(OneWordRedactor()),
        zones=zones,
        reminders=StoredReminderRecords(
            store=memory.store,
            zones=zones,
            calendar=CronCalendar(),
            clock=memory.clock,
            redactor=OneWordRedactor(),
            on_added=lambda: None,
        ),
    )


class PluginBench:
    """One plugin, loaded into a host of its own, whose tools a test calls as the model would.

    Attributes:
        memory: What there is to be recalled.
        context: On whose behalf tools are called.
    """

    def __init__(self, plugin: ModuleType, fetcher: Fetcher | None = None) -> None:
        self.clock = FakeClock()
        self.tools = ToolRegistry(self.clock)
        self.store = InMemoryStore()
        self.memory = MemoryGiven(store=self.store, clock=self.clock)
        self.context = TOOL_CONTEXT
        reach = plugin_reach(fetcher or FakeFetcher(), self.memory)
        self._host = PluginHost(reach, self.tools)
        (loaded,) = self._host.load((plugin.__name__.removeprefix("plugins."),))
        assert isinstance(loaded, LoadedPlugin), loaded
        self.loaded = loaded

    async def call(self, name: str, arguments: str | Mapping[str, object]) -> ToolResult:
        """Call one tool; ``arguments`` as text are passed on as they are."""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call = ToolCall(id="call-1", name=name, arguments=text)
        (result,) = await self.tools.run((call,), self.context, _ignore)
        return result


class PluginContract:
    """What every plugin must do; subclass it and set ``plugin``.

    ``documentation`` is the page that has a heading for each tool.
    """

    plugin: ModuleType
    documentation: Path = _PROJECT / "docs" / "plugins.md"

    def test_importing_and_registering_touch_nothing_and_always_give_the_same(self) -> None:
        """No socket, no process, no written file; equal bytes under another hash seed."""
        done = subprocess.run(  # noqa: S603 - this interpreter on the program below
            [sys.executable, "-B", "-W", "error", "-c", _IN_A_FRESH_PROCESS, self.plugin.__name__],
            cwd=_PROJECT,
            env={**os.environ, "PYTHONHASHSEED": "7"},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

        assert done.returncode == 0, done.stderr
        here = [[spec.name, spec.description, spec.schema] for spec in self._specs()]
        assert json.loads(done.stdout) == here

    def test_two_hosts_get_the_same(self) -> None:
        """The module keeps no state."""
        assert self._specs() == self._specs()

    def test_schemas_are_valid(self) -> None:
        """Each is an object that knows all its keys, and each key is described."""
        from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships none

        for spec in self._specs():
            schema = json.loads(spec.schema)
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert schema["additionalProperties"] is False
            assert all(each["description"].strip() for each in schema["properties"].values())

    async def test_arguments_that_do_not_fit_are_answered(self) -> None:
        """With an error result that says something; nothing is raised."""
        bench = PluginBench(self.plugin)
        for name in bench.loaded.tools:
            for text in ("", "null", "[]", '"x"', '{"', '{"no_such_argument": 1}', "\ud800"):
                result = await bench.call(name, text)
                assert result.is_error, f"{name} took {text!r}"
                assert result.content

    async def test_odd_arguments_never_break_a_tool(self) -> None:
        """Only ``ToolError`` leaves a tool, and results keep to their limit."""
        bench = PluginBench(self.plugin)
        for spec in bench.tools.specs():
            for arguments in _odd_arguments(spec):
                with _failures() as failures:
                    result = await bench.call(spec.name, arguments)
                assert not failures, f"{spec.name} broke on {arguments!r:.200}"
                assert len(result.content) <= MAX_RESULT_CHARS

    async def test_every_tool_ends_when_the_web_is_silent(self) -> None:
        """It is cut at its time limit at the latest."""
        bench = PluginBench(self.plugin, SilentFetcher())
        for spec in bench.tools.specs():
            arguments = next(_odd_arguments(spec))
            call = asyncio.ensure_future(bench.call(spec.name, arguments))
            await bench.clock.advance(LONGEST_TIMEOUT_S + GRACE_S)
            assert call.done(), f"{spec.name} hangs"
            assert (await call).content

    def test_every_tool_is_documented(self) -> None:
        """By a heading with its name."""
        headings = re.findall(r"^#+ .*`(\w+)`", self.documentation.read_text("utf-8"), re.M)

        assert set(PluginBench(self.plugin).loaded.tools) <= set(headings)

    def _specs(self) -> tuple[ToolSpec, ...]:
        return PluginBench(self.plugin).tools.specs()


MAX_RESULT_CHARS = 1_000_000
"""More than any tool may ask for."""

_ODD_VALUES: dict[str, tuple[object, ...]] = {
    "string": ("https://example.org/", "", "\0", "../../x", "é🙂" * 9, "x" * 100_000, "%s{0}", " "),
    "integer": (1, 0, -1, 10**18, 2**31),
    "number": (1.0, 0, -1, 1e300, 1e-300),
    "boolean": (True, False),
    "array": ([], [None], ["x"] * 100),
    "object": ({}, {"x": None}),
    "null": (None,),
}


def _odd_arguments(spec: ToolSpec) -> Iterator[dict[str, object]]:
    """Give sets of arguments; the first is the most ordinary."""
    properties = json.loads(spec.schema)["properties"]
    for round_number in range(max(map(len, _ODD_VALUES.values()))):
        arguments = {}
        for name, schema in properties.items():
            values = _odd_values(schema)
            arguments[name] = values[round_number % len(values)]
        yield arguments


def _odd_values(schema: Mapping[str, object]) -> tuple[object, ...]:
    match schema:
        case {"enum": list(choices)}:
            return tuple(choices)
        case {"anyOf": [dict(first), *_]}:
            return _odd_values(first)
        case {"type": str(kind)}:
            return _ODD_VALUES[kind]
        case _:
            return (None,)


class _Collector(logging.Handler):
    """Keeps what the registry logs about tools that broke."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def _failures() -> Iterator[list[logging.LogRecord]]:
    collector = _Collector()
    logger = logging.getLogger("bot.runtime.tools")
    logger.addHandler(collector)
    try:
        yield collector.records
    finally:
        logger.removeHandler(collector)


async def _ignore(result: ToolResult, whole: str | None) -> None:
    """Keep no journal."""


_IN_A_FRESH_PROCESS = """
import json, os, sys
from bot.runtime.plugin_host import BrokenPlugin, PluginHost
from bot.runtime.tools import ToolRegistry
from bot.testing.clock import FakeClock
from bot.testing.store import InMemoryStore
from bot.testing.plugins import FakeFetcher, plugin_reach
from bot.testing.recalling import MemoryGiven

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND
FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn",
             "os.mkdir", "os.remove", "os.rename", "os.rmdir", "shutil.", "sqlite3.")
is_watching = True

def watch(event, arguments):
    if not is_watching:
        return
    is_write = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING
    if is_write or event.startswith(FORBIDDEN):
        os.write(2, f"importing or registering did {event} {arguments}\\n".encode())
        os._exit(3)

sys.addaudithook(watch)
clock = FakeClock()
tools = ToolRegistry(clock)
memory = MemoryGiven(store=InMemoryStore(), clock=clock)
host = PluginHost(plugin_reach(FakeFetcher(), memory), tools)
(plugin,) = host.load((sys.argv[1].removeprefix("plugins."),))
is_watching = False
if isinstance(plugin, BrokenPlugin):
    sys.exit(plugin.reason)
print(json.dumps([[spec.name, spec.description, spec.schema] for spec in tools.specs()]))
"""
