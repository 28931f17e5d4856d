"""The terminal's screen: printed answers, below them the unfinished block, below it the prompt.

Printing is one synchronous step (erase the prompt, write, let it be drawn again), so that nothing
can come between, and never changes the terminal's mode, so that Ctrl-C stays a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output
from rich.console import Console, RenderableType
from rich.text import Text

from bot.api import Language, MenuEntry, gettext, gettext_noop, speaking
from channels.console.markdown import TerminalMarkdown, finished_part
from channels.console.text import without_controls

_HINT = gettext_noop("Ctrl-D leaves the chat; Alt-Enter begins a new line.")
_PROMPT = "> "
_PADDING = re.compile(r" +$", re.MULTILINE)


class CommandCompleter(Completer):
    """Completes the name of a command at the very beginning of what is entered.

    Attributes:
        entries: The commands.
        language: Says in which language they are described.
    """

    def __init__(self) -> None:
        self.entries: tuple[MenuEntry, ...] = ()
        self.language: Callable[[], Language] = lambda: "en"

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        """Give what may follow; what is there already stays as it was written."""
        begun = document.text_before_cursor
        for entry in self.entries:
            name = f"/{entry.name}"
            if begun.startswith("/") and name.startswith(begun.lower()):
                meaning = entry.described(self.language())
                yield Completion(name[len(begun) :], display=name, display_meta=meaning)


class Screen:
    """Reads texts and shows answers, each of which may grow through drafts first."""

    def __init__(self, source: Input | None = None, output: Output | None = None) -> None:
        self._on_interrupt: Callable[[], bool] = lambda: False
        self._is_busy = False
        self._draft_id = 0
        self._printed = ""  # the part of the running answer that is printed for good
        self._tail = ""  # the part of it that is shown above the prompt
        self._commands = CommandCompleter()
        self._session: PromptSession[str] = PromptSession(
            message=self._above_input,
            completer=self._commands,
            complete_while_typing=False,
            key_bindings=self._keys(),
            erase_when_done=True,
            input=source,
            output=output,
        )
        self._console = Console(force_terminal=True, highlight=False)

    async def read(self, on_interrupt: Callable[[], bool]) -> str | None:
        """Wait for the next entered text; None when the person leaves.

        Ctrl-C empties what is being entered. With nothing entered it calls ``on_interrupt``, which
        says whether there was something to interrupt.
        """
        self._on_interrupt = on_interrupt
        try:
            text = await self._session.prompt_async(
                set_exception_handler=False,  # the process has its own
                handle_sigint=False,  # the key is bound; a signal from outside is not for us
            )
        except EOFError:
            return None
        if text.strip():
            self._print(Text(_PROMPT, style="bold") + Text(without_controls(text)))
        return text

    def speak_in(self, language: Callable[[], Language]) -> None:
        """Let the screen's own words be in this language, asked for anew each time."""
        self._commands.language = language

    def complete_commands(self, entries: tuple[MenuEntry, ...]) -> None:
        """Complete the names of these commands when Tab is pressed."""
        self._commands.entries = entries

    def show_draft(self, draft_id: int, text: str) -> None:
        """Show an unfinished answer, all of it so far."""
        text = without_controls(text)
        if draft_id != self._draft_id or not text.startswith(self._printed):
            self._draft_id, self._printed = draft_id, ""
        rest = text.removeprefix(self._printed)
        finished = finished_part(rest)
        self._printed += finished
        self._tail = rest.removeprefix(finished)
        self._print_blocks(finished)

    def print_answer(self, text: str) -> None:
        """Print what is missing of a finished answer; all, if the drafts said something else."""
        rest = without_controls(text).removeprefix(self._printed)
        self._printed = self._tail = ""
        self._print_blocks(rest)

    def print_notice(self, text: str) -> None:
        """Print a word of the bot itself; a running answer goes on below it."""
        self._print(TerminalMarkdown(without_controls(text)), style="dim")

    def set_busy(self, is_busy: bool) -> None:
        """Say whether an answer is awaited; a draft that was never finished is printed then."""
        self._is_busy = is_busy
        if not is_busy:
            self.print_answer(self._printed + self._tail)

    def _print_blocks(self, markdown: str) -> None:
        if markdown.strip():
            self._print(TerminalMarkdown(markdown))
        else:
            self._session.app.invalidate()

    def _print(self, renderable: RenderableType, style: str = "none") -> None:
        app = self._session.app
        with self._console.capture() as capture:
            self._console.print(renderable, style=style, width=app.output.get_size().columns)
        # Rich pads lines to the screen's width: they would break when it becomes narrower.
        lines = _PADDING.sub("", capture.get()).strip("\n")
        if app.is_running:
            app.renderer.erase()
        app.output.write_raw(f"{lines}\n\n")
        app.output.flush()
        app.invalidate()

    def _above_input(self) -> StyleAndTextTuples:
        """Lay out the unfinished block and the prompt; called at each drawing."""
        shown = self._last_rows(self._tail) or ("…" if self._is_busy else "")
        above = [("", f"{shown}\n")] if shown else []
        return [*above, ("bold", _PROMPT)]

    def _last_rows(self, text: str) -> str:
        """Wrap the end of a text to what fits into half of the screen."""
        size = self._session.app.output.get_size()
        rows = max(1, size.rows // 2)
        end = Text(text[-rows * size.columns :].rstrip())
        return "\n".join(line.plain for line in end.wrap(self._console, size.columns)[-rows:])

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c", filter=Condition(lambda: bool(self._session.app.current_buffer.text)))
        def _empty_the_input(event: KeyPressEvent) -> None:
            event.current_buffer.reset()

        @keys.add("c-c", filter=Condition(lambda: not self._session.app.current_buffer.text))
        def _interrupt(event: KeyPressEvent) -> None:
            if not self._on_interrupt():
                with speaking(self._commands.language()):
                    self._print(Text(gettext(_HINT), style="dim"))

        @keys.add("escape", "enter")
        def _begin_a_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        return keys
