"""Where everything is counted: additions to numbers in a dict, all of them on the event loop.

What a monitor asks for is written by :mod:`bot.adapters.prometheus_text`, when it asks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.core.llm import Usage
from bot.core.metrics import (
    COST,
    METRICS,
    STEPS,
    TOKENS,
    TOOL_CALLS,
    TURN_SECONDS,
    TURNS,
    UNPRICED,
    Labels,
    Metric,
    Reading,
    Spread,
)
from bot.core.prices import NANO
from bot.core.turns import Turn

Gauges = Mapping[Metric, Mapping[Labels, float]]
"""Numbers that are only known at the moment at which they are asked for."""


@dataclass(slots=True)
class Metrics:
    """Counts since the process began."""

    _numbers: defaultdict[Metric, defaultdict[Labels, float]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(float))
    )
    _spreads: defaultdict[Metric, dict[Labels, Spread]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def count(self, metric: Metric, *labels: str, by: float = 1.0) -> None:
        """Add to a counter."""
        self._numbers[metric][labels] += by

    def observe(self, metric: Metric, seconds: float, *labels: str) -> None:
        """Take in a measured time."""
        spreads = self._spreads[metric]
        spread = spreads.get(labels)
        if spread is None:
            spread = spreads[labels] = Spread([0] * (len(metric.buckets) + 1))
        spread.counts[bisect_left(metric.buckets, seconds)] += 1
        spread.total += seconds

    def read(self, gauges: Gauges) -> Reading:
        """Give all numbers, those that are only known at this moment among them."""
        return Reading(
            numbers={
                metric: gauges.get(metric, {}) if metric.kind == "gauge" else self._counted(metric)
                for metric in METRICS
                if metric.kind != "histogram"
            },
            spreads={
                metric: self._spreads.get(metric, {})
                for metric in METRICS
                if metric.kind == "histogram"
            },
        )

    def _counted(self, metric: Metric) -> Mapping[Labels, float]:
        """Give a counter; one without labels is there from the beginning, so that it can rise."""
        counted: Mapping[Labels, float] = self._numbers.get(metric, {})
        return counted if counted or metric.labels else {(): 0.0}


def meter_call(
    metrics: Metrics, of: tuple[str, str], usage: Usage, cost_nano_usd: int | None
) -> None:
    """Count what a call of a model took; ``of`` is the model and what it was asked for."""
    for kind, tokens in (
        ("input", usage.input_tokens),
        ("output", usage.output_tokens),
        ("cache_read", usage.cache_read_tokens),
        ("cache_write", usage.cache_write_tokens),
    ):
        if tokens:
            metrics.count(TOKENS, *of, kind, by=tokens)
    if cost_nano_usd is None:
        metrics.count(UNPRICED, of[0])
    else:
        metrics.count(COST, *of, by=cost_nano_usd / NANO)


def meter_turn(metrics: Metrics, turn: Turn, channel: str, took_s: float) -> None:
    """Count a turn that ended, with its steps and its calls of tools."""
    metrics.count(TURNS, channel, turn.outcome or "open")
    metrics.observe(TURN_SECONDS, took_s, channel)
    metrics.count(STEPS, by=len(turn.steps))
    for step in turn.steps:
        failed = {result.call_id for result in step.results if result.is_error}
        for call in step.answer.tool_calls:
            # Not by its name: that is the model's own word, which may be anything.
            metrics.count(TOOL_CALLS, "error" if call.id in failed else "ok")
