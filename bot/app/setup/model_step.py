"""The step about the model: a key, a server on this machine, another server, or none.

Keys stay in ``.env`` whatever is chosen: a choice that does without one lets the settings say so,
and another server has a variable of its own, so that no vendor's key is sent to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from bot.adapters.local_models import LocalModel, find_local_model
from bot.app.model_check import KEY, KEY_VARIABLE, check_model
from bot.app.setup.form import Form, Secret
from bot.config import OwnFiles
from bot.core.findings import Findings
from bot.errors import ConfigError

_AREA = "model"
_ADDRESS = ("anthropic", "base_url")
_MODEL = ("model",)

_CLAUDE_KEY = Secret(
    path=KEY, variable=KEY_VARIABLE, title="API key", check="model", kind="anthropic"
)
_ANY_KEY = Secret(path=KEY, variable=KEY_VARIABLE, title="API key", check="model")
_SERVERS_KEY = Secret(path=KEY, variable="MODEL_API_KEY", title="Its key", check="model")


def fill_model(form: Form) -> None:
    """Ask which model answers, and see whether it does."""
    form.questions.head("Model: who writes the answers")
    local = asyncio.run(find_local_model())
    ways = {
        "Claude, with a key from https://console.anthropic.com, API Keys": _choose_claude,
        "another server that speaks the Messages API": _choose_server,
        "none: what is found on this machine answers, else a demo, which is no AI": _choose_none,
    }
    if local is not None:
        there = f"{local.model}, which runs on this machine at {local.base_url}"
        ways[there] = lambda form: _choose_local(form, local)
    names = list(ways)
    chosen = form.questions.choose("Which one? [Enter: as it is]", names)
    if chosen is None:
        has_key = form.look_up(_ANY_KEY, form.files).is_set
        _settle(form, form.files, (_key_for(form, form.files),) if has_key else ())
    else:
        ways[names[chosen]](form)


def _choose_claude(form: Form) -> None:
    files = _without_server(form.files)
    secret = _key_for(form, files)
    files = form.enter(secret, files)
    if form.look_up(secret, files).is_set:
        _settle(form, files, (secret,))
    else:
        form.questions.say("Skipped.")


def _choose_local(form: Form, local: LocalModel) -> None:
    files = form.files.with_value(KEY, None).with_value(_ADDRESS, local.base_url)
    _settle(form, files.with_value(_MODEL, local.model))


def _choose_server(form: Form) -> None:
    files = _with_address(form)
    model = form.questions.ask("Name of the model there [Enter skips]:") if files else ""
    if files is None or not model:
        form.questions.say("Skipped.")
        return
    files = files.with_value(_MODEL, model)
    # It names its own variable even when that is empty: what is entered later goes there too.
    files = form.enter(_SERVERS_KEY, files.with_value(KEY, f"${{{_SERVERS_KEY.variable}}}"))
    _settle(form, files, (_SERVERS_KEY,))


def _with_address(form: Form) -> OwnFiles | None:
    """Ask where the server is, until it is a web address; None for a mere Enter."""
    question = "Its address, such as http://127.0.0.1:8000 [Enter skips]:"
    while address := form.questions.ask(question):
        files = form.files.with_value(_ADDRESS, address)
        if not form.questions.is_typed:
            return files  # the lines behind it are about this server: they are read in any case
        try:
            form.read(files)
        except ConfigError as error:
            form.questions.say(str(error))
        else:
            return files
    return None


def _choose_none(form: Form) -> None:
    files = _without_server(form.files)
    keys = form.read(files).anthropic
    if keys.api_key is not None:
        files = files.with_value(KEY, None)
    if keys.base_url is not None:
        files = files.with_value(_ADDRESS, None)
    _settle(form, files)


def _without_server(files: OwnFiles) -> OwnFiles:
    """Take an earlier choice of a server, or of none, away."""
    if files.local_value(_ADDRESS) is not None:
        return files.without_value(_ADDRESS).without_value(_MODEL).without_value(KEY)
    files = files.without_value(_ADDRESS)
    return files if files.local_value(KEY) is not None else files.without_value(KEY)


def _key_for(form: Form, files: OwnFiles) -> Secret:
    """Say how the key looks: another server than the vendor's gives keys of its own."""
    return _CLAUDE_KEY if form.read(files).anthropic.base_url is None else _ANY_KEY


def _settle(form: Form, files: OwnFiles, secrets: tuple[Secret, ...] = ()) -> None:
    def look(entered: OwnFiles) -> Awaitable[Findings]:
        return check_model(form.read(entered), form.clock, form.look_up(_ANY_KEY, entered))

    form.settle(_AREA, files, look, secrets)
