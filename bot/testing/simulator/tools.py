"""A plugin of the simulation: tools that are quick, slow, unsafe, or fail."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

from bot.errors import ToolError
from bot.ports import PluginAPI
from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.life import Life

PLUGIN = "simulated_tools"
"""Its name in the configuration; it stands in no folder."""

TOOL_WEIGHTS: Mapping[str, float] = {"look": 3, "write_down": 4, "ponder": 1, "no_such_tool": 0.3}
"""Which tools the model wants how often; one of them does not exist."""

LONGEST_PONDERING_S = 90.0


@contextmanager
def lent_plugin(life: Life, ledger: Ledger) -> Iterator[None]:
    """Let the plugin of one process be found by its name while the bot is being built."""

    def register(api: PluginAPI) -> None:
        _register(api, life, ledger)

    module = ModuleType(f"plugins.{PLUGIN}", "Tools of the simulation.")
    module.__dict__["register"] = register
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]


def _register(api: PluginAPI, life: Life, ledger: Ledger) -> None:
    world = life.world

    async def work(name: str, note: str) -> str:
        await life.cross(f"tool.{name}")
        if world.strikes(world.weather.tools_fail):
            raise ToolError(f"{name} had no luck with {note}; try another way.")
        return f"{name} did {note}"

    @api.tool(safe_to_repeat=True)
    async def look(note: str) -> str:
        """Look something up; twice does no harm."""
        return await work("look", note)

    @api.tool
    async def write_down(note: str) -> str:
        """Write a note down for good; twice is a fault."""
        life.require()
        world.note(f"tool writes {note}")
        ledger.runs[note] += 1
        return await work("write_down", note)

    @api.tool(safe_to_repeat=True)
    async def ponder(note: str) -> str:
        """Think long, sometimes longer than it may."""
        life.require()
        if not world.is_calm:
            await life.sleep(world.dice.between(0, LONGEST_PONDERING_S))
        return await work("ponder", note)
