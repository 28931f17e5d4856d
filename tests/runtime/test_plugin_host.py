import logging
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import plugins
from bot.core.chat import ChatAddress, InboundMessage
from bot.core.files import Attachment
from bot.core.messages import ToolCall, ToolResult
from bot.errors import PluginError
from bot.ports import CommandContext
from bot.runtime.plugin_host import BrokenPlugin, LoadedPlugin, PluginHost
from bot.runtime.tools import ToolRegistry
from bot.testing.clock import START, FakeClock
from bot.testing.plugins import TOOL_CONTEXT, FakeFetcher, plugin_reach
from bot.testing.recalling import MemoryGiven
from bot.testing.store import InMemoryStore

PROJECT = Path(plugins.__file__).parents[1]

GOOD = '''
"""Good."""

def register(api):
    @api.tool
    async def shout(text: Annotated[str, "What to shout."]) -> str:
        """Shout."""
        return text.upper()

    @api.tool(timeout_s=5, max_chars=300, safe_to_repeat=True)
    async def clock_face() -> str:
        """Tell time and zone."""
        return f"{api.clock.now():%H:%M} {api.timezone}"

    @api.command("shout", "Shouts.")
    async def shout_command(context):
        return context.arguments.upper()
'''

Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write plugins into a folder of their own beside the real ones."""
    before = set(sys.modules)
    monkeypatch.setattr(plugins, "__path__", [*plugins.__path__, str(tmp_path)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write_plugin(name: str, source: str) -> None:
        imports = "from typing import Annotated\nfrom bot.api import ToolError\n"
        (tmp_path / f"{name}.py").write_text(imports + source, "utf-8")

    yield write_plugin
    for name in set(sys.modules) - before:
        if name.startswith("plugins."):
            del sys.modules[name]
            vars(plugins).pop(name.removeprefix("plugins."), None)


class Bench:
    def __init__(self, reserved: frozenset[str] = frozenset()) -> None:
        clock = FakeClock()
        self.tools = ToolRegistry(clock)
        memory = MemoryGiven(store=InMemoryStore(), clock=clock)
        reach = plugin_reach(FakeFetcher(), memory)
        self.host = PluginHost(reach, self.tools, reserved_commands=reserved)

    def load(self, *names: str) -> tuple[LoadedPlugin | BrokenPlugin, ...]:
        return self.host.load(names)

    def reason(self, name: str) -> str:
        (plugin,) = self.load(name)
        assert isinstance(plugin, BrokenPlugin)
        return plugin.reason

    @property
    def offered(self) -> tuple[list[str], list[str]]:
        return [spec.name for spec in self.tools.specs()], sorted(self.host.commands)


async def test_a_plugin_offers_tools_and_commands(write: Write) -> None:
    write("good", GOOD)
    bench = Bench()

    assert bench.load("good") == (
        LoadedPlugin(name="good", tools=("shout", "clock_face"), commands=("shout",)),
    )
    assert bench.offered == (["clock_face", "shout"], ["shout"])
    assert bench.tools.is_safe_to_repeat("clock_face")
    assert not bench.tools.is_safe_to_repeat("shout")
    command = bench.host.commands["shout"]
    assert (command.name, command.description, command.plugin) == ("shout", "Shouts.", "good")
    assert await command.handler(_typed("rain")) == "RAIN"


async def test_what_a_plugin_offers_works(write: Write) -> None:
    write("good", GOOD)
    bench = Bench()
    bench.load("good")

    async def ignore(result: ToolResult, whole: str | None) -> None:
        pass

    calls = (
        ToolCall(id="1", name="shout", arguments='{"text": "x"}'),
        ToolCall(id="2", name="clock_face", arguments="{}"),
    )
    results = await bench.tools.run(calls, TOOL_CONTEXT, ignore)

    assert [result.content for result in results] == ["X", "09:00 UTC"]


AFTER_GOOD = GOOD + "    "


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = ", "SyntaxError"),
        ("import nowhere_to_be_found", "it needs 'nowhere_to_be_found', which is not installed"),
        ("from bot.api import Nonsense", "ImportError: cannot import name 'Nonsense'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit('I am a script')", "SystemExit: I am a script"),
        ("x = 1", "plugins/broken.py has no function register(api)"),
        ("register = 5", "plugins/broken.py has no function register(api)"),
        ("async def register(api): pass", "register(api) must not be async"),
        ("def register(): pass", "TypeError"),
        (AFTER_GOOD + "raise ValueError('two\\nlines')", "ValueError: two lines"),
        (AFTER_GOOD + "api.tool(shout)", "tool 'shout' is already registered by plugin 'broken'"),
        (AFTER_GOOD + "api.command('shout', 'Again.')(shout_command)", "already registered"),
        (AFTER_GOOD + "api.command('Shout', 'Bad.')(shout_command)", "no name for a command"),
        (AFTER_GOOD + "api.command('say', '')(shout_command)", "needs a description"),
        (AFTER_GOOD + "api.command('help', 'Mine.')(shout_command)", "one of the bot's own"),
        (AFTER_GOOD + "api.command('say', 'Sync.')(lambda c: '')", "must be an async function"),
        (AFTER_GOOD + "api.tool(lambda: '')", "no name for a tool"),
        (AFTER_GOOD + "api.tool(timeout_s=0)(shout)", "already registered"),
        (
            AFTER_GOOD + "\n    @api.tool\n    async def say(x: int) -> str:\n        'Say.'",
            "tool 'say': parameter 'x' needs a description",
        ),
        (
            AFTER_GOOD + "\n    @api.tool\n    async def say() -> str:\n        return ''",
            "tool 'say' needs a docstring",
        ),
    ],
)
def test_a_broken_plugin_is_skipped_and_leaves_nothing_behind(
    write: Write, caplog: pytest.LogCaptureFixture, source: str, reason: str
) -> None:
    write("broken", source)
    bench = Bench(reserved=frozenset({"help"}))

    broken, clock = bench.load("broken", "clock")

    assert isinstance(broken, BrokenPlugin)
    assert reason in broken.reason
    assert "\n" not in broken.reason
    assert isinstance(clock, LoadedPlugin)
    assert bench.offered == (["clock"], [])
    (record,) = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert vars(record)["plugin"] == "broken"
    assert vars(record)["reason"] == broken.reason


def test_a_clash_leaves_the_first_plugin_whole(write: Write) -> None:
    write("good", GOOD)
    write("copy", GOOD)
    bench = Bench()

    _, second = bench.load("good", "copy")

    assert isinstance(second, BrokenPlugin)
    assert second.reason == "tool 'shout' is already registered by plugin 'good'"
    assert bench.offered == (["clock_face", "shout"], ["shout"])


def test_a_plugin_listed_twice_is_loaded_once() -> None:
    bench = Bench()

    first, second = bench.load("clock", "clock")

    assert isinstance(first, LoadedPlugin)
    assert second == BrokenPlugin(name="clock", reason="it is listed twice")
    assert bench.offered == (["clock"], [])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("clokc", "there is no plugins/clokc.py; did you mean 'clock'?"),
        ("zzz", "there is no plugins/zzz.py"),
        ("../x", "'../x' is no name for a plugin: a-z, 0-9 and _"),
        ("os.path", "'os.path' is no name for a plugin: a-z, 0-9 and _"),
        ("", "'' is no name for a plugin: a-z, 0-9 and _"),
    ],
)
def test_a_plugin_that_is_not_there_is_named(name: str, reason: str) -> None:
    assert reason == Bench().reason(name)


def test_nothing_can_be_offered_after_registering(write: Write) -> None:
    write("late", "kept = []\ndef register(api):\n    kept.append(api)\n")
    bench = Bench()
    bench.load("late")
    (api,) = sys.modules["plugins.late"].kept

    async def late() -> str:
        """Come late."""
        return ""

    async def hear(attachment: Attachment, content: bytes) -> str:
        return ""

    with pytest.raises(PluginError, match="not later"):
        api.tool(late)
    with pytest.raises(PluginError, match="not later"):
        api.command("late", "Late.")(late)
    with pytest.raises(PluginError, match="not later"):
        api.transcriber(hear)
    assert bench.offered == ([], [])


HEARS = """
def register(api):
    @api.transcriber
    async def hear(attachment, content):
        return f"{attachment.name}: {content.decode()}"
"""


async def test_a_plugin_hears_for_the_whole_bot_and_there_is_one(write: Write) -> None:
    write("ears", HEARS)
    write("more_ears", HEARS)
    write("deaf", "def register(api):\n    api.transcriber(lambda *given: '')\n")
    bench = Bench()
    assert "a transcriber must be an async function" == bench.reason("deaf")
    assert getattr(bench.host, "transcriber") is None  # noqa: B009 - mypy would think it stays so

    (ears,) = bench.load("ears")

    assert ears == LoadedPlugin(name="ears", tools=(), commands=(), is_transcriber=True)
    assert "a transcriber is already registered by plugin 'ears'" == bench.reason("more_ears")
    assert bench.host.transcriber is not None
    note = Attachment(kind="sound", name="note", media_type="", handle="h")
    assert "note: hello" == await bench.host.transcriber(note, b"hello")


async def test_the_plugin_of_the_documentation_works(write: Write) -> None:
    page = (PROJECT / "docs" / "plugins.md").read_text("utf-8")
    source = next(code for code in re.findall(r"```python\n(.*?)```", page, re.S))
    write("dice", source)
    bench = Bench()

    (dice,) = bench.load("dice")

    assert dice == LoadedPlugin(name="dice", tools=("roll_dice",), commands=())
    assert len(source.splitlines()) <= 25


def _typed(arguments: str) -> CommandContext:
    message = InboundMessage(
        event_id="1",
        address=ChatAddress(channel="console", account="local", chat="terminal"),
        kind="private",
        sender=TOOL_CONTEXT.sender,
        message_id="1",
        text=f"/shout {arguments}",
        is_addressed=True,
        sent_at=START,
    )
    return CommandContext(arguments=arguments, message=message, is_admin=False)
