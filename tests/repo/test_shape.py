"""Sizes, borders and import directions: the habits that hold only if something holds them."""

import ast
import subprocess
import sys
from collections.abc import Iterator

from tests.repo.tree import PRODUCT, ROOT, files, name_of, python_files

MAX_LINES = 300
MAX_LINES_AT_THE_EDGE = 400
EDGE = ("bot/adapters/", "bot/testing/", "channels/", "tests/")
MAX_FUNCTION_LINES = 60
BORDERS = [
    "one question over HTTP",
    "one part of an examination",
    "one inbound message",
    "one plugin being loaded",
    "one background job",
    "one tool call",
]
"""Where a failure nobody foresaw ends, in the order of their files; the list does not grow."""


def test_imports_point_at_the_core() -> None:
    lint = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout


def test_no_file_is_too_long() -> None:
    too_long = []
    for path in files(".py"):
        name = name_of(path)
        limit = MAX_LINES_AT_THE_EDGE if name.startswith(EDGE) else MAX_LINES
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > limit:
            too_long.append(f"{name}: {lines} lines, not {limit}")

    assert too_long == []


def test_run_py_stays_short() -> None:
    assert len((ROOT / "run.py").read_text(encoding="utf-8").splitlines()) < 120


def test_no_function_is_too_long() -> None:
    too_long = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in python_files()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    ]

    assert too_long == []


def test_everything_is_caught_at_named_borders_only() -> None:
    borders = sorted(_blind_excepts())

    assert [line.rpartition("border: ")[2] for line in borders] == BORDERS, borders


def _blind_excepts() -> Iterator[str]:
    for name, tree in python_files(*PRODUCT):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and _is_blind(node):
                yield f"{name}:{node.lineno} {lines[node.lineno - 1].strip()}"


def _is_blind(handler: ast.ExceptHandler) -> bool:
    return _catches_everything(handler.type) and not _passes_on(handler)


def _passes_on(handler: ast.ExceptHandler) -> bool:
    """Tell whether what was caught reaches somebody else, by ``raise`` or through a future."""
    for node in ast.walk(handler):
        if isinstance(node, ast.Raise) and node.exc is None:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            given = [each.id for each in node.args if isinstance(each, ast.Name)]
            if node.func.attr in ("fail", "set_exception") and given == [handler.name]:
                return True
    return False


def _catches_everything(caught: ast.expr | None) -> bool:
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(
        kind is None or (isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException"))
        for kind in kinds
    )


def test_no_test_sleeps_or_uses_a_mock() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, tree in python_files("tests/")
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.stmt) and (_is_sleep(node) or _is_mock(node))
    ]

    assert found == []


def _is_sleep(node: ast.AST) -> bool:
    """Tell a wait for real time; ``asyncio.sleep(0)`` only lets others run."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    owner = node.func.value
    is_real = isinstance(owner, ast.Name) and owner.id in ("time", "asyncio")
    lets_others_run = [ast.unparse(argument) for argument in node.args] == ["0"]
    return node.func.attr == "sleep" and is_real and not lets_others_run


def _is_mock(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return "mock" in (node.module or "") or any(each.name == "mock" for each in node.names)
    return isinstance(node, ast.Import) and any("mock" in each.name for each in node.names)


def test_no_test_waits_for_seconds_of_its_own() -> None:
    """A machine may be slow: what is to come is waited for as long as ``PATIENCE_S`` says.

    Less than a second is meant to pass.
    """
    found = [
        f"{name}:{node.lineno}"
        for name, tree in python_files("tests/", "bot/testing/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _is_own_limit(node)
    ]

    assert found == []


def _is_own_limit(call: ast.Call) -> bool:
    waits = ast.unparse(call.func) in ("asyncio.timeout", "asyncio.wait_for")
    limits = [each.value for each in call.keywords if each.arg == "timeout"]
    if waits and call.args:
        limits.append(call.args[-1])
    numbers = (each.value for each in limits if isinstance(each, ast.Constant))
    return any(isinstance(each, int | float) and each >= 1 for each in numbers)
