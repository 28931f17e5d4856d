"""What is said of health and metrics is what there is."""

import json
import re
from collections.abc import Iterator

from bot.core.metrics import METRICS, Metric
from tests.repo.tree import ROOT

DASHBOARD = ROOT / "deploy" / "grafana-dashboard.json"
PAGE = ROOT / "docs" / "health.md"
NAME = re.compile(r"\b(?:daybook|process)_[a-z_]+")
OF_THE_PROCESS = {"process_resident_memory_bytes"}


def samples_of(metric: Metric) -> set[str]:
    if metric.kind != "histogram":
        return {metric.name}
    return {f"{metric.name}_{each}" for each in ("bucket", "sum", "count")}


def panels() -> Iterator[dict[str, object]]:
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    yield from board["panels"]


def expressions() -> list[str]:
    found = []
    for panel in panels():
        targets = panel.get("targets", [])
        assert isinstance(targets, list)
        found += [target["expr"] for target in targets]
    return found


def test_every_metric_of_the_dashboard_exists() -> None:
    known = OF_THE_PROCESS.union(*map(samples_of, METRICS))
    used = {name for expression in expressions() for name in NAME.findall(expression)}

    assert used - known == set()


def test_every_metric_is_in_the_dashboard() -> None:
    shown = " ".join(expressions())

    assert [each.name for each in METRICS if each.name not in shown] == []


def test_labels_that_the_dashboard_names_belong_to_their_metric() -> None:
    labels = {name: set(each.labels) | {"le"} for each in METRICS for name in samples_of(each)}
    wrong = []
    for expression in expressions():
        (name,) = NAME.findall(expression)
        for group in re.findall(r"by \(([a-z, ]+)\)", expression):
            wrong += [(name, each) for each in group.split(", ") if each not in labels[name]]

    assert wrong == []


def test_panels_are_told_apart_and_lie_beside_each_other() -> None:
    places = []
    for panel in panels():
        grid = panel["gridPos"]
        assert isinstance(grid, dict)
        rows, columns = (
            range(grid["y"], grid["y"] + grid["h"]),
            range(grid["x"], grid["x"] + grid["w"]),
        )
        places += [(row, column) for row in rows for column in columns]
    ids = [panel["id"] for panel in panels()]

    assert len(ids) == len(set(ids))
    assert len(places) == len(set(places))


def test_the_table_of_metrics_is_what_the_code_has() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "| `daybook_" in line]

    assert rows == [
        f"| `{each.name}` | {each.kind} | {', '.join(f'`{label}`' for label in each.labels)} "
        f"| {each.help} |"
        for each in METRICS
    ]
