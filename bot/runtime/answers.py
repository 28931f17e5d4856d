"""What commands answer and tools make, as the platform messages of a channel.

What a channel cannot show is said: a button as the command to write, a file as its text.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import replace

from bot.core.chat import Button, Reply, Sender
from bot.core.commands import with_prefix
from bot.core.files import OutgoingFile
from bot.languages import gettext
from bot.ports import Channel, Choice, CommandAnswer
from bot.runtime import notices
from bot.runtime.splitting import split_text

MOST_SHOWN_CHARS = 4_000
"""A file that a tool made and a channel cannot send is shown up to this length: one screen or two,
and no flood that nobody asked for."""

_TOKEN_BYTES = 16  # as many letters and digits as a token may have, in hexadecimal
_BACKTICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[a-z0-9+]{1,10}")


def buttons_of(choices: tuple[Choice, ...], asked_by: Sender | None) -> tuple[Button, ...]:
    """Make a button of each choice, for who asked alone unless anyone may press it.

    Who writes as a chat presses as somebody else, whom nobody knows beforehand: such buttons, and
    those that nobody asked for, are for everyone who may give the command.
    """
    person = asked_by.person_key if asked_by is not None and asked_by.is_person else ""
    return tuple(
        Button(
            label=choice.label,
            command=choice.command,
            token=secrets.token_hex(_TOKEN_BYTES),
            person="" if choice.for_anyone else person,
        )
        for choice in choices
    )


async def replies_to(
    answer: str | CommandAnswer, channel: Channel, template: Reply, asked_by: Sender | None
) -> tuple[Reply, ...]:
    """Make the messages that bring an answer: its text with buttons below, then its file."""
    if isinstance(answer, str):
        answer = CommandAnswer(text=answer)
    capabilities = channel.capabilities
    pieces = [answer.text]
    if not capabilities.has_buttons:
        pieces.append(_in_words(answer.choices))
    text = with_prefix(_joined(*pieces), capabilities.command_prefix)
    # A file would be there for everybody: no platform sends one to one person of a group alone.
    sends_files = capabilities.sends_files and not template.for_person
    if answer.file is not None and not sends_files:
        shown = in_code(answer.file) or notices.for_unsendable(answer.file.name)
        text = _joined(text, shown)
    replies = [replace(template, text=part) for part in await split_text(channel, text)]
    if replies and capabilities.has_buttons:
        buttons = buttons_of(answer.choices, asked_by)
        replies[-1] = replace(replies[-1], buttons=buttons)
    if answer.file is not None and sends_files:
        replies.append(replace(template, file=answer.file))
    return tuple(replies)


async def replies_with(
    files: tuple[OutgoingFile, ...], channel: Channel, template: Reply
) -> tuple[Reply, ...]:
    """Make the messages that bring the files which a turn's tools have made."""
    if channel.capabilities.sends_files:
        return tuple(replace(template, text="", reply_to="", file=file) for file in files)
    replies = []
    for file in files:
        code = in_code(file, most_chars=MOST_SHOWN_CHARS)
        text = f"`{file.name}`:\n\n{code}" if code else notices.for_unsendable(file.name)
        parts = await split_text(channel, text)
        replies += [replace(template, text=part, reply_to="") for part in parts]
    return tuple(replies)


def in_code(file: OutgoingFile, *, most_chars: int | None = None) -> str:
    """Write a file's text as a code block; empty where it is no text, or too long."""
    try:
        text = file.content.decode()
    except UnicodeDecodeError:
        return ""
    if "\0" in text or (most_chars is not None and len(text) > most_chars):
        return ""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    ending = file.name.rpartition(".")[2].lower()
    language = ending if _LANGUAGE.fullmatch(ending) else ""
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{end}{fence}"


def _in_words(choices: tuple[Choice, ...]) -> str:
    return "\n".join(
        gettext("- {label}: write `/{command}`", label=choice.label, command=choice.command)
        for choice in choices
    )


def _joined(*pieces: str) -> str:
    return "\n\n".join(piece for piece in pieces if piece)
