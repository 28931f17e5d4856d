"""What an event is to the bot: nothing, something for the model, a command, or somebody to greet.

Nothing here waits or is stored: it is asked before an event is written down, so that what is not
for the bot leaves no trace. What the bot says unasked answers a command without a name: a greeting,
whose message has no id, since nobody wrote ``/start`` or what they wrote is not to be kept; or that
a message could not be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.core.access import Decision
from bot.core.chat import BotStanding, InboundMessage, PersonKey
from bot.core.commands import ENDS, PREFIX, CommandCall, parse_command
from bot.core.lifecycle import Route
from bot.ports import Channel
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands import CommandTable
from bot.runtime.pairing import Pairings

_START = "start"
_CLAIM = "claim"
_GREETING = CommandCall(name="", arguments="")
_UNREAD = CommandCall(name="", arguments="unread")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message that is for the bot.

    Attributes:
        message: As it is to be stored.
        decision: What its sender may do.
        call: The command that it is, None when it is for the model.
        is_for_chat_admins: It is answered only if its sender turns out to be an admin of the group.
    """

    message: InboundMessage
    decision: Decision
    call: CommandCall | None
    is_for_chat_admins: bool = False


class Listener:
    """Tells what is for the bot."""

    def __init__(
        self,
        gate: AccessGate,
        pairings: Pairings,
        commands: CommandTable,
        channels: Mapping[str, Channel],
    ) -> None:
        self._gate = gate
        self._pairings = pairings
        self._commands = commands
        self._channels = channels

    def passes_over(self, message: InboundMessage) -> bool:
        """Say at once that a message is not for the bot: most of what a group says."""
        return not message.is_addressed and not self._gate.overhears(message)

    def would_hear(self, message: InboundMessage) -> bool:
        """Say whether a message of a group would be answered, had it been said to the bot."""
        said = replace(message, is_addressed=True)
        return self._gate.hear(said, self._decide(message), is_command=False) == "heard"

    def gives_command(self, message: InboundMessage) -> bool:
        """Say whether a message is a command of the bot's, whoever may give it."""
        return self._read_command(message) is not None

    def hear(self, message: InboundMessage) -> Heard | None:
        """Tell what a new message is; None when it is not for the bot.

        That a stranger is greeted, or heard with a claim, counts as done; :meth:`unhear` takes it
        back.
        """
        heard = self._hear(message)
        if heard is not None:
            is_heard = not _claims(heard) or self._gate.claims.is_to_be_heard(_person(heard))
            return heard if is_heard else None
        if self._decide(message) != "stranger":
            return None
        if not self._pairings.is_to_be_told(message.sender.person_key):
            return None
        return Heard(message=_nameless(message), decision="stranger", call=_GREETING)

    def unhear(self, heard: Heard) -> None:
        """Take back what was noted of a message that could not be stored."""
        if heard.call == _GREETING:
            self._pairings.forget_told(_person(heard))
        elif _claims(heard):
            self._gate.claims.forget(_person(heard))

    def hear_again(self, message: InboundMessage) -> Heard | None:
        """Tell what a stored command is now; None when its sender may not give it any more."""
        if not message.message_id:
            return self._hear_greeting_again(message)
        heard = self._hear(message)
        if heard is None or heard.call is not None:
            return heard
        # It was one when it was stored; no turn ever takes it.
        return replace(heard, call=self._parse(message) or _as_word(message))

    def hear_change(self, message: InboundMessage) -> Route | None:
        """Tell what a changed message would be, were it a new one; None when it changes nothing.

        That is so for people who are not let in, and for what has become a command: those are given
        by writing them.
        """
        if self._decide(message) in ("stranger", "silent") or self._read_command(message):
            return None
        return "none" if self._hear(message) is None else "turn"

    def hear_standing(self, standing: BotStanding) -> Heard | None:
        """Greet a group that the bot was added to; None when nothing is to be said.

        A group is asked about once, however often the bot comes and goes; an admin who adds it
        allows a group that is not decided on.
        """
        is_there = standing.kind == "group" and standing.standing in ("member", "admin")
        place = self._gate.place_of(standing.address)
        if not is_there or (place is not None and place.state != "asked"):
            return None
        decision = self._gate.decide(standing.by, standing.kind, standing.address)
        if decision != "admin" and (place is not None or self._gate.is_open):
            return None
        message = InboundMessage(
            event_id=standing.event_id,
            address=standing.address,
            kind=standing.kind,
            sender=standing.by,
            message_id="",
            text=standing.title,
            is_addressed=True,
            sent_at=standing.changed_at,
        )
        return Heard(message=message, decision=decision, call=_GREETING)

    def _hear_greeting_again(self, message: InboundMessage) -> Heard | None:
        """Greet a group, or a stranger; who was let in or refused meanwhile is none any more."""
        decision, call = self._decide(message), _GREETING
        if message.kind == "private" and decision != "stranger":
            if decision == "silent":
                return None
            call = CommandCall(name=_START, arguments="")
        return Heard(message=message, decision=decision, call=call)

    def _hear(self, message: InboundMessage) -> Heard | None:
        """Tell what a message of somebody who is let in is, or of somebody who claims the bot."""
        decision, call = self._decide(message), self._read_command(message)
        if decision in ("stranger", "silent"):
            claims = call is not None and call.name == _CLAIM and message.kind == "private"
            if not claims or not self._gate.claims.awaits_owner:
                return None
            return Heard(message=message, decision=decision, call=call)
        exclaims = call is None and self._exclaims(message)
        is_command = not exclaims and (call is not None or self._parse(message) is not None)
        is_to_us = message.is_addressed and (message.is_named or not exclaims)
        said = replace(message, is_addressed=is_to_us)
        hearing = self._gate.hear(said, decision, is_command=is_command)
        if hearing == "unheard":
            return None
        if message.is_unread:
            return Heard(message=message, decision=decision, call=_UNREAD)
        if hearing == "if_chat_admin":
            if call is None or not self._commands.heeds_chat_admins(call):
                return None
            return Heard(message=message, decision=decision, call=call, is_for_chat_admins=True)
        if call is None and (self._is_foreign(said) or self._is_start(message)):
            return None
        return Heard(message=message, decision=decision, call=call)

    def _decide(self, message: InboundMessage) -> Decision:
        return self._gate.decide(message.sender, message.kind, message.address)

    def _parse(self, message: InboundMessage) -> CommandCall | None:
        """Read a message as a command, of whichever bot; what others said is passed on, not given.

        Who passes it on may do more than whoever wrote it.
        """
        if message.forwarded_from:
            return None
        prefix = self._channels[message.address.channel].capabilities.command_prefix
        return parse_command(message.text, prefix=prefix)

    def _read_command(self, message: InboundMessage) -> CommandCall | None:
        """Read a message as a command of ours; None when it is none, or another bot's."""
        call = self._parse(message)
        if message.forwarded_from or (call is not None and call.bot):
            return None
        if call is None:
            # "@bot stop" is a command as well, in a group, where the mention stands for the slash.
            # Without one, "new" is an answer to what the bot asked.
            word = _as_word(message)
            is_called = message.is_named and not message.is_follow_up
            is_one = message.kind == "group" and is_called and self._commands.knows(word)
            return word if is_one and word.name != _START else None
        if call.name == _START:
            return _started(call) if message.kind == "private" else None
        if self._commands.knows(call):
            return call
        if message.text.startswith(PREFIX):
            return call if message.is_named else None
        # "!important" is no slip of a command, and where nobody listens to it nothing is.
        is_listened_to = message.is_named or self._gate.overhears(message)
        return call if is_listened_to and self._commands.nearest(call.name) else None

    def _exclaims(self, message: InboundMessage) -> bool:
        """Tell words that begin as commands do on a platform, and are none: ``!important``."""
        call = self._parse(message)
        return call is not None and not call.bot and not message.text.startswith(PREFIX)

    def _is_foreign(self, message: InboundMessage) -> bool:
        """Tell what is some other bot's; in a private chat there is none."""
        if message.is_addressed and not message.is_named:
            return True
        call = self._parse(message)
        return message.kind == "group" and call is not None and bool(call.bot)

    def _is_start(self, message: InboundMessage) -> bool:
        """Tell what Telegram sends by itself when a bot is added to a group by a link."""
        call = self._parse(message)
        return call is not None and call.name == _START


def _started(call: CommandCall) -> CommandCall:
    """Read ``/start CODE``, which Telegram's links send, as the claim that it is."""
    return CommandCall(name=_CLAIM, arguments=call.arguments) if call.arguments else call


def _claims(heard: Heard) -> bool:
    """Tell the claim of somebody not let in; of theirs nothing else but a greeting is heard."""
    return heard.decision in ("stranger", "silent") and heard.call != _GREETING


def _person(heard: Heard) -> PersonKey:
    return heard.message.sender.person_key


def _nameless(message: InboundMessage) -> InboundMessage:
    """Keep of a stranger's message that it came, and nothing of what it says."""
    return InboundMessage(
        event_id=message.event_id,
        address=message.address,
        kind=message.kind,
        sender=message.sender,
        message_id="",
        text="",
        is_addressed=message.is_addressed,
        sent_at=message.sent_at,
    )


def _as_word(message: InboundMessage) -> CommandCall:
    return CommandCall(name=message.text.strip().rstrip(ENDS).lower(), arguments="")
