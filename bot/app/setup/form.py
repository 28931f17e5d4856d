"""What is going to be written, and the checking of what was entered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.app.doctor import within_limit
from bot.app.setup.pasted import Kind, read_pasted
from bot.app.setup.questions import Questions
from bot.config import Config, Held, OwnFiles, load
from bot.core.findings import Finding, Findings, one_line
from bot.errors import ConfigError
from bot.ports import Clock

Look = Callable[[OwnFiles], Awaitable[Findings]]
"""Examines what was entered; raises ConfigError at once for what cannot be examined."""

UNREADABLE = "settings"
"""The check that fails when the next start could not read the settings at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A secret that is asked for.

    Attributes:
        path: Its key in the settings.
        variable: Where the key takes its value from, unless the settings name another variable.
        title: What the vendor calls it.
        check: The finding that says whether it is taken.
        kind: What it looks like; None for any form.
    """

    path: tuple[str, ...]
    variable: str
    title: str
    check: str
    kind: Kind | None = None


class Form:
    """The operator's files as far as they are filled in.

    Who sits at a terminal is asked once more for what is refused. Lines of a pipe answer one
    question each, and a question more would take the next one's: there it is left out instead.

    Attributes:
        files: What is going to be written; each step puts in what it has settled.
        left_out: What was entered through a pipe and is not put in, by its area or title.
        questions: Who is asked.
        clock: For the parts that examine.
        hide: Is told secrets that nothing may show.
    """

    def __init__(
        self,
        path: Path | None,
        environ: Mapping[str, str],
        files: OwnFiles,
        questions: Questions,
        *,
        clock: Clock,
        hide: Callable[[tuple[str, ...]], None],
    ) -> None:
        self._path = path
        self._environ = environ
        self.files = files
        self.left_out: tuple[str, ...] = ()
        self.questions = questions
        self.clock = clock
        self.hide = hide

    def read(self, files: OwnFiles) -> Config:
        """Read the settings as the next start would.

        Raises:
            ConfigError: It could not.
        """
        return load(self._path, self._environ, files.texts)

    def look_up(self, secret: Secret, files: OwnFiles) -> Held:
        """Say where a secret comes from."""
        return files.look_up(self._environ, secret.path, secret.variable)

    def enter(self, secret: Secret, files: OwnFiles) -> OwnFiles:
        """Ask for one secret; a mere Enter leaves everything as it is."""
        held = self.look_up(secret, files)
        if held.fixed_by:
            self.questions.say(f"{secret.title}: {held.fixed_by} of the environment gives it.")
            return files
        way_out = "set; Enter keeps it" if held.is_set else "Enter skips"
        while text := self.questions.ask_secret(f"{secret.title} [{way_out}]:"):
            try:
                value = read_pasted(text, secret.kind)
            except ValueError as error:
                self.questions.say(str(error))
                if self.questions.is_typed:
                    continue
                self.left_out += (secret.title,)
                return files
            self.hide((value,))
            return files.with_secret(self._environ, secret.path, secret.variable, value)
        return files

    def settle(
        self, area: str, files: OwnFiles, look: Look, secrets: tuple[Secret, ...] = ()
    ) -> Findings:
        """Have what was entered checked, and put it in; what is refused is asked for again.

        Args:
            area: What is examined.
            files: What was entered.
            look: Examines it.
            secrets: Which of it can be entered again.

        Returns:
            What was found of what is put in; nothing when all stays as it was.
        """
        while True:
            found = self._examine(area, files, look)
            self.questions.show(found, area)
            broken = {each.check for each in found if each.grade == "broken"}
            if not broken:
                break
            entered = files
            for secret in self._to_enter_again(secrets, broken, files):
                entered = self.enter(secret, entered)
            if entered == files:
                if files == self.files or not self._is_kept(area, broken):
                    self.questions.say("It stays as it was.")
                    return ()
                break
            files = entered
        self.files = files
        return found

    def _examine(self, area: str, files: OwnFiles, look: Look) -> Findings:
        try:
            return asyncio.run(self._within_limit(area, files, look))
        except ConfigError as error:
            seen, mend = one_line(str(error)), "enter it once more"
            finding = Finding(area=area, check=UNREADABLE, grade="broken", seen=seen, mend=mend)
            return (finding,)

    async def _within_limit(self, area: str, files: OwnFiles, look: Look) -> Findings:
        return await within_limit(area, look(files))

    def _to_enter_again(
        self, secrets: tuple[Secret, ...], broken: set[str], files: OwnFiles
    ) -> tuple[Secret, ...]:
        if not self.questions.is_typed:
            return ()
        open_ones = [each for each in secrets if not self.look_up(each, files).fixed_by]
        if UNREADABLE in broken:
            missing = [each for each in open_ones if not self.look_up(each, files).is_set]
            return tuple(missing or open_ones)
        return tuple(each for each in open_ones if each.check in broken)

    def _is_kept(self, area: str, broken: set[str]) -> bool:
        """Ask whether to keep what cannot be checked now: behind a network that is down, say."""
        if not self.questions.is_typed:
            self.left_out += (area,)
            return False
        if UNREADABLE in broken:
            return False
        return self.questions.confirm("Keep it all the same?", default=False)
