"""What is counted comes out as Prometheus reads it: its own parser says so."""

from prometheus_client.parser import text_string_to_metric_families

from bot.adapters.prometheus_text import written
from bot.core.metrics import (
    DISK_FREE,
    METRICS,
    STEPS,
    TURN_SECONDS,
    TURNS,
    WAITS_S,
)
from bot.runtime.metrics import Metrics


def read_back(metrics: Metrics) -> dict[tuple[str, str], float]:
    text = written(metrics.read({DISK_FREE: {(): 7.0}})).decode()
    return {
        (sample.name, ",".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))): (
            sample.value
        )
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_counters_gauges_and_times_come_out_as_they_went_in() -> None:
    metrics = Metrics()
    for outcome in ("answered", "answered", "failed"):
        metrics.count(TURNS, "telegram", outcome)
    metrics.count(STEPS, by=3)
    for seconds in (0.04, WAITS_S[0], 0.06, 9_999.0):
        metrics.observe(TURN_SECONDS, seconds, "telegram")

    read = read_back(metrics)

    assert 2 == read["daybook_turns_total", "channel=telegram,outcome=answered"]
    assert 1 == read["daybook_turns_total", "channel=telegram,outcome=failed"]
    assert 3 == read["daybook_steps_total", ""]
    assert 7 == read["daybook_disk_free_bytes", ""]
    assert 2 == read["daybook_turn_seconds_bucket", "channel=telegram,le=0.05"]
    assert 3 == read["daybook_turn_seconds_bucket", "channel=telegram,le=300.0"]
    assert 4 == read["daybook_turn_seconds_bucket", "channel=telegram,le=+Inf"]
    assert 4 == read["daybook_turn_seconds_count", "channel=telegram"]
    assert 9_999.15 == read["daybook_turn_seconds_sum", "channel=telegram"]


def test_a_label_may_hold_anything() -> None:
    metrics = Metrics()
    odd = 'a "quoted"\nname\\'
    metrics.count(TURNS, odd, "answered")

    assert 1 == read_back(metrics)["daybook_turns_total", f"channel={odd},outcome=answered"]


def test_counters_without_labels_are_there_from_the_beginning() -> None:
    assert 0 == read_back(Metrics())["daybook_steps_total", ""]


def test_what_the_process_takes_of_the_machine_is_told_too() -> None:
    assert read_back(Metrics())["process_resident_memory_bytes", ""] > 0


def test_every_metric_is_listed_and_named_once() -> None:
    text = written(Metrics().read({})).decode()
    families = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE daybook_")}

    assert {metric.name for metric in METRICS} == families
    assert len(METRICS) == len({metric.name for metric in METRICS})


def test_no_label_says_who_or_where() -> None:
    """People, chats and turns are no labels: nobody is to be found in a monitor's database."""
    labels = {label for metric in METRICS for label in metric.labels}

    assert labels == {
        *("channel", "outcome", "result", "purpose", "model", "kind"),
        *("scope", "part", "version", "job", "worker"),
    }
