"""Prometheus metrics, read from the status when they are asked for.

Counters come from the engine's own, which never go down while it runs, so these do not either.
"""

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from cuzk.engine.events import Event, JobChecking, JobEnded, JobRefused
from cuzk.engine.status import Status
from cuzk.filecoin.kinds import Kind

_LABELS = {kind.display: kind.metric for kind in Kind}

_DURATIONS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """All metrics of one engine."""

    def __init__(self, status: Callable[[], Status]) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_EngineCollector(status))
        self._durations = Histogram(
            "cuzk_proof_duration_seconds",
            "From submit to a verified proof.",
            ["proof_kind"],
            buckets=_DURATIONS,
            registry=self._registry,
        )
        self._open: dict[str, tuple[str, float]] = {}

    def observe(self, event: Event) -> None:
        """Take note of one of the engine's events: jobs that begin and end."""
        if isinstance(event, JobChecking):
            self._open[event.job_id] = _LABELS.get(event.kind, event.kind), event.submitted_at
        elif isinstance(event, JobEnded | JobRefused):
            label, submitted_at = self._open.pop(event.job_id, ("", event.at))
            if isinstance(event, JobEnded) and event.state == "done" and label:
                self._durations.labels(label).observe(event.at - submitted_at)

    def text(self) -> str:
        """Return them in Prometheus's text format 0.0.4."""
        return generate_latest(self._registry).decode()


class _EngineCollector(Collector):
    def __init__(self, status: Callable[[], Status]) -> None:
        self._status = status

    def collect(self) -> Iterator[Metric]:
        status = self._status()
        yield from _counters(status)
        yield from _gauges(status)
        yield from _devices(status)

    def describe(self) -> Iterator[Metric]:
        return iter(())


def _counters(status: Status) -> Iterator[Metric]:
    counters = status.counters
    for name, text, by_kind in (
        ("cuzk_proofs_completed", "Jobs that ended with a verified proof.", counters.completed_by_kind),
        ("cuzk_proofs_failed", "Jobs that failed.", counters.failed_by_kind),
    ):
        family = CounterMetricFamily(name, text, labels=["proof_kind"])
        for display, label in _LABELS.items():
            family.add_metric([label], by_kind.get(display, 0))
        yield family
    for name, text, value in (
        ("cuzk_jobs_cancelled", "Jobs that were cancelled.", counters.total_cancelled),
        ("cuzk_jobs_refused", "Requests that were refused.", counters.refused),
        ("cuzk_partitions_proved", "Partitions with a verified proof.", counters.partitions_proved),
        ("cuzk_partition_retries", "Attempts at a partition after its first.", counters.partition_retries),
        ("cuzk_worker_deaths", "Worker processes that died.", counters.worker_deaths),
        ("cuzk_verify_failures", "Proofs that did not verify and were made again.", counters.verify_failures),
    ):
        yield CounterMetricFamily(name, text, value=value)


def _gauges(status: Status) -> Iterator[Metric]:
    for name, text, value in (
        ("cuzk_uptime_seconds", "Seconds since the engine was made.", status.uptime_secs),
        ("cuzk_serving", "1 while jobs are accepted.", float(status.state == "serving")),
        ("cuzk_queue_depth", "Jobs of which no partition has begun.", status.counters.queue_depth),
        ("cuzk_memory_budget_bytes", "The memory budget.", status.memory.total_bytes),
        ("cuzk_memory_used_bytes", "What is reserved of the memory budget.", status.memory.used_bytes),
        ("cuzk_synthesis_active", "Partitions in synthesis.", status.synthesis.active),
        ("cuzk_synthesis_workers", "Synthesis processes at most.", status.synthesis.max_concurrent),
        ("cuzk_gpu_workers", "Lanes of all devices.", len(status.gpu_workers)),
    ):
        yield GaugeMetricFamily(name, text, value=value)
    pending = GaugeMetricFamily("cuzk_pending_jobs", "Jobs that wait, by kind.", labels=["proof_kind"])
    running = GaugeMetricFamily("cuzk_running_jobs", "Jobs in progress, by kind.", labels=["proof_kind"])
    for queue in status.queues:
        label = [_LABELS.get(queue.proof_kind, queue.proof_kind)]
        pending.add_metric(label, queue.pending)
        running.add_metric(label, queue.in_progress)
    yield pending
    yield running
    srs = GaugeMetricFamily("cuzk_srs_bytes", "Memory of loaded parameters.", labels=["circuit_id", "tier"])
    for item in status.allocations.srs:
        if item.tier != "cold":
            srs.add_metric([item.circuit_id, item.tier], item.bytes)
    yield srs


def _devices(status: Status) -> Iterator[Metric]:
    """Give no sample to what is unknown of a device."""
    labels = ["device", "name"]
    healthy = GaugeMetricFamily("cuzk_device_healthy", "1 while the device takes work.", labels=labels)
    total = GaugeMetricFamily("cuzk_device_memory_bytes", "Memory of the device.", labels=labels)
    free = GaugeMetricFamily("cuzk_device_memory_free_bytes", "Free memory of the device.", labels=labels)
    celsius = GaugeMetricFamily("cuzk_device_temperature_celsius", "Temperature of the device.", labels=labels)
    busy = GaugeMetricFamily("cuzk_device_utilisation_ratio", "Utilisation, as the driver says.", labels=labels)
    for device in status.devices:
        values = (
            (healthy, float(device.state == "ok")),
            (total, device.memory_total_bytes),
            (free, device.memory_free_bytes),
            (celsius, device.temperature_c),
            (busy, device.utilisation),
        )
        for family, value in values:
            if value is not None:
                family.add_metric([device.id, device.name or ""], value)
    lanes = GaugeMetricFamily(
        "cuzk_lane_busy_ratio", "Share of the last minute in which the lane was proving.", labels=["worker", "device"]
    )
    for lane in status.gpu_workers:
        lanes.add_metric([str(lane.worker_id), lane.device], lane.utilisation)
    yield from (healthy, total, free, celsius, busy, lanes)
