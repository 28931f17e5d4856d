#!/usr/bin/env python3
"""What does the redactor find, what does it take for a secret, and what does that cost?

The secrets are those of `bot.testing.secret_texts`, made up when they are asked for; whoever wrote
the rules wrote these texts too. Texts of others are what is installed: the code of a few packages.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import sysconfig
import time
from collections import Counter
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.adapters.redactor import RuleRedactor  # noqa: E402 - found through the line above
from bot.runtime.redaction import redact_text  # noqa: E402
from bot.testing.harmless_texts import harmless_texts  # noqa: E402
from bot.testing.secret_texts import secret_texts  # noqa: E402

MEGABYTE = 1_000_000
CHAT = (
    "Could you look at the invoice of last week and tell me whether the total is right? I think "
    "it was 1,240.50 or so.",
    "see you tomorrow",
    "Das Meeting ist auf Dienstag, 14:30 Uhr verschoben, Raum 2.117.",
    "请帮我把这份合同翻译成英文, 明天上午十点之前发给我。",
)
PROSE = "It was a bright cold day in April, and the clocks were striking thirteen at once. "
JSON = '{"id": 48213, "name": "Ada", "at": "2024-11-30T10:15:00Z", "path": "/srv/a/b-17.txt"}, '
HOSTILE = {
    "eyJ": "eyJ",
    "digits": "1",
    "spaces": " ",
    "a": "a",
    "password:$": "password:$",
    'password:"': 'password:"',
    "password is": "password is ",
    "4111": "4111 ",
    "DE12": "DE12 ",
    "key and 90 spaces": "key" + " " * 90,
}


def detection(redactor: RuleRedactor) -> None:
    """Count what is found of each kind, and what is found where there is nothing."""
    found: Counter[str] = Counter()
    all_of: Counter[str] = Counter()
    for given in secret_texts():
        expected = given.text.replace(given.secret, f"[redacted:{given.kind}]")
        all_of[given.kind] += 1
        found[given.kind] += redactor.redact(given.text) == expected
    print("\n| kind | found, and nothing beside it |\n|---|---|")
    for kind, count in all_of.items():
        print(f"| {kind} | {found[kind]} of {count} |")
    taken = sum(redactor.redact(text) is not text for text in harmless_texts())
    print(f"| harmless texts touched | {taken} of {len(harmless_texts())} |")


def texts_of_others(redactor: RuleRedactor) -> None:
    """Count what is taken for a secret in code, and how fast that is gone through."""
    print("\n| text | MB | placeholders | MB/s |\n|---|---|---|---|")
    folders = {
        "standard library": Path(sysconfig.get_paths()["stdlib"]),
        "telegram": Path(sysconfig.get_paths()["purelib"]) / "telegram",
        "slack_sdk": Path(sysconfig.get_paths()["purelib"]) / "slack_sdk",
        "anthropic": Path(sysconfig.get_paths()["purelib"]) / "anthropic",
    }
    for name, folder in folders.items():
        names = folder.glob("*.py") if name == "standard library" else folder.rglob("*.py")
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in names]
        began = time.perf_counter()
        count = sum(redactor.redact(text).count("[redacted:") for text in texts)
        took = time.perf_counter() - began
        size = sum(map(len, texts)) / MEGABYTE
        print(f"| {name} | {size:.1f} | {count} | {size / took:.1f} |")


def cost(redactor: RuleRedactor, rounds: int) -> None:
    """Time messages, and megabytes of what tools give and of what only somebody hostile writes."""
    print("\n| message | characters | µs |\n|---|---|---|")
    for text in (*CHAT, "my password is " + "Tr0ub" + "4dor&3"):
        times = []
        for _ in range(rounds):
            began = time.perf_counter()
            for _ in range(100):
                redactor.redact(text)
            times.append((time.perf_counter() - began) * 10_000)
        print(f"| {text[:16]}… | {len(text)} | {median(times):.0f} |")
    print("\n| a megabyte of | seconds | loop held at most (ms) |\n|---|---|---|")
    for name, piece in {"prose": PROSE, "JSON": JSON, **HOSTILE}.items():
        took, held = asyncio.run(_in_a_thread(piece * (MEGABYTE // len(piece)), redactor))
        print(f"| {name} | {took:.2f} | {held * 1000:.0f} |")


async def _in_a_thread(text: str, redactor: RuleRedactor) -> tuple[float, float]:
    """Redact as the bot does; give its time and the longest the loop stood still meanwhile."""
    held = 0.0
    began = time.perf_counter()
    work = asyncio.ensure_future(redact_text(text, redactor))
    while not work.done():
        before = time.perf_counter()
        await asyncio.wait({work}, timeout=0.001)
        held = max(held, time.perf_counter() - before - 0.001)
    return time.perf_counter() - began, held


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    began = time.perf_counter()
    redactor = RuleRedactor()
    redactor.load()
    print(f"loading: {time.perf_counter() - began:.2f} s")
    detection(redactor)
    texts_of_others(redactor)
    cost(redactor, arguments.rounds)


if __name__ == "__main__":
    main()
