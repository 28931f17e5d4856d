"""The ids of all findings of ``doctor``, read from the code that makes them."""

import ast
from collections.abc import Iterator, Mapping

from tests.repo.tree import python_files

PLACES = ("bot/app/", "channels/")
"""Where findings are made."""

GRADES = ("ok", "warning", "broken")
ANYWHERE = "…"
"""Stands for the area of a check that any part can have."""


def ids_in_code() -> set[str]:
    """Give ``area.check`` of every finding that the bot can make."""
    files = dict(python_files(*PLACES))
    made = {_module(name): dict(_areas(tree)) for name, tree in files.items()}
    return {
        f"{area}.{check}"
        for name, tree in files.items()
        for area, check in _ids(name, tree, dict(_imported(tree, made)) | made[_module(name)])
    }


def _ids(name: str, tree: ast.Module, areas: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Find calls of an Area's methods, of Finding, of judge_clock, and of what makes one."""
    channel = name.split("/")[1] if name.startswith("channels/") else None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in GRADES and node.args:
            area = _area_of(node.func.value, areas)
            if area is not None:
                yield area, _text(node.args[0])
        elif isinstance(node.func, ast.Name) and node.func.id == "judge_clock":
            yield channel or _text(node.args[0]), "clock"
        elif channel is not None and (check := _check_of(node, tree)) is not None:
            yield channel, check


def _areas(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and (name := _made_area(node.value)) is not None:
            assert isinstance(node.targets[0], ast.Name)
            yield node.targets[0].id, name


def _imported(tree: ast.Module, made: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """Give the areas that a file has from others, by the names they have in it."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (areas := made.get(node.module or "")):
            for each in node.names:
                if each.name in areas:
                    yield each.asname or each.name, areas[each.name]


def _module(name: str) -> str:
    return name.removesuffix(".py").replace("/", ".")


def _area_of(value: ast.expr, areas: Mapping[str, str]) -> str | None:
    return areas.get(value.id) if isinstance(value, ast.Name) else _made_area(value)


def _made_area(value: ast.expr) -> str | None:
    if not (isinstance(value, ast.Call) and ast.unparse(value.func) == "Area"):
        return None
    named = value.keywords[0].value
    return str(named.value) if isinstance(named, ast.Constant) else ANYWHERE


def _check_of(node: ast.Call, tree: ast.Module) -> str | None:
    """Give the check that a call names; of a name in a variable its callers tell."""
    if not isinstance(node.func, ast.Name):
        return None
    named = {each.arg: each.value for each in node.keywords}.get("check")
    if node.args and _first_parameter(tree, node.func.id) == "check":
        named = node.args[0]
    return str(named.value) if isinstance(named, ast.Constant) else None


def _first_parameter(tree: ast.Module, function: str) -> str | None:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function and node.args.args:
            return node.args.args[0].arg
    return None


def _text(value: ast.expr) -> str:
    assert isinstance(value, ast.Constant), f"line {value.lineno}: an id is written out"
    return str(value.value)
