#!/usr/bin/env python3
"""Build and run the container of the Dockerfile where there is no engine, and see that it is well.

Its very steps are carried out in an empty root. Then the bot is started there without rights, on a
read-only root, with a pretended Telegram: it has to be found healthy by the image's own check, to
answer, to end with 0 on SIGTERM, to write a backup that its user may not read outside, to take that
back through standard input, and to remember after a second start with the same volume.

Linux, as root (mounts are made, and gone at the end), with the Python that the image begins with;
packages come from the index. ``--also FOLDER`` shows the steps a folder of this machine: where an
index or its certificates are kept.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.testing.telegram_server import PretendedTelegram  # noqa: E402 - found through the above
from scripts.container.dockerfile import Copy, Image, Run, read_dockerfile  # noqa: E402
from scripts.container.root import Container, EmptyRoot  # noqa: E402

CHAT = 1001
PATIENCE_S = 60.0
BETWEEN_CHECKS_S = 0.5

BACKUPS = "/backups"
"""The volume that ``compose.yaml`` adds to that of the image."""

BACKUP = "daybook.tar"
PAGE = "/srv/daybook/knowledge/house.md"

_LENT = re.compile(r"(?i).*_PROXY|SSL_CERT_.*|PIP_(INDEX|EXTRA|FIND|CERT|TRUSTED|CONFIG).*")


def main() -> None:
    """Build it, run it twice, and print how long each step took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--also", type=Path, action="append", default=[], metavar="FOLDER")
    options = parser.parse_args()
    image = read_dockerfile((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    lent = {name: text for name, text in os.environ.items() if _LENT.fullmatch(name)}
    with tempfile.TemporaryDirectory(prefix="daybook-container-") as folder:
        root = EmptyRoot(Path(folder), also=options.also, lent=lent)
        try:
            build(root, image)
        except subprocess.CalledProcessError as error:
            sys.exit(f"{error.stdout}{error.stderr}the step failed with {error.returncode}")
        asyncio.run(_use(root, replace(image, volumes=(*image.volumes, BACKUPS))))


def build(root: EmptyRoot, image: Image) -> None:
    """Carry every step out."""
    began_s = time.monotonic()
    root.begin(image, ROOT)
    _say(f"FROM {image.base}", began_s)
    for step in image.steps:
        began_s = time.monotonic()
        match step:
            case Copy():
                root.copy(step)
                _say(f"COPY {' '.join(step.sources)}", began_s)
            case Run():
                root.run(step)
                _say(f"RUN {step.line}", began_s)


async def _use(root: EmptyRoot, image: Image) -> None:
    async with PretendedTelegram() as telegram:
        environ = {
            "TELEGRAM_BOT_TOKEN": telegram.token,
            "DAYBOOK_CHANNELS__TELEGRAM__BASE_URL": telegram.base_url,
            "DAYBOOK_ACCESS": "open",
        }
        root.lay(PAGE, "The guests' network is Heron.\n")
        async with await root.start(image, environ) as container:
            await _talk(container, telegram, "remember that I like tea", "tea")
            began_s = time.monotonic()
            assert await container.carry_out(*image.program, "backup", f"{BACKUPS}/{BACKUP}") == 0
            _say("backup: written", began_s)
            await _end(container)
        _restore(root, image)
        async with await root.start(image, environ) as container:
            await _talk(container, telegram, "what do you know?", "tea")
            await _end(container)


def _restore(root: EmptyRoot, image: Image) -> None:
    """Put the backup back, beside a page that says something else by now and is not the bot's."""
    began_s = time.monotonic()
    backup = root.take(BACKUPS, BACKUP)
    assert (backup.stat().st_mode & 0o077, backup.stat().st_uid) == (0, 0)
    root.lay(PAGE, "The guests' network is Crane.\n")
    said = root.verb(image, "restore", "-", stdin=backup)
    assert "The pages of knowledge are in /data/knowledge-" in said, said
    _say(f"restore: {said.splitlines()[0]}", began_s)


async def _talk(container: Container, telegram: PretendedTelegram, text: str, answer: str) -> None:
    """Wait until it is well, then talk with it."""
    async with asyncio.timeout(PATIENCE_S):
        began_s = time.monotonic()
        _say(await container.says("ready:"), began_s)
        assert container.ids != "0:0", container.ids
        while not await container.is_healthy():  # noqa: ASYNC110 - as an engine does
            await asyncio.sleep(BETWEEN_CHECKS_S)
        _say(f"healthy, as {container.ids}", began_s)
        began_s, before = time.monotonic(), len(telegram.sent)
        telegram.says(CHAT, text)
        await telegram.wait_for_sent(before + 1)
        assert answer in telegram.sent[-1].text, telegram.sent[-1].text
        _say(f"answered: {telegram.sent[-1].text.splitlines()[-1]}", began_s)
        print(f"          memory: {container.most_memory_mib} MiB at the most", flush=True)


async def _end(container: Container) -> None:
    async with asyncio.timeout(PATIENCE_S):
        began_s = time.monotonic()
        os.kill(container.pid, signal.SIGTERM)
        code = await container.ended()
        assert code == 0, code
        _say("SIGTERM: ended with 0", began_s)


def _say(what: str, began_s: float) -> None:
    print(f"{time.monotonic() - began_s:6.1f} s  {' '.join(what.split())}", flush=True)


if __name__ == "__main__":
    main()
