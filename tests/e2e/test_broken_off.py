"""Ctrl-C at a verb that does something and ends: silence, and an exit code that is no success."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bot.testing.patience import PATIENCE_S
from tests.e2e.test_command_line import ROOT, write_config

HERE = "import run; run.enter = lambda *_: None; run.main()"
"""``run.py`` in this Python, whatever environment that is: making one is not the subject."""


def begin(config: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, *options, "-c", HERE, "--config", str(config), "doctor", "--json"]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_heed_the_key,
    )


def _heed_the_key() -> None:
    """A shell lets what it starts in the background ignore the key, and that is inherited."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("module", ["argparse", "pydantic", "bot.app.channels"])
def test_while_it_is_being_loaded(tmp_path: Path, module: str) -> None:
    """Python tells of each module that it has loaded, and the key is pressed after that one."""
    with begin(write_config(tmp_path), "-X", "importtime") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.rpartition("|")[2].strip() == module:
                break
        process.send_signal(signal.SIGINT)
        out, rest = process.communicate(timeout=PATIENCE_S)

    assert (130, "") == (process.returncode, out)
    assert "" == "".join(line for line in rest.splitlines() if not line.startswith("import time:"))


def test_in_the_middle_of_its_work(tmp_path: Path) -> None:
    """Its model takes the question and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        config = write_config(tmp_path, anthropic={"base_url": address})
        with begin(config) as process:
            silent.settimeout(PATIENCE_S)
            caller, _ = silent.accept()
            with caller:
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=PATIENCE_S)

    assert (130, "") == (process.returncode, err)
