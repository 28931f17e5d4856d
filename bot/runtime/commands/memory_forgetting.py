"""``/memory forget``: what would go is shown first, and goes once that is confirmed."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.memory.audience import Viewer
from bot.core.memory.forgetting import ReceiptPlace
from bot.languages import gettext, gettext_noop, spoken
from bot.ports import Choice, CommandAnswer, CommandContext
from bot.runtime.commands.memory_pages import proposed
from bot.runtime.forgetting import Forgetting

EVERYONE = "everyone"
"""Behind ``forget``: of a group, whoever said it."""

HOW_TO_FORGET = gettext_noop(
    "Say what: `/memory forget f12` is a fact, `/memory forget 2026-11-30` a day, `/memory forget "
    "WORDS` what has to do with them, `/memory forget all` everything of yours."
)
BEGUN = gettext_noop(
    "I am forgetting that. I tell you here what was removed, once nothing of it is left."
)
KEPT = gettext_noop("Nothing was forgotten.")
NOTHING_MEANT = gettext_noop("Nothing of yours that is remembered has to do with that.")
NOT_FOR_ALL = gettext_noop(
    "Only an admin of mine has forgotten what others said; `/memory forget` alone is about what "
    "you said."
)
ONLY_IN_GROUPS = gettext_noop("`/memory forget everyone` is for groups: here everything is yours.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgettingTalk:
    """Proposes what a wish means, and has it carried out when its person says so.

    Attributes:
        chat_admins_may: Whether admins of a group speak for all that was said there.
    """

    forgetting: Forgetting
    chat_admins_may: bool = False

    async def forget(
        self, words: str, viewer: Viewer, context: CommandContext
    ) -> str | CommandAnswer:
        """Propose what words mean; the token of a proposal confirms it."""
        prefix, what, of_everyone = "memory forget", words, is_of_everyone(words)
        if of_everyone:
            prefix, what = f"{prefix} {EVERYONE}", words[len(EVERYONE) :].strip() or "all"
            if viewer.audience.kind == "private":
                return gettext(ONLY_IN_GROUPS)
            if not self._may_speak_for_all(context):
                return gettext(NOT_FOR_ALL)
        if not what:
            return gettext(HOW_TO_FORGET)
        if " " not in what and await self.forgetting.confirm(
            viewer, what, _place(context), may_speak_for_all=self._may_speak_for_all(context)
        ):
            return gettext(BEGUN)
        proposal = await self.forgetting.propose(viewer, what, of_everyone=of_everyone)
        if proposal is None:
            return gettext(HOW_TO_FORGET)
        if proposal.is_empty:
            return gettext(NOTHING_MEANT)
        return CommandAnswer(
            text=proposed(proposal),
            choices=(
                Choice(label=gettext("Forget"), command=f"{prefix} {proposal.token}"),
                Choice(label=gettext("Keep"), command=f"memory keep {proposal.token}"),
            ),
        )

    def _may_speak_for_all(self, context: CommandContext) -> bool:
        return context.is_admin or (context.is_chat_admin and self.chat_admins_may)

    async def keep(self, words: str, viewer: Viewer) -> str:
        """Drop a proposal."""
        await self.forgetting.cancel(viewer, words)
        return gettext(KEPT)


def is_of_everyone(words: str) -> bool:
    """Say whether what all in a group said is meant."""
    return words.lower().split(maxsplit=1)[:1] == [EVERYONE]


def _place(context: CommandContext) -> ReceiptPlace:
    """Say where the receipt goes: to who asked, and alone to them in a group too."""
    message = context.message
    for_person = message.sender.user_id if message.kind == "group" else ""
    return ReceiptPlace(address=message.address, for_person=for_person, language=spoken())
