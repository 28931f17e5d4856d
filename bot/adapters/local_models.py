"""Looking for a model server on this machine that speaks the vendor's Messages API."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass

HOST = "127.0.0.1"

PORTS = (11434, 1234, 8080)
"""Where Ollama, LM Studio and llama.cpp listen unless told otherwise, in order of preference."""

_MAX_BYTES = 1_000_000
_NO_SUCH_THING = frozenset((404, 405, 501))


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A server that can be asked, and the first of its models that can chat."""

    base_url: str
    model: str


async def find_local_model(
    *, ports: tuple[int, ...] = PORTS, timeout_s: float = 0.3
) -> LocalModel | None:
    """Ask all ports side by side; give the first in their order that answers in time."""
    found = await asyncio.gather(*(_probe(port, timeout_s) for port in ports))
    return next((model for model in found if model is not None), None)


async def _probe(port: int, timeout_s: float) -> LocalModel | None:
    with suppress(OSError, TimeoutError, ValueError):
        async with asyncio.timeout(timeout_s):
            _, body = await _exchange(port, "GET", "/v1/models")
            if not (model := _first_chat_model(body)):
                return None
            # many servers list models; whether this one speaks our API shows in its answer to a
            # request that is too empty to start any work
            status, _ = await _exchange(port, "POST", "/v1/messages", b"{}")
            if status not in _NO_SUCH_THING:
                return LocalModel(base_url=f"http://{HOST}:{port}", model=model)
    return None


async def _exchange(port: int, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    """Make one request; by HTTP/1.0, whose answer simply ends with the connection.

    Raises:
        OSError: Nobody listens, or hung up.
        ValueError: The answer is no HTTP, or endless.
    """
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        head = (
            f"{method} {path} HTTP/1.0\r\nHost: {HOST}:{port}\r\nAccept: application/json\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = await _read_all(reader)
    finally:
        writer.close()
    head_bytes, _, content = answer.partition(b"\r\n\r\n")
    _, status, *_ = head_bytes.split(maxsplit=2)
    return int(status), content


async def _read_all(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := await reader.read(65_536):
        parts.append(part)
        size += len(part)
        if size > _MAX_BYTES:
            raise ValueError("an endless answer")
    return b"".join(parts)


def _first_chat_model(body: bytes) -> str:
    """Read the list of models; empty if there is none, or none but for embedding."""
    listed = json.loads(body)
    models = listed.get("data") if isinstance(listed, dict) else None
    entries = models if isinstance(models, list) else []
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    texts = (name for name in names if isinstance(name, str) and name)
    return next((name for name in texts if "embed" not in name.lower()), "")
