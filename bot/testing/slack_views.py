"""The pages and forms of the pretended Slack, and what people do beside writing, as payloads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count

from aiohttp import web

from bot.testing.slack_blocks import faults_in_view
from bot.testing.slack_state import Json, Refusal, SlackState

_TEAM = SlackState.team_id


@dataclass(slots=True)
class SlackViews:
    """What the app has shown.

    Attributes:
        opened: The modals, oldest first.
        homes: The pages of the App Home by user id, oldest first each.
        faults: What was wrong with views that were refused.
        removed: How many messages that one person alone was shown were taken away.
    """

    opened: list[Json] = field(default_factory=list)
    homes: dict[str, list[Json]] = field(default_factory=dict)
    faults: list[tuple[str, ...]] = field(default_factory=list)
    removed: int = 0

    @property
    def methods(self) -> dict[str, Callable[[Json], Json]]:
        """Those of the Web API that show views."""
        return {"views.open": self.open, "views.publish": self.publish}

    async def respond(self, request: web.Request) -> web.Response:
        """Take what the app does about a message by the address that came with a press."""
        if await request.json() != {"delete_original": True}:
            return web.Response(status=400)
        self.removed += 1
        return web.Response(text="ok")

    def open(self, params: Json) -> Json:
        """``views.open``."""
        if not params.get("trigger_id"):
            raise Refusal("invalid_trigger_id")
        view = self._checked(params)
        self.opened.append(view)
        return {"view": view | {"id": f"V{len(self.opened):08d}"}}

    def publish(self, params: Json) -> Json:
        """``views.publish``."""
        view = self._checked(params)
        self.homes.setdefault(str(params.get("user_id")), []).append(view)
        return {"view": view}

    def _checked(self, params: Json) -> Json:
        given = params.get("view")
        view = json.loads(given) if isinstance(given, str) else given
        faults = faults_in_view(view) if isinstance(view, dict) else ("no view",)
        if faults:
            self.faults.append(faults)
            raise Refusal("invalid_arguments")
        assert isinstance(view, dict)
        return view


_triggers = count(1)


def slash(command: str, text: str = "", *, channel: str = "D1ADA", user: str = "U1ADA") -> Json:
    """Give the payload of a slash command, each with a trigger of its own."""
    return {
        "command": command,
        "text": text,
        "trigger_id": f"{next(_triggers)}.1.abc",
        "team_id": _TEAM,
        "team_domain": "example",
        "channel_id": channel,
        "channel_name": "directmessage" if channel.startswith("D") else "general",
        "user_id": user,
        "user_name": "ada",
        "api_app_id": "A0APP",
        "is_enterprise_install": "false",
        "response_url": "https://hooks.slack.com/commands/none",
    }


def press(  # noqa: PLR0913 - each says where or what was pressed
    value: str,
    *,
    channel: str,
    message_ts: str,
    at: str,
    thread_ts: str = "",
    user: str = "U1ADA",
    response_url: str = "",
) -> Json:
    """Give the payload of a press; with ``response_url`` below what one person alone was shown."""
    container: Json = {
        "type": "message",
        "message_ts": message_ts,
        "channel_id": channel,
        "is_ephemeral": bool(response_url),
    }
    if thread_ts:
        container["thread_ts"] = thread_ts
    action: Json = {"type": "button", "action_id": value, "value": value, "action_ts": at}
    return _interaction("block_actions", user) | {
        "container": container,
        "channel": {"id": channel, "name": "general"},
        "actions": [action | {"block_id": "b1"}],
        "response_url": response_url,
    }


def press_at_home(view: Mapping[str, object], label: str, *, at: str, user: str = "U1ADA") -> Json:
    """Give the payload of a press on an App Home, of the button of this label."""
    [button] = [
        element
        for block in _objects(view["blocks"])
        for element in (*_objects(block.get("elements")), *_objects([block.get("accessory")]))
        if _label_of(element) == label
    ]
    action = {key: button[key] for key in ("type", "action_id", "value")}
    return _interaction("block_actions", user) | {
        "container": {"type": "view", "view_id": "V1HOME"},
        "view": dict(view) | {"id": "V1HOME"},
        "actions": [action | {"block_id": "b1", "action_ts": at}],
    }


def submit(
    view: Mapping[str, object], *, filled: Mapping[str, str | None], user: str = "U1ADA"
) -> Json:
    """Give the payload of a form that was filled in; what is not named stays as it was."""
    values: dict[str, Json] = {}
    for block in _objects(view["blocks"]):
        if block.get("type") != "input":
            continue
        [element] = _objects([block["element"]])
        key = str(block["block_id"])
        values[key] = {str(element["action_id"]): _state(element, key, filled)}
    sent = {key: view[key] for key in ("type", "callback_id", "private_metadata")}
    return _interaction("view_submission", user) | {
        "view": sent | {"id": "V00000001", "state": {"values": values}},
    }


def home_opened(*, channel: str = "D1ADA", user: str = "U1ADA", tab: str = "home") -> Json:
    """Give the event of somebody who opens the app's own place."""
    return {"type": "app_home_opened", "user": user, "channel": channel, "tab": tab}


def _state(element: Json, key: str, filled: Mapping[str, str | None]) -> Json:
    kind = element["type"]
    if kind == "static_select":
        options = {str(each["value"]): each for each in _objects(element["options"])}
        initial = element.get("initial_option")
        chosen = filled.get(key)
        option = options[chosen] if chosen else (None if key in filled else initial)
        return {"type": kind, "selected_option": option}
    value = filled[key] if key in filled else element.get("initial_value")
    return {"type": kind, "value": value}


def _interaction(kind: str, user: str) -> Json:
    return {
        "type": kind,
        "team": {"id": _TEAM, "domain": "example"},
        "user": {"id": user, "username": "ada", "name": "ada", "team_id": _TEAM},
        "api_app_id": "A0APP",
        "trigger_id": f"{next(_triggers)}.1.abc",
    }


def _label_of(element: Json) -> object:
    text = element.get("text")
    return text.get("text") if isinstance(text, dict) else None


def _objects(items: object) -> list[Json]:
    assert isinstance(items, list | None)
    return [each for each in items or () if isinstance(each, dict)]
