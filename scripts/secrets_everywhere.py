#!/usr/bin/env python3
"""Send hundreds of invented secrets down every way to the disk, and search all bytes for them.

The tests do the same with one secret of each sort.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.adapters.redactor import RuleRedactor  # noqa: E402 - found through the line above
from bot.testing.borrowed_secrets import borrowed_secrets  # noqa: E402
from bot.testing.invented_secrets import invented_secrets  # noqa: E402
from bot.testing.look_alikes import look_alikes  # noqa: E402
from bot.testing.secret_paths import SecretPaths, Told, readable_in  # noqa: E402
from bot.testing.secret_texts import secret_texts  # noqa: E402

LEAST_CHARS = 8
"""Of a secret that is searched for: what is shorter stands somewhere by chance."""


def sets_of_secrets() -> dict[str, tuple[Told, ...]]:
    """Give the texts, by where they are from."""
    return {
        "invented, 25 sorts in nine languages": tuple(
            Told(text=each.text, secret=each.secret) for each in invented_secrets()
        ),
        "what detect-secrets knows": tuple(
            Told(text=each.text, secret=each.secret) for each in borrowed_secrets()
        ),
        "the redactor's own tests": tuple(
            Told(text=each.text, secret=each.secret) for each in secret_texts()
        ),
    }


async def walk(told: tuple[Told, ...], folder: Path) -> int:
    """Walk all ways, each with a folder of its own; give how many secrets can be read."""
    readable = 0
    print("\n| way | placeholders | bytes searched | readable | s |\n|---|---|---|---|---|")
    probe = SecretPaths(folder / "probe")
    await probe.world.store.close()
    for number, way in enumerate(probe.ways):
        began, place = time.perf_counter(), folder / str(number)
        paths = SecretPaths(place)
        async with paths.world:
            await paths.walk(way, [each.text for each in told])
            await paths.finish()
        log = "\n".join(paths.world.log).encode()
        left = readable_in(place, told, (*paths.exports, log))
        contents = [path.read_bytes() for path in place.rglob("*") if path.is_file()]
        count = sum(content.count(b"[redacted:") for content in contents)
        took = time.perf_counter() - began
        print(f"| {way} | {count} | {sum(map(len, contents))} | {len(left)} | {took:.1f} |")
        for each in left[:3]:
            print(f"  {each.form} in {each.place}", file=sys.stderr)
        readable += len(left)
    return readable


def main() -> int:
    """Print all tables; 1 when something can be read."""
    logging.getLogger("bot").propagate = False
    redactor = RuleRedactor()
    sets = sets_of_secrets()
    print("| secrets | found |\n|---|---|")
    for name, told in sets.items():
        found = sum(each.secret not in redactor.redact(each.text) for each in told)
        print(f"| {name} | {found} of {len(told)} |")
    texts = look_alikes()
    alarms = Counter(text for text in texts if redactor.redact(text) is not text)
    print(f"| look-alikes touched | {alarms.total()} of {len(texts)} |")
    told = tuple(
        each for texts in sets.values() for each in texts if len(each.secret) >= LEAST_CHARS
    )
    with tempfile.TemporaryDirectory() as folder:
        readable = asyncio.run(walk(told, Path(folder)))
    print(f"\n{len(told)} secrets down each way; readable: {readable}")
    return 1 if readable else 0


if __name__ == "__main__":
    sys.exit(main())
