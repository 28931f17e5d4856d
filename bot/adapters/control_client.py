"""How a running bot is found and asked: a file in its data folder, then loopback.

The file says where it listens and holds the word that lets one ask; it is for its owner's eyes and
gone when the bot ends. Standard library only, so that a question costs no imports.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from bot.errors import BotError, NoAnswer, NotRunning

FILE_NAME = "control.json"
TIMEOUT_S = 15.0
"""Longer than the bot waits for a disk or a database that hangs, of which it then tells."""

JsonObject = dict[str, object]
"""An answer; whoever asked knows what stands in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Where a running bot listens, and the word that it wants to hear."""

    address: str
    token: str = field(repr=False)
    pid: int


@contextlib.contextmanager
def left_in(folder: Path, contact: Contact) -> Iterator[None]:
    """Leave word in the data folder for as long as the block lasts.

    Raises:
        OSError: It cannot be written.
    """
    path, draft = folder / FILE_NAME, folder / f"{FILE_NAME}.new"
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(asdict(contact), file)
    draft.replace(path)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # the folder may be gone: then so is the file
            path.unlink()


def ask(
    folder: Path,
    question: str,
    *,
    method: Literal["GET", "POST"] = "GET",
    text: str = "",
    timeout_s: float = TIMEOUT_S,
) -> JsonObject:
    """Ask the bot that works on a data folder; ``question`` is a path such as ``/status``.

    Args:
        folder: The data folder.
        question: What is asked, or with ``POST`` what is to be done.
        method: Whether something is to be done.
        text: With what it is to be done.
        timeout_s: How long it may take.

    Raises:
        NotRunning: Nobody answers.
        NoAnswer: The bot is there, and does not answer in time.
        BotError: It could not be done; the text says why.
    """
    contact = _read_contact(folder)
    host, port = urlsplit(contact.address).hostname or "", _port_of(contact.address)
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        headers = {"Authorization": f"Bearer {contact.token}"}
        connection.request(method, question, body=text.encode() or None, headers=headers)
        response = connection.getresponse()
        answer: object = json.loads(response.read())
    except (OSError, http.client.HTTPException) as error:
        raise _silence(folder, contact, error, timeout_s) from error
    except ValueError as error:
        raise NotRunning(f"another program answers at {contact.address}") from error
    finally:
        connection.close()
    match response.status, answer:
        case 200, dict():
            return answer
        case 400 | 503, {"error": str(reason)}:
            raise BotError(reason)
    raise NotRunning(f"another program answers at {contact.address}")


def follow(
    folder: Path, question: str, *, text: str = "", timeout_s: float = TIMEOUT_S
) -> Iterator[JsonObject]:
    """Tell the bot that works on a data folder to do something, and give what it says meanwhile.

    Args:
        folder: The data folder.
        question: What is to be done.
        text: With what it is to be done.
        timeout_s: How long it may say nothing.

    Raises:
        NotRunning: Nobody answers.
        NoAnswer: The bot is there, and does not answer in time.
        BotError: It could not be done, or the bot ended meanwhile; the text says why.
    """
    contact = _read_contact(folder)
    host, port = urlsplit(contact.address).hostname or "", _port_of(contact.address)
    with contextlib.closing(
        http.client.HTTPConnection(host, port, timeout=timeout_s)
    ) as connection:
        try:
            headers = {"Authorization": f"Bearer {contact.token}"}
            connection.request("POST", question, body=text.encode() or None, headers=headers)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise _silence(folder, contact, error, timeout_s) from error
        if response.status != 200:
            raise NotRunning(f"another program, or an older bot, answers at {contact.address}")
        yield from _lines_of(response)


def address_in(folder: Path) -> str:
    """Say where the bot that works on a data folder answers.

    Raises:
        NotRunning: None is there.
    """
    return _read_contact(folder).address


def _lines_of(response: http.client.HTTPResponse) -> Iterator[JsonObject]:
    try:
        while line := response.readline():
            match json.loads(line):
                case {"error": str(reason)}:
                    raise BotError(reason)
                case dict() as told:
                    if not told:
                        return
                    yield told
    except TimeoutError as error:
        said = "the bot says nothing more; what it was told to do it may still do"
        raise NoAnswer(said) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise BotError(f"the bot ended meanwhile ({error or type(error).__name__})") from error
    raise BotError("the bot ended meanwhile, or failed in a way that its log tells")


def _silence(folder: Path, contact: Contact, error: Exception, timeout_s: float) -> BotError:
    """Tell a bot that does not answer in time from one that is not there."""
    if isinstance(error, TimeoutError):
        process = f"process {contact.pid} at {contact.address}"
        return NoAnswer(f"the bot ({process}) gave no answer within {timeout_s:g} s")
    return NotRunning(f"no bot answers for {folder} ({error or type(error).__name__})")


def _read_contact(folder: Path) -> Contact:
    try:
        match json.loads((folder / FILE_NAME).read_text(encoding="utf-8")):
            case {"address": str(address), "token": str(token), "pid": int(pid)} if _port_of(
                address
            ):
                return Contact(address=address, token=token, pid=pid)
    except FileNotFoundError:
        raise NotRunning(
            f"no running bot can be asked in {folder} (a terminal chat cannot be asked)"
        ) from None
    except (OSError, ValueError) as error:
        raise NotRunning(f"{folder / FILE_NAME} cannot be read ({error})") from error
    raise NotRunning(f"{folder / FILE_NAME} holds no address of a bot")


def _port_of(address: str) -> int | None:
    return urlsplit(address).port
