"""What is told in chats whose people did not just write is in the language of those chats."""

from dataclasses import replace

import pytest

from bot.config import Config
from bot.core.chat import Capabilities
from bot.core.lifecycle import UNKNOWN_FATE
from bot.errors import DeliveryError
from bot.languages import LANGUAGES, Language, gettext, speaking
from bot.runtime import notices
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import passes

ADMIN, STRANGER = "1", "2002"
BUTTONS = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True)
KEPT_S = 10.0


def talking(model: ScriptedModel | None = None, **settings: object) -> Dialogue:
    config = Config(admins=("loopback:1",)).model_copy(update=settings)
    return Dialogue(
        model or ScriptedModel([]),
        config=config,
        store=InMemoryStore(),
        channel=LoopbackChannel(capabilities=BUTTONS),
    )


async def says(dialogue: Dialogue, text: str, *, user: str, language: str = "") -> str:
    """Let somebody write in their private chat; give what stands there last."""
    event = dialogue.channel.message(text, user=user, chat=user)
    sender = replace(event.sender, language=language)
    await dialogue.together(replace(event, sender=sender))
    return dialogue.channel.texts(user)[-1]


@pytest.mark.parametrize(
    ("tag", "setting", "read_by_stranger", "read_by_admin"),
    [
        ("zh-hans", "auto", "这是私人机器人", "wants to talk to me"),
        ("zh-hans", "ja", "これは個人用のボット", "私との会話を希望しています"),
        ("ja", "zh", "这是私人机器人", "想和我对话"),
        ("de", "auto", "This is a private bot", "wants to talk to me"),
    ],
)
async def test_a_stranger_and_the_admins_read_each_in_their_language(
    tag: str, setting: str, read_by_stranger: str, read_by_admin: str
) -> None:
    async with talking(language=setting) as dialogue:
        await says(dialogue, "/help", user=ADMIN)
        answer = await says(dialogue, "Hello", user=STRANGER, language=tag)
        asked = dialogue.channel.texts(ADMIN)[-1]

        assert read_by_stranger in answer
        assert f"loopback:{STRANGER}" in answer
        assert read_by_admin in asked


async def test_each_admin_is_asked_in_the_language_of_their_chat() -> None:
    async with talking() as dialogue:
        await says(dialogue, "/config language zh --here", user=ADMIN)
        await says(dialogue, "Hello", user=STRANGER, language="ja")
        asked = dialogue.channel.texts(ADMIN)[-1]
        await dialogue.presses("允许", chat=ADMIN, user=ADMIN)

        assert "想和我对话" in asked
        assert "ご利用いただける" in dialogue.channel.texts(STRANGER)[-1]
        assert "现在可以和我对话了" in "\n".join(dialogue.channel.texts(ADMIN))


@pytest.mark.parametrize(
    ("tag", "receipt"),
    [("zh", "**已忘记**："), ("ja", "**忘れました**："), ("de", "**Forgotten:** ")],  # noqa: RUF001
)
async def test_the_receipt_of_what_was_forgotten_is_in_the_language_of_who_asked(
    tag: str, receipt: str
) -> None:
    model = ScriptedModel(["An answer."])
    async with talking(model, access="open") as dialogue:
        await says(dialogue, "I keep bees", user=STRANGER, language=tag)
        await says(dialogue, "/memory forget all", user=STRANGER, language=tag)
        press = dialogue.channel.press(
            dialogue.channel.posts[-1].buttons[0].label, chat=STRANGER, user=STRANGER
        )
        await dialogue.together(replace(press, sender=replace(press.sender, language=tag)))
        await passes(dialogue, KEPT_S)

        assert dialogue.channel.texts(STRANGER)[-1].startswith(receipt)


@pytest.mark.parametrize(
    ("tag", "told"),
    [("zh", "有一条回答未能送达：too odd"), ("ja", "回答を届けられませんでした：too odd")],  # noqa: RUF001
)
async def test_who_asked_reads_in_their_language_that_the_answer_did_not_arrive(
    tag: str, told: str
) -> None:
    async with talking(ScriptedModel(["An answer."]), access="open") as dialogue:
        dialogue.channel.failures.append(DeliveryError("too odd", can_retry=False))
        text = await says(dialogue, "Hello", user=STRANGER, language=tag)

        assert text.startswith(told)


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_nothing_arrived_is_said_with_the_platforms_own_words(language: Language) -> None:
    with speaking(language):
        said = notices.for_undelivered(f"{UNKNOWN_FATE} (no answer in time)")
        own = notices.for_undelivered("chat not found.")

        assert f"{gettext(UNKNOWN_FATE)} (no answer in time)" in said
        assert "chat not found" in own
        assert "." not in own.partition("found")[2].partition("`")[0].strip()[1:]
    assert (language == "en") == (UNKNOWN_FATE in said)
