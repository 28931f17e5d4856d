"""Where the peers' programs come from: the package indexes that pip and npm are set to."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

FROM_PYPI = ("lo-bot-api-emulator==0.3.6", "llmock==0.2.2")
FROM_NPM = ("@copilotkit/aimock@1.43.0", "emulate@0.11.2")

_BIN = "Scripts" if sys.platform == "win32" else "bin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """The command that starts each peer. Both packages for Claude call theirs ``llmock``."""

    telegram: str
    slack: str
    claude: str
    claude_faults: str


def install(folder: Path) -> Programs:
    """Put the peers into ``folder``, unless they are there already.

    Raises:
        RuntimeError: npm is missing, or an installer failed.
    """
    python_part = folder / "python"
    scripts = python_part / _BIN
    if not (scripts / "llmock").exists():
        venv.create(python_part, with_pip=True)
        _run([str(scripts / "python"), "-m", "pip", "install", "--quiet", *FROM_PYPI], folder)
    node_part = folder / "node_modules" / ".bin"
    if not (node_part / "aimock").exists():
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("npm is needed (Node.js 20.15 or newer)")
        _run(
            [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), *FROM_NPM], folder
        )
    return Programs(
        telegram=str(scripts / "lo-bot-api-emulator"),
        slack=str(node_part / "emulate"),
        claude=str(node_part / "llmock"),
        claude_faults=str(scripts / "llmock"),
    )


def _run(command: list[str], folder: Path) -> None:
    log = folder / "install.log"
    with log.open("ab") as output:
        done = subprocess.run(command, cwd=folder, check=False, stdout=output, stderr=output)
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name} failed; see {log}")
