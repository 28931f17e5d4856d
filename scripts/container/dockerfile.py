"""A Dockerfile as a value: its steps in their order, and what an image says of itself."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field, replace
from typing import TypeAlias

_INSTRUCTION = re.compile(r"^([A-Z]+)\s+(.*)$", re.DOTALL)
_CONTINUED = re.compile(r"\\\n(?:[ \t]*#[^\n]*\n)*")
_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_OPTION = re.compile(r"^--([a-z-]+)=(\S+)\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """Files of the context, put into a folder of the image, or under another name."""

    sources: tuple[str, ...]
    target: str
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A line for ``/bin/sh``, carried out in a folder of the image by a user of it."""

    line: str
    folder: str
    user: str
    environ: tuple[tuple[str, str], ...]


Step: TypeAlias = "Copy | Run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """What a Dockerfile makes.

    Attributes:
        base: The image that it begins with, such as ``python:3.11-slim``.
        steps: What is done to that, in order.
        environ: The variables that every process of it sees.
        folder: Where its program begins.
        user: As whom, ``user:group``; empty for root.
        volumes: Folders that are the operator's.
        health: The command that says whether it is well.
        health_options: How often and how patiently, as written.
        program: The command that a container is.
    """

    base: str = ""
    steps: tuple[Step, ...] = ()
    environ: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = ""
    volumes: tuple[str, ...] = ()
    health: tuple[str, ...] = ()
    health_options: dict[str, str] = field(default_factory=dict)
    program: tuple[str, ...] = ()


def read_dockerfile(text: str) -> Image:
    """Read a Dockerfile of one stage.

    Raises:
        ValueError: It has an instruction, or a form of one, that is not known here.
    """
    image, arguments = Image(), dict[str, str]()
    for name, rest in _instructions(text):
        match name:
            case "ARG":
                key, _, default = rest.partition("=")
                arguments[key] = default
            case "FROM" if not image.base:
                image = replace(image, base=_REFERENCE.sub(lambda m: arguments[m[1]], rest))
            case "ENV":
                image = replace(image, environ={**image.environ, **_assignments(rest)})
            case "WORKDIR" | "USER":
                key = {"WORKDIR": "folder", "USER": "user"}[name]
                image = replace(image, **{key: rest})  # type: ignore[arg-type]  # both are texts
            case "COPY" | "RUN":
                image = replace(image, steps=(*image.steps, _step(name, rest, image)))
            case "VOLUME":
                image = replace(image, volumes=(*image.volumes, *_exec_form(rest)))
            case "HEALTHCHECK":
                image = _with_health(image, rest)
            case "ENTRYPOINT":
                image = replace(image, program=_exec_form(rest))
            case _:
                raise ValueError(f"{name} {rest}: nobody here knows how to do that")
    return image


def _instructions(text: str) -> list[tuple[str, str]]:
    lines = [line for line in _CONTINUED.sub(" ", text).splitlines() if line.strip()]
    found = []
    for line in lines:
        if line.startswith("#"):
            continue
        instruction = _INSTRUCTION.match(line)
        if instruction is None:
            raise ValueError(f"{line!r} is no instruction")
        found.append((instruction[1], instruction[2].strip()))
    return found


def _assignments(rest: str) -> dict[str, str]:
    pairs = [word.partition("=") for word in shlex.split(rest)]
    if not all(equals for _, equals, _ in pairs):
        raise ValueError(f"ENV {rest}: NAME=value is wanted")
    return {name: value for name, _, value in pairs}


def _step(name: str, rest: str, image: Image) -> Step:
    if name == "RUN":
        if rest.startswith(("[", "--")):
            raise ValueError(f"RUN {rest}: a line for the shell is wanted, without options")
        environ = tuple(image.environ.items())
        return Run(line=rest, folder=image.folder, user=image.user, environ=environ)
    *sources, target = rest.split()
    if rest.startswith(("[", "--")) or not sources:
        raise ValueError(f"COPY {rest}: sources and a target are wanted, without options")
    return Copy(sources=tuple(sources), target=target, folder=image.folder)


def _with_health(image: Image, rest: str) -> Image:
    options = dict[str, str]()
    while option := _OPTION.match(rest):
        options[option[1]] = option[2]
        rest = rest[option.end() :]
    word, _, command = rest.partition(" ")
    if word != "CMD":
        raise ValueError(f"HEALTHCHECK {rest}: CMD is wanted")
    return replace(image, health=_exec_form(command), health_options=options)


def _exec_form(text: str) -> tuple[str, ...]:
    """Read ``["python", "run.py"]``; a shell in between would keep signals to itself."""
    try:
        words = json.loads(text)
    except ValueError:
        raise ValueError(f"{text}: a JSON list is wanted") from None
    return tuple(map(str, words))
