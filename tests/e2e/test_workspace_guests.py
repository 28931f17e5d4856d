"""Guests of a workspace, who may be admins of their own."""

from dataclasses import replace

from bot.config import Config
from bot.core.chat import Capabilities, ChatKind
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel

GROUP = "-100"
WORKSPACE = Capabilities(max_text_length=4_096, can_edit=True, has_workspace_roles=True)


async def test_a_guest_of_a_workspace_is_no_admin_of_it() -> None:
    """Whatever they are in their own."""
    config = Config(admins=("loopback:1",), platform_admins_are_admins=True)
    channel = LoopbackChannel(capabilities=WORKSPACE)
    channel.roles[GROUP, "9"] = channel.roles["9", "9"] = "admin"
    async with Dialogue(ScriptedModel(), config=config, channel=channel) as dialogue:
        places: tuple[tuple[str, ChatKind], ...] = (("9", "private"), (GROUP, "group"))
        for chat, kind in places:
            message = channel.message("/config", user="9", chat=chat, kind=kind)
            guest = replace(message.sender, is_guest=True)
            await dialogue.together(replace(message, sender=guest))

    assert not any("**Settings**" in post.text for post in channel.posts)
    assert 0 == channel.asked_roles
