"""The shape of the status: keys and words of the Rust daemon's JSON, and what is added (marked in docs/engine.md).

Unknown is null.
"""

import msgspec


class Status(msgspec.Struct, frozen=True):
    """One snapshot."""

    uptime_secs: float
    boot_id: str
    host: str
    state: str
    state_reason: str | None
    time: float
    versions: dict[str, str]
    dev_params: bool
    memory: "MemoryStatus"
    synthesis: "SynthesisStatus"
    threads: "ThreadsStatus"
    pipelines: "list[PipelineStatus]"
    recent: "list[RecentStatus]"
    throughput: "ThroughputStatus"
    gpu_workers: "list[GpuWorkerStatus]"
    devices: "list[DeviceStatus]"
    allocations: "AllocationsStatus"
    counters: "CountersStatus"
    queues: "list[QueueStatus]"
    buffers: "BuffersStatus"
    journal: "JournalStatus"
    gpus: "GpusStatus"


class ReservationStatus(msgspec.Struct, frozen=True):
    """One part of the memory in use."""

    kind: str
    name: str
    place: str | None
    bytes: int
    job_id: str | None
    partition: int | None


class MemoryStatus(msgspec.Struct, frozen=True):
    """The budget; `used_bytes` is the sum of the reservations."""

    total_bytes: int
    used_bytes: int
    available_bytes: int
    critical_reserve_bytes: int
    reservations: list[ReservationStatus]


class SynthesisWorkerStatus(msgspec.Struct, frozen=True):
    """One synthesis process."""

    worker_id: str
    pid: int | None
    state: str
    current_job: str | None
    current_partition: int | None
    busy_secs: float | None
    restarts: int
    last_error: str | None


class SynthesisStatus(msgspec.Struct, frozen=True):
    """Synthesis as a whole."""

    max_concurrent: int
    active: int
    workers: list[SynthesisWorkerStatus]


class ThreadsStatus(msgspec.Struct, frozen=True):
    """The one thread budget."""

    total: int
    used: int


class PartitionStatus(msgspec.Struct, frozen=True):
    """One partition."""

    index: int
    state: str
    synth_ms: int | None
    gpu_ms: int | None
    attempt: int
    worker_id: int | None
    worker: str | None
    error: str | None
    waits_for: str | None


class PipelineStatus(msgspec.Struct, frozen=True):
    """One job."""

    job_id: str
    proof_kind: str
    started_secs_ago: float
    total_partitions: int
    partitions_done: int
    partitions: list[PartitionStatus]
    request_id: str
    circuit_id: str | None
    state: str
    priority: str
    attempt: int
    submitted_secs_ago: float
    finished_secs_ago: float | None
    deadline_in_secs: float | None
    error: str | None
    queue_wait_ms: int
    total_ms: int


class RecentStatus(msgspec.Struct, frozen=True):
    """A job that ended; kept longer than its pipeline."""

    job_id: str
    proof_kind: str
    circuit_id: str | None
    state: str
    attempt: int
    error: str | None
    finished_secs_ago: float
    total_ms: int


class ThroughputStatus(msgspec.Struct, frozen=True):
    """What was made in each slot of the last ten minutes, oldest first; the last slot is the running one."""

    slot_secs: float
    span_secs: float
    """What the slots cover."""
    jobs_completed: list[int]
    partitions_proved: list[int]


class FinalizingStatus(msgspec.Struct, frozen=True):
    """A partition whose device work is done."""

    job_id: str
    partition: int
    secs: float


class GpuWorkerStatus(msgspec.Struct, frozen=True):
    """One lane of a device."""

    worker_id: int
    gpu_ordinal: int
    state: str
    current_job: str | None
    current_partition: int | None
    busy_secs: float | None
    device: str
    pid: int | None
    finalizing: list[FinalizingStatus]
    utilisation: float
    history: list[float]
    finished: int
    last_error: str | None


class DeviceStatus(msgspec.Struct, frozen=True):
    """One device; `unknown` says why a value is null, where that is known."""

    id: str
    ordinal: int
    name: str | None
    kind: str | None
    state: str
    reason: str | None
    pid: int | None
    restarts: int
    faults: int
    memory_total_bytes: int | None
    memory_free_bytes: int | None
    temperature_c: float | None
    utilisation: float | None
    unknown: dict[str, str]


class GpuStatus(msgspec.Struct, frozen=True):
    """One GPU of this machine; `unknown` says why a value is null."""

    ordinal: int
    name: str | None
    memory_total_bytes: int | None
    memory_free_bytes: int | None
    temperature_c: float | None
    utilisation: float | None
    unknown: dict[str, str]


class GpusStatus(msgspec.Struct, frozen=True):
    """The NVIDIA GPUs of this machine, as their driver tells; `unknown` says why none can be known."""

    found: list[GpuStatus]
    unknown: str | None


class SrsStatus(msgspec.Struct, frozen=True):
    """A circuit's parameters."""

    circuit_id: str
    bytes: int
    last_used_secs_ago: float
    evictable: bool
    tier: str
    refs: int
    state: str
    error: str | None
    load_ms: int | None


class PceStatus(msgspec.Struct, frozen=True):
    """A compiled circuit, over all synthesis processes that have it."""

    circuit_id: str
    bytes: int
    last_used_secs_ago: float
    evictable: bool


class AllocationsStatus(msgspec.Struct, frozen=True):
    """What is kept between jobs."""

    srs: list[SrsStatus]
    pce: list[PceStatus]


class CountersStatus(msgspec.Struct, frozen=True):
    """Counts since the start."""

    total_completed: int
    total_failed: int
    completed_by_kind: dict[str, int]
    failed_by_kind: dict[str, int]
    queue_depth: int
    total_cancelled: int
    refused: int
    partitions_proved: int
    partition_retries: int
    worker_deaths: int
    verify_failures: int


class QueueStatus(msgspec.Struct, frozen=True):
    """Unfinished jobs of one kind."""

    proof_kind: str
    pending: int
    in_progress: int


class BuffersStatus(msgspec.Struct, frozen=True):
    """Partitions by what they hold."""

    synth_in_flight: int
    provers_in_flight: int
    aux_in_flight: int
    shells_in_flight: int
    pending_handles: int


class JournalStatus(msgspec.Struct, frozen=True):
    """Whether jobs can be put on disk."""

    state: str
    error: str | None
