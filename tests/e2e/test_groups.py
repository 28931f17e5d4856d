"""Groups: allowed as a whole, refused, listening to all or to nothing, steered by their admins."""

from dataclasses import replace

import pytest

from bot.app import Store
from bot.config import Config
from bot.core.chat import BotStanding, Capabilities, ChatAddress, InboundMessage, Sender, Standing
from bot.core.window.notes import words_of
from bot.errors import DeliveryError
from bot.runtime.commands.groups import ALLOWED, ALLOWED_ALREADY, ASKED, REFUSED, UNKNOWN
from bot.runtime.platform_roles import PATIENCE_S
from bot.testing.clock import START, FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import OpenStore

ADMIN, BOB, CHAIR = "1", "2002", "3003"
GROUP = "-100"
BUTTONS = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True)
CONFIG = Config(admins=(f"loopback:{ADMIN}",))


def replace_config(**keys: object) -> Config:
    return Config.model_validate({**CONFIG.model_dump(exclude={"channels"}), **keys})


class Scene:
    """A bot with an admin, and a group with Bob and its chair in it."""

    def __init__(self, store: Store | None = None, config: Config = CONFIG) -> None:
        self.config = config
        self.channel = LoopbackChannel(capabilities=BUTTONS)
        self.clock = FakeClock()
        self.model = ScriptedModel(["An answer."] * 9)
        self.dialogue = self._dialogue(store or InMemoryStore())

    async def __aenter__(self) -> "Scene":
        await self.dialogue.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.dialogue.__aexit__(None, None, None)

    async def restart(self, store: Store) -> None:
        await self.dialogue.crash()
        self.dialogue = self._dialogue(store)
        await self.dialogue.__aenter__()

    def message(self, text: str, user: str, **how: bool) -> InboundMessage:
        event = self.channel.message(text, user=user, chat=GROUP, kind="group")
        return replace(event, **how)  # type: ignore[arg-type]  # two of its fields, both bool

    async def says(self, text: str, *, user: str = BOB, **how: bool) -> list[str]:
        """Say something in the group, to the bot unless ``how`` says otherwise."""
        before = len(self.group)
        await self.dialogue.together(self.message(text, user, **how))
        return self.group[before:]

    async def adds(self, user: str, standing: Standing = "member", title: str = "Family") -> None:
        """Let the bot's standing in the group change."""
        event = BotStanding(
            event_id=f"standing:{user}:{standing}:{title}:{len(self.channel.posts)}",
            address=ChatAddress(channel="loopback", account="bot", chat=GROUP),
            kind="group",
            by=Sender(channel="loopback", user_id=user, name=f"Person {user}"),
            standing=standing,
            title=title,
            changed_at=START,
        )
        await self.dialogue.together(event)

    async def tells(self, text: str) -> list[str]:
        """Let the admin write in private."""
        return await self.dialogue.says(text, chat=ADMIN, user=ADMIN)

    async def presses(self, label: str, user: str) -> None:
        await self.dialogue.presses(label, chat=GROUP, user=user, kind="group")

    @property
    def group(self) -> list[str]:
        return self.channel.texts(GROUP)

    def _dialogue(self, store: Store) -> Dialogue:
        return Dialogue(
            self.model, config=self.config, store=store, channel=self.channel, clock=self.clock
        )


async def test_added_by_an_admin_it_is_allowed_at_once(open_store: OpenStore) -> None:
    async with Scene(open_store()) as scene:
        await scene.adds(ADMIN)
        assert [ALLOWED] == scene.group
        assert ["An answer."] == await scene.says("hello")
        await scene.restart(open_store())
        assert ["An answer."] == await scene.says("and now?")
        await scene.adds(ADMIN, "admin")  # made an admin of the group: nothing new

    assert 1 == scene.group.count(ALLOWED)


async def test_added_by_somebody_else_an_admin_is_asked_once(open_store: OpenStore) -> None:
    async with Scene(open_store()) as scene:
        await scene.tells("/help")
        await scene.adds(BOB)
        await scene.adds(BOB, "gone")
        await scene.adds(BOB, "member", title="Family!")
        silent = await scene.says("hello")
        await scene.presses("Allow this group", BOB)
        await scene.restart(open_store())
        await scene.presses("Allow this group", ADMIN)
        answered = await scene.says("hello")

    assert [] == silent
    assert [ALLOWED, "An answer."] == scene.group
    (post,) = (each for each in scene.channel.posts if each.text == ALLOWED)
    assert [ASKED] == post.history
    assert ["An answer."] == answered
    (notice,) = scene.channel.texts(ADMIN)[1:]
    assert "`Person 2002` (`loopback:2002`) has added me to the group `Family`" in notice


async def test_an_admin_who_adds_it_anew_allows_what_was_only_asked(open_store: OpenStore) -> None:
    async with Scene(open_store()) as scene:
        await scene.adds(BOB)
        await scene.adds(BOB, "gone")
        await scene.adds(ADMIN)

        assert ["An answer."] == await scene.says("hello")
    assert [ASKED, ALLOWED, "An answer."] == scene.group


async def test_an_admin_who_adds_it_anew_leaves_what_was_refused() -> None:
    async with Scene() as scene:
        await scene.says("/disallow", user=ADMIN)
        await scene.adds(ADMIN)

        assert [] == await scene.says("hello")


async def test_an_admin_allows_it_from_afar() -> None:
    async with Scene() as scene:
        await scene.tells("/help")
        await scene.adds(BOB)
        await scene.dialogue.presses("Allow", chat=ADMIN, user=ADMIN)
        answered = await scene.says("hello")
        (listed,) = await scene.tells("/allow")

    assert [ASKED, ALLOWED, "An answer."] == scene.group
    assert ["An answer."] == answered
    assert "- `Family`, allowed: `/disallow loopback:bot:-100:`" in listed


async def test_a_question_that_was_answered_elsewhere_says_so_when_it_is_pressed() -> None:
    async with Scene() as scene:
        await scene.tells("/help")
        await scene.adds(BOB)
        await scene.dialogue.presses("Allow", chat=ADMIN, user=ADMIN)
        await scene.presses("Allow this group", ADMIN)
        assert [ALLOWED_ALREADY] == await scene.says("/allow", user=CHAIR)
        (again,) = await scene.tells("/allow loopback:bot:-100:")

    assert scene.group == [ALLOWED_ALREADY, ALLOWED, ALLOWED_ALREADY]
    assert "The group `Family` is allowed already." == again


async def test_a_group_goes_by_the_id_that_people_know() -> None:
    async with Scene() as scene:
        await scene.tells("/help")
        await scene.adds(BOB)
        wishes = ("/allow", f"/allow {GROUP}", "/allow -1")
        listed, *done = [(await scene.tells(each))[0] for each in wishes]

    assert "- `Family`, not allowed yet: `/allow loopback:bot:-100:`, `/disallow loop" in listed
    assert ["The group `Family` is allowed now.", UNKNOWN] == done


async def test_the_first_owner_reads_of_groups_that_wait() -> None:
    async with Scene(config=Config()) as scene:
        await scene.adds(BOB)
        (line,) = (line for line in scene.dialogue.announced if "/claim" in line)
        (told,) = await scene.tells(f"/claim {line.partition('/claim ')[2].split()[0]}")

    assert told.endswith(" 1 group waits to be allowed: `/allow` lists them.")


async def test_a_refused_group_hears_nothing_whoever_speaks() -> None:
    async with Scene(config=replace_config(allow=(f"loopback:{CHAIR}",))) as scene:
        await scene.says("/allow", user=ADMIN)
        (refused,) = await scene.says("/disallow", user=ADMIN)
        scene.channel.roles[GROUP, BOB] = "admin"
        for user in (BOB, CHAIR, ADMIN):
            assert [] == await scene.says("hello", user=user)
        for text in ("/help", "/config group_mode all --here", "/allow"):
            assert [] == await scene.says(text, user=BOB)
        await scene.adds(BOB, "gone")
        await scene.adds(BOB)
        (allowed,) = await scene.says("/allow", user=ADMIN)

    assert REFUSED == refused
    assert ALLOWED == allowed
    assert [] == scene.model.requests


async def test_in_a_group_not_allowed_only_those_let_in_are_answered() -> None:
    async with Scene(config=replace_config(allow=(f"loopback:{CHAIR}",))) as scene:
        assert [] == await scene.says("hello", user=BOB)
        assert ["An answer."] == await scene.says("hello", user=CHAIR)
        assert ["An answer."] == await scene.says("hello", user=ADMIN)
        assert [ASKED] == await scene.says("/allow", user=CHAIR)
        await scene.presses("Allow this group", CHAIR)
        assert [] == await scene.says("hello", user=BOB)
        await scene.presses("Allow this group", ADMIN)
        assert ["An answer."] == await scene.says("hello", user=BOB)


async def test_who_is_refused_is_not_heard_in_a_group_either() -> None:
    async with Scene() as scene:
        await scene.says("/allow", user=ADMIN)
        await scene.tells(f"/unpair loopback:{BOB}")

        assert [] == await scene.says("hello", user=BOB)
        assert ["An answer."] == await scene.says("hello", user=CHAIR)


async def test_a_group_of_an_open_bot_is_asked_nothing() -> None:
    async with Scene(config=replace_config(access="open")) as scene:
        await scene.adds(BOB)

        assert [] == scene.group
        assert ["An answer."] == await scene.says("hello")


async def test_a_group_that_listens_to_all() -> None:
    async with Scene() as scene:
        await scene.says("/allow", user=ADMIN)
        assert [] == await scene.says("lunch?", is_addressed=False, is_named=False)
        await scene.says("/config group_mode all --here", user=ADMIN)
        assert ["An answer."] == await scene.says(
            "lunch at noon, password: hunter22x?", is_addressed=False, is_named=False
        )
        assert [] == await scene.says("/ban@other_bot", is_addressed=False, is_named=False)
        assert [] == await scene.says("/ban", is_named=False)
        await scene.says("/config group_mode default --here", user=ADMIN)
        assert [] == await scene.says("lunch?", is_addressed=False, is_named=False)

    (request,) = scene.model.requests
    (words,) = words_of(request.messages[-1])
    assert words.startswith("Person 2002#2002: lunch at noon, password: [redacted:")


async def test_listening_to_all_opens_no_group() -> None:
    async with Scene(config=replace_config(group_mode="all")) as scene:
        assert [] == await scene.says("lunch?", is_addressed=False)
        assert [] == await scene.says("lunch?", user=ADMIN, is_addressed=False)


async def test_a_group_that_is_off_hears_its_admins_commands() -> None:
    async with Scene() as scene:
        scene.channel.roles[GROUP, CHAIR] = "admin"
        await scene.says("/allow", user=ADMIN)
        await scene.says("/config group_mode off --here", user=CHAIR)
        for user in (BOB, CHAIR, ADMIN):
            assert [] == await scene.says("hello", user=user)
        for text in ("/help", "/config", "/status", "/config group_mode all --here"):
            assert [] == await scene.says(text, user=BOB)
        assert 1 == len(await scene.says("/status", user=ADMIN))
        (back,) = await scene.says("/config group_mode mention --here", user=CHAIR)
        answered = await scene.says("hello")

    assert "`off` → `mention`, for this chat" in back
    assert ["An answer."] == answered


async def test_a_mode_holds_in_all_threads_and_outlives_the_conversation() -> None:
    async with Scene() as scene:
        await scene.says("/allow", user=ADMIN)
        event = scene.message("/config group_mode off --here", ADMIN)
        in_a_thread = replace(event, address=replace(event.address, thread="7"))
        await scene.dialogue.together(in_a_thread)
        assert [] == await scene.says("hello")
        settings = scene.dialogue.app._agent.settings
        settings.forget(event.address.session_key)
        assert [] == await scene.says("hello")
        undo = replace(scene.message("/config undo --here", ADMIN), address=in_a_thread.address)
        await scene.dialogue.together(undo)

        assert ["An answer."] == await scene.says("hello")


async def test_admins_of_a_group_steer_it_there_and_nowhere_else() -> None:
    async with Scene() as scene:
        scene.channel.roles[GROUP, CHAIR] = "admin"
        await scene.says("/allow", user=ADMIN)
        (here,) = await scene.says("/config agent_max_steps 3 --here", user=CHAIR)
        (everywhere,) = await scene.says("/config agent_max_steps 4", user=CHAIR)
        (undo,) = await scene.says("/config undo", user=CHAIR)
        (shown,) = await scene.says("/config agent_max_steps", user=CHAIR)
        (cleared,) = await scene.says("/new", user=CHAIR)
        (others,) = await scene.says("/config agent_max_steps 5 --here", user=BOB)
        (not_new,) = await scene.says("/new", user=BOB)
        (help_of_bob,) = await scene.says("/help", user=BOB)
        (help_of_chair,) = await scene.says("/help", user=CHAIR)
        (paired,) = await scene.says("/pair loopback:5", user=CHAIR)

    assert "`15` → `3`, for this chat" in here
    assert "Only the bot's admins" in everywhere
    assert "Only the bot's admins" in undo
    assert "is `3` (set for this chat)" in shown
    assert "A new conversation begins" in cleared
    assert "`/config` is for the bot's admins." == others
    assert "only admins can do that" in not_new
    assert not any(f"`/{name}`" in help_of_bob for name in ("new", "compact", "config", "claim"))
    assert all(f"`/{name}`" in help_of_chair for name in ("new", "compact", "config"))
    assert "`/pair` is for the bot's admins." == paired


async def test_the_operator_may_leave_admins_of_groups_no_say() -> None:
    async with Scene(config=replace_config(group_admins_may_configure=False)) as scene:
        scene.channel.roles[GROUP, CHAIR] = "admin"
        await scene.says("/allow", user=ADMIN)
        (refused,) = await scene.says("/config agent_max_steps 3 --here", user=CHAIR)

    assert "`/config` is for the bot's admins." == refused
    assert 0 == scene.channel.asked_roles


async def test_an_unnamed_admin_of_the_group_may_steer_it_and_no_more() -> None:
    async with Scene() as scene:
        scene.channel.roles[GROUP, f"chat:{GROUP}"] = "admin"
        await scene.says("/allow", user=ADMIN)
        event = scene.message("/config agent_max_steps 3 --here", f"chat:{GROUP}")
        event = replace(event, sender=replace(event.sender, is_person=False))
        await scene.dialogue.together(event)
        told = scene.group[-1]
        await scene.dialogue.together(replace(event, event_id="x", text="/disallow"))

    assert "`15` → `3`" in told
    assert "`/disallow` is for the bot's admins." == scene.group[-1]


async def test_roles_are_asked_for_only_where_they_count() -> None:
    async with Scene() as scene:
        await scene.says("/allow", user=ADMIN)
        await scene.says("hello")
        await scene.says("/status")
        await scene.says("/config agent_max_steps 3", user=ADMIN)

    assert 0 == scene.channel.asked_roles


async def test_a_platform_that_does_not_say_gives_no_rights() -> None:
    async with Scene() as scene:
        scene.channel.roles[GROUP, CHAIR] = "admin"
        scene.channel.role_failures.append(DeliveryError("not now"))
        await scene.says("/allow", user=ADMIN)
        (refused,) = await scene.says("/config agent_max_steps 3 --here", user=CHAIR)
        (done,) = await scene.says("/config agent_max_steps 3 --here", user=CHAIR)

    assert "`/config` is for the bot's admins." == refused
    assert "`15` → `3`" in done
    assert 2.0 == PATIENCE_S


@pytest.mark.parametrize(
    ("counts", "has_workspaces", "role", "answer"),
    [
        (True, True, "admin", "**Settings**"),
        (True, True, "member", "Your code is"),
        (True, False, "admin", "Your code is"),
        (False, True, "admin", "Your code is"),
    ],
)
async def test_admins_of_a_workspace(
    counts: bool, has_workspaces: bool, role: str, answer: str
) -> None:
    config = replace_config(platform_admins_are_admins=counts)
    channel = LoopbackChannel(capabilities=replace(BUTTONS, has_workspace_roles=has_workspaces))
    channel.roles["9", "9"] = "admin" if role == "admin" else "member"
    async with Dialogue(ScriptedModel(), config=config, channel=channel) as dialogue:
        (told,) = await dialogue.says("/config", chat="9", user="9")
        await dialogue.says("/config", chat="9", user="9")

    assert answer in told
    assert (1 if counts and has_workspaces else 0) == channel.asked_roles


async def test_who_leaves_is_not_written_to(open_store: OpenStore) -> None:
    async with Scene(open_store()) as scene:
        await scene.says("/allow", user=ADMIN)
        await scene.adds(BOB, "gone")
        kicked = DeliveryError("bot was kicked", can_retry=False)
        scene.channel.failures.extend([kicked, kicked])  # the answer, and the word about it
        assert [] == await scene.says("hello")
        await scene.adds(BOB)

        assert ["An answer."] == await scene.says("hello")
