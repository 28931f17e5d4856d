"""What files that come with messages are fetched and read with."""

from __future__ import annotations

from bot.app.outside import Outside
from bot.core.chat import SessionKey
from bot.runtime.intake import Intake, IntakeParts
from bot.runtime.overheard import Overheard
from bot.runtime.plugin_host import PluginHost
from bot.runtime.runner import AgentRunner


def build_intake(
    outside: Outside, runner: AgentRunner, host: PluginHost, overheard: Overheard
) -> Intake:
    """Build it; whether a plugin hears is asked with every file."""

    def most_tokens(session_key: SessionKey) -> int:
        return runner.budget_of(session_key).limit_tokens

    return Intake(
        IntakeParts(
            channels=outside.channels,
            reader=outside.reader,
            lifecycle=outside.store,
            redactor=outside.redactor,
            counter=outside.counter,
            clock=outside.clock,
            overheard=overheard,
            transcriber=lambda: host.transcriber,
            most_tokens=most_tokens,
        )
    )
