"""Each part of an examination ends with findings, whatever becomes of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bot.app.doctor import within_limit
from bot.core.findings import Findings
from bot.testing.patience import PATIENCE_S
from tests.e2e.test_command_line import ROOT, write_config


async def test_a_part_that_breaks_off_is_a_finding_that_gives_nothing_away() -> None:
    async def look() -> Findings:
        raise ValueError("Newline in header value: Bearer fake")

    [finding] = await within_limit("slack", look())

    assert ("slack", "reach", "broken") == (finding.area, finding.check, finding.grade)
    assert "the examination broke off (ValueError)" == finding.seen
    assert "slack" in finding.mend


def test_who_reads_only_the_beginning_sees_no_traceback(tmp_path: Path) -> None:
    """As in ``run.py doctor --json | head -1``."""
    reading, writing = os.pipe()
    os.close(reading)
    config = write_config(tmp_path, http={"port": 0})
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", "--config", str(config), "doctor", "--json"],
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        timeout=PATIENCE_S,
        check=False,
    )
    os.close(writing)

    assert (0, b"") == (done.returncode, done.stderr)
