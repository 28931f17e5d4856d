"""The port through which a plugin reaches the bot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import Protocol, TypeVar, overload

from bot.core.chat import ChatKind, InboundMessage, Sender, SessionKey
from bot.core.files import OutgoingFile
from bot.core.memory.facts import FactTopic
from bot.core.memory.items import ItemKind
from bot.core.memory.recalled import Recalled
from bot.core.reminders import Reminder, ReminderWish, ZoneName
from bot.core.tasks import TaskState
from bot.core.turns import TurnId
from bot.ports.attachments import Transcriber
from bot.ports.world import Clock, Fetcher


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """On whose behalf a tool runs; a tool that wants it names a parameter of this type.

    Attributes:
        sender: Who wrote last in the turn.
        speakers: All who wrote in it, each once, in the order of their first message.
    """

    session_key: SessionKey
    turn_id: TurnId
    kind: ChatKind
    sender: Sender
    call_id: str
    speakers: tuple[Sender, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext:
    """A command as it was given.

    Attributes:
        arguments: What stands behind its name, stripped.
        is_chat_admin: Who gave it is an admin of the group by the platform's own rules, and these
            may steer the bot there; asked for those commands only that have a use for it.
        has_buttons: Choices of the answer are shown as buttons; elsewhere as what to write.
        sends_files: A file of the answer is sent as one; elsewhere its text is shown.
        is_unseen: It was given in a group, and who gave it alone is shown the answer.
    """

    arguments: str
    message: InboundMessage
    is_admin: bool
    is_chat_admin: bool = False
    has_buttons: bool = False
    sends_files: bool = False
    is_unseen: bool = False


MOST_CHOICES = 8
"""Below one message: more is a list to be read, and a phone shows no more without scrolling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A command that an answer offers to be given by pressing, once and within a day.

    Whether somebody may give it is asked anew when it is pressed.

    Attributes:
        label: A word or two.
        command: Without its prefix, ``context clear --yes``.
        for_anyone: Not only for who gave the command that is answered.
    """

    label: str
    command: str
    for_anyone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAnswer:
    """What a command answers beyond mere text: at most eight choices below it, a file behind it.

    ``text`` is CommonMark and may be empty where there is a file and no choice.
    """

    text: str
    choices: tuple[Choice, ...] = ()
    file: OutgoingFile | None = None

    def __post_init__(self) -> None:
        """Refuse what no platform could show.

        Raises:
            ValueError: There are too many choices, or nothing says what they are about.
        """
        if len(self.choices) > MOST_CHOICES:
            raise ValueError(f"{len(self.choices)} choices, and {MOST_CHOICES} may be shown")
        if self.choices and not self.text.strip():
            raise ValueError("choices need a text above them")


Tool = TypeVar("Tool", bound=Callable[..., Awaitable[str]])


CommandHandler = Callable[[CommandContext], Awaitable[str | CommandAnswer]]


class ChatRecords(Protocol):
    """What a tool may see and note of the very chat it runs in, and of no other.

    ``tool_output`` gives the whole result of a call of this chat, None when there is none;
    ``task`` and ``note_task`` the state of its task. A turn that was cleared while it ran notes
    nothing any more: then ``note_task`` raises ToolError, whose text tells the model so.
    ``send_file`` has a file sent behind the answer of the turn: the same name from the same call
    takes the earlier one's place, so that a tool that calls it may be safe to repeat. It raises
    ToolError for more than :data:`~bot.core.files.MOST_FILE_BYTES`, for nothing at all, and for
    more than :data:`~bot.core.files.MOST_FILES_A_TURN` files.
    """

    async def tool_output(self, context: ToolContext, call_id: str) -> str | None: ...
    async def task(self, context: ToolContext) -> TaskState | None: ...
    async def note_task(self, context: ToolContext, task: TaskState | None) -> None: ...
    async def send_file(
        self, context: ToolContext, name: str, content: bytes, media_type: str
    ) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a tool wants remembered.

    Attributes:
        key: A few words under which a later value takes its place: ``home city``.
        was_asked: The person asked for it; what is only useful has to be of the kinds that are
            remembered without being asked.
        said_by: Who said it, as the model sees them named; empty where only one person wrote.
    """

    words: str
    key: str
    topic: FactTopic
    was_asked: bool
    said_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What came of it.

    Attributes:
        id: By which the fact can be got, and forgotten: ``f12``.
        words: The statement as it is kept.
        is_new: False where it was known, and is confirmed now.
        replaced: The statement that it took the place of, empty for none; ``replaced_on`` is the
            day on which that was said last.
    """

    id: str
    words: str
    is_new: bool
    replaced: str = ""
    replaced_on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPieces:
    """What a search of memory gave, best first; ``trouble`` is why there may be more, or empty."""

    pieces: tuple[Recalled, ...]
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetProposal:
    """What would be forgotten, in lines for people, once they confirm it by its token."""

    token: str
    lines: tuple[str, ...]


class MemoryRecords(Protocol):
    """What a tool may recall, for those who see the chat it runs in and nobody else.

    * ``search`` gives what words find, also what is hardly relevant; ``kinds`` empty is all kinds,
      ``person`` the name of who said it, empty for anybody.
    * ``get`` gives a whole turn, fact with its former values, or section of a file by the id of a
      piece of it; nothing for what is not there or may not be recalled here.
    * ``remember`` keeps a statement of a person about themselves.
    * ``propose_forgetting`` forgets nothing: the person has to confirm it.

    Raises:
        ToolError: It cannot or must not be done; the text says why, and what to do instead.
    """

    async def search(
        self,
        context: ToolContext,
        words: str,
        *,
        kinds: frozenset[ItemKind] = frozenset(),
        person: str = "",
    ) -> FoundPieces: ...
    async def get(self, context: ToolContext, item_id: str) -> tuple[Recalled, ...]: ...
    async def remember(self, context: ToolContext, statement: Statement) -> Remembered: ...
    async def propose_forgetting(self, context: ToolContext, what: str) -> ForgetProposal: ...


class Zones(Protocol):
    """The time zones that people live by.

    * ``of`` gives somebody's: as they chose, as their platform says, or that of the bot.
    * ``named`` gives one that was kept under its name.
    * ``find`` gives one by its IANA name; ToolError where there is none, with names that are near.
    * ``choose`` lets somebody live by one from now on; with None by what held before they chose.

    Raises:
        StoreError: It could not be kept.
    """

    def of(self, person: Sender, /) -> tzinfo: ...
    def named(self, name: ZoneName, /) -> tzinfo: ...
    async def find(self, name: str, /) -> tzinfo: ...
    async def choose(self, person: Sender, zone: tzinfo | None, /) -> None: ...


class ReminderRecords(Protocol):
    """What is told, or asked of the model, at moments to come: in the chat where that is wished.

    * ``add`` keeps one of who asks; the same call of a tool, or command, keeps no second one.
    * ``open`` gives what may be seen where it is asked, the first due first: in a private chat all
      of the person's own, in a group those of theirs that are told there, and its admins all.
    * ``cancel`` takes one of these away and gives it.

    Raises:
        ToolError: It cannot be done; the text says why, to people as well.
        StoreError: It could not be read, or not taken away.
    """

    async def add(self, context: ToolContext | CommandContext, wish: ReminderWish) -> Reminder: ...
    async def open(self, context: ToolContext | CommandContext) -> tuple[Reminder, ...]: ...
    async def cancel(self, context: ToolContext | CommandContext, number: int) -> Reminder: ...


class PluginAPI(Protocol):
    """All that a plugin can reach.

    ``tool`` offers an async function to the model: its name, docstring, annotations and defaults
    are the specification. ``safe_to_repeat`` says that running it twice does no harm, so that a
    turn cut by a crash may run it again. ``command`` offers ``/name`` to people; the handler's
    answer is CommonMark, or a :class:`CommandAnswer`. ``transcriber`` puts sound and video that
    came with messages into words, for the whole bot: there is one.
    """

    @property
    def clock(self) -> Clock: ...
    @property
    def timezone(self) -> tzinfo: ...
    @property
    def http(self) -> Fetcher: ...
    @property
    def chat(self) -> ChatRecords: ...
    @property
    def memory(self) -> MemoryRecords: ...
    @property
    def reminders(self) -> ReminderRecords: ...
    @property
    def zones(self) -> Zones: ...

    @overload
    def tool(self, function: Tool, /) -> Tool: ...
    @overload
    def tool(
        self,
        *,
        timeout_s: float = 60.0,
        max_chars: int = 50_000,
        safe_to_repeat: bool = False,
    ) -> Callable[[Tool], Tool]: ...
    def command(
        self, name: str, description: str
    ) -> Callable[[CommandHandler], CommandHandler]: ...
    def transcriber(self, function: Transcriber, /) -> Transcriber: ...
