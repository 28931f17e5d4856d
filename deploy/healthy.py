"""Exit with 0 when the bot that works on a data folder answers, with 1 and one line when not.

Where it listens stands in the folder, since its port may have been taken. Standard library only: a
container's health check runs it every half minute.
"""

from __future__ import annotations

import http.client
import json
import sys
import urllib.request
from pathlib import Path

TIMEOUT_S = 3.0


def main(data_dir: str) -> str | None:
    """Ask for ``/healthz``; give what is wrong."""
    try:
        contact = json.loads((Path(data_dir) / "control.json").read_text(encoding="utf-8"))
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        direct.open(f"{contact['address']}/healthz", timeout=TIMEOUT_S).close()
    except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
        return f"not healthy: {type(error).__name__}: {error}"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
