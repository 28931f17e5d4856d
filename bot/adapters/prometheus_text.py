"""Metrics in the text that Prometheus reads.

Importing prometheus_client takes a tenth of a second: this module is imported by the first monitor
that asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from bot.core.metrics import Metric, Reading

CONTENT_TYPE = CONTENT_TYPE_LATEST


class _Given(Collector):
    """Gives one reading."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def collect(self) -> Iterable[Family]:
        for metric, numbers in self._reading.numbers.items():
            make = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
            family = make(metric.name, metric.help, labels=metric.labels)
            for labels, value in numbers.items():
                family.add_metric(labels, value)
            yield family
        for metric in self._reading.spreads:
            yield self._histogram(metric)

    def _histogram(self, metric: Metric) -> HistogramMetricFamily:
        family = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
        bounds = (*map(str, metric.buckets), "+Inf")
        for labels, spread in self._reading.spreads[metric].items():
            buckets = list(zip(bounds, accumulate(spread.counts), strict=True))
            family.add_metric(labels, buckets, spread.total)
        return family


def written(reading: Reading) -> bytes:
    """Write a reading, and below it what the process itself takes of the machine."""
    registry = CollectorRegistry()
    registry.register(_Given(reading))
    ProcessCollector(registry=registry)
    return generate_latest(registry)
