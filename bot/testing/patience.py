"""How long a test waits for what comes by an event: it costs nothing when it comes soon."""

from __future__ import annotations

PATIENCE_S = 120.0
"""As long as a slow machine with other work may need, a start with all its imports included.

It tells "late" from "never" and nothing else; how fast something is, is for ``benchmarks``. Below
pytest's own limit for a test, which would tell less of what did not come.
"""
