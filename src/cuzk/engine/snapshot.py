"""What the world looks like at one moment: a pure function of the world and the time."""

from collections.abc import Sequence

import msgspec

from cuzk.engine.events import Owner
from cuzk.engine.ledger import Lane, OpenLease
from cuzk.engine.status import (
    AllocationsStatus,
    BuffersStatus,
    CountersStatus,
    DeviceStatus,
    FinalizingStatus,
    GpusStatus,
    GpuStatus,
    GpuWorkerStatus,
    JournalStatus,
    MemoryStatus,
    PartitionStatus,
    PceStatus,
    PipelineStatus,
    QueueStatus,
    RecentStatus,
    ReservationStatus,
    SrsStatus,
    Status,
    SynthesisStatus,
    SynthesisWorkerStatus,
    ThreadsStatus,
    ThroughputStatus,
)
from cuzk.engine.world import Circuit, Device, Job, Partition, World
from cuzk.filecoin.request import Priority


class Identity(msgspec.Struct, frozen=True):
    """What does not change while an engine runs."""

    boot_id: str
    host: str
    versions: dict[str, str]
    dev_params: bool
    kinds: Sequence[str]
    synthesis_slots: int


def snapshot(world: World, identity: Identity, *, now: float, time: float) -> Status:
    """Show the world at `now` on the engine's clock, which is `time` on the wall."""
    return Status(
        uptime_secs=now - world.started_at,
        boot_id=identity.boot_id,
        host=identity.host,
        state=world.engine.state,
        state_reason=world.engine.reason,
        time=time,
        versions=identity.versions,
        dev_params=identity.dev_params,
        memory=_memory(world),
        synthesis=_synthesis(world, identity, now),
        threads=ThreadsStatus(world.threads_total, world.ledger.threads_used),
        pipelines=[_pipeline(world, job, now) for job in world.jobs.values()],
        recent=[_recent(job, now) for job in reversed(world.recent)],
        throughput=_throughput(world, now),
        gpu_workers=[_gpu_worker(world, lane, now) for lane in world.ledger.lanes.values()],
        devices=[_device(world, device) for device in world.devices.values()],
        allocations=_allocations(world, now),
        counters=_counters(world, identity),
        queues=_queues(world, identity),
        buffers=_buffers(world),
        journal=JournalStatus(world.journal.state, world.journal.error),
        gpus=_gpus(world),
    )


def _gpus(world: World) -> GpusStatus:
    found = [
        GpuStatus(
            ordinal=gpu.ordinal,
            name=gpu.name,
            memory_total_bytes=gpu.memory_total,
            memory_free_bytes=gpu.memory_free,
            temperature_c=gpu.temperature_c,
            utilisation=gpu.utilisation,
            unknown=gpu.unknown,
        )
        for gpu in world.gpus.gpus
    ]
    return GpusStatus(found, world.gpus.reason)


def _memory(world: World) -> MemoryStatus:
    reservations = [
        ReservationStatus(
            kind=owner.kind,
            name=owner.name,
            place=owner.place or None,
            bytes=size,
            job_id=owner.name if owner.kind in ("partition", "payload") else None,
            partition=owner.partition,
        )
        for owner, size in sorted(world.reservations.items(), key=lambda item: _owner_order(item[0]))
    ]
    available = max(0, world.memory_total - world.memory_used)
    reserve = min(world.standing_reserve, available)
    return MemoryStatus(world.memory_total, world.memory_used, available, reserve, reservations)


def _owner_order(owner: Owner) -> tuple[str, str, str, int]:
    return owner.kind, owner.name, owner.place, -1 if owner.partition is None else owner.partition


def _synthesis(world: World, identity: Identity, now: float) -> SynthesisStatus:
    workers = [
        _synthesis_worker(world, name, world.ledger.synthesis.get(name), now)
        for name in world.processes
        if name not in world.devices
    ]
    return SynthesisStatus(identity.synthesis_slots, len(world.ledger.synthesis), workers)


def _synthesis_worker(world: World, name: str, current: OpenLease | None, now: float) -> SynthesisWorkerStatus:
    process = world.processes[name]
    idle = "idle" if process.state == "up" else process.state
    return SynthesisWorkerStatus(
        worker_id=name,
        pid=process.pid,
        state=idle if current is None else "synthesizing",
        current_job=None if current is None else current.lease.job_id,
        current_partition=None if current is None else current.lease.partition,
        busy_secs=None if current is None else now - current.since,
        restarts=process.restarts,
        last_error=process.reason,
    )


def _pipeline(world: World, job: Job, now: float) -> PipelineStatus:
    circuit = world.circuits.get(job.circuit_id or "")
    end = now if job.finished_at is None else job.finished_at
    started = job.submitted_at if job.started_at is None else job.started_at
    waited_until = end if job.started_at is None else job.started_at
    return PipelineStatus(
        job_id=job.job_id,
        proof_kind=job.kind,
        started_secs_ago=now - started,
        total_partitions=len(job.partitions),
        partitions_done=job.done,
        partitions=[_partition(partition, circuit, now) for partition in job.partitions],
        request_id=job.request_id,
        circuit_id=job.circuit_id,
        state=job.state,
        priority=Priority(job.priority).name,
        attempt=job.attempt,
        submitted_secs_ago=now - job.submitted_at,
        finished_secs_ago=None if job.finished_at is None else now - job.finished_at,
        deadline_in_secs=None if job.deadline is None else job.deadline - now,
        error=job.error,
        queue_wait_ms=round((waited_until - job.submitted_at) * 1000),
        total_ms=round((end - job.submitted_at) * 1000),
    )


def _throughput(world: World, now: float) -> ThroughputStatus:
    slots = world.jobs_completed
    return ThroughputStatus(
        slot_secs=slots.seconds,
        span_secs=now - max(world.started_at, slots.oldest(now)),
        jobs_completed=[int(n) for n in slots.read(now, world.started_at)],
        partitions_proved=[int(n) for n in world.partitions_proved.read(now, world.started_at)],
    )


def _recent(job: Job, now: float) -> RecentStatus:
    end = now if job.finished_at is None else job.finished_at
    return RecentStatus(
        job_id=job.job_id,
        proof_kind=job.kind,
        circuit_id=job.circuit_id,
        state=job.state,
        attempt=job.attempt,
        error=job.error,
        finished_secs_ago=now - end,
        total_ms=round((end - job.submitted_at) * 1000),
    )


def _partition(partition: Partition, circuit: Circuit | None, now: float) -> PartitionStatus:
    state, shown = partition.state, partition.shown
    waits_for = None
    if circuit is not None and state in ("pending", "synth_done"):
        waits_for = circuit.waits_synthesis if state == "pending" else circuit.waits_device
    if isinstance(shown, PartitionStatus) and shown.waits_for == waits_for:
        return shown
    synth_ms, gpu_ms = partition.synth_ms, partition.gpu_ms
    if state == "synthesizing" and partition.synth_started is not None:
        synth_ms = round((now - partition.synth_started) * 1000)
    if state == "gpu" and partition.gpu_started is not None:
        gpu_ms = round((now - partition.gpu_started) * 1000)
    status = PartitionStatus(
        index=partition.index,
        state=state,
        synth_ms=synth_ms,
        gpu_ms=gpu_ms,
        attempt=partition.attempt,
        worker_id=partition.lane,
        worker=partition.process,
        error=partition.error,
        waits_for=waits_for,
    )
    if state not in ("synthesizing", "gpu"):
        partition.shown = status  # nothing in it runs on: `World` forgets it at the next change
    return status


def _gpu_worker(world: World, lane: Lane, now: float) -> GpuWorkerStatus:
    current = lane.current
    process = world.processes.get(lane.device)
    return GpuWorkerStatus(
        worker_id=lane.worker_id,
        gpu_ordinal=world.devices[lane.device].ordinal,
        state="idle" if current is None else "proving",
        current_job=None if current is None else current.lease.job_id,
        current_partition=None if current is None else current.lease.partition,
        busy_secs=None if current is None else now - current.since,
        device=lane.device,
        pid=None if process is None else process.pid,
        finalizing=[
            FinalizingStatus(entry.lease.job_id, entry.lease.partition, now - (entry.finalizing_since or now))
            for entry in lane.finalizing.values()
        ],
        utilisation=lane.utilisation(now),
        history=[round(share, 3) for share in lane.history(now)],
        finished=lane.finished,
        last_error=lane.last_error,
    )


def _device(world: World, device: Device) -> DeviceStatus:
    process, sample = world.processes.get(device.name), device.sample
    state = "stopped" if process is None else process.state
    return DeviceStatus(
        id=device.name,
        ordinal=device.ordinal,
        name=None if sample is None else sample.name,
        kind=None if sample is None else sample.kind,
        state="ok" if state == "up" else state,
        reason=None if process is None else process.reason,
        pid=None if process is None else process.pid,
        restarts=0 if process is None else process.restarts,
        faults=device.faults,
        memory_total_bytes=None if sample is None else sample.memory_total,
        memory_free_bytes=None if sample is None else sample.memory_free,
        temperature_c=None if sample is None else sample.temperature_c,
        utilisation=None if sample is None else sample.utilisation,
        unknown={"name": "the device process has not reported yet"} if sample is None else sample.unknown,
    )


def _allocations(world: World, now: float) -> AllocationsStatus:
    held: dict[tuple[str, str], int] = {}
    for owner, size in world.reservations.items():
        held[owner.kind, owner.name] = held.get((owner.kind, owner.name), 0) + size
    srs, pce = [], []
    for circuit_id in sorted(world.circuits):
        circuit = world.circuits[circuit_id]
        if circuit.file != "unknown" or circuit.srs:
            srs.append(_srs(circuit, held.get(("srs", circuit_id), 0), now, world.started_at))
        if ("circuit", circuit_id) in held:
            ago = 0.0 if circuit.synthesizing else now - circuit.last_synthesized
            pce.append(PceStatus(circuit_id, held["circuit", circuit_id], ago, not circuit.synthesizing))
    return AllocationsStatus(srs, pce)


def _srs(circuit: Circuit, size: int, now: float, started_at: float) -> SrsStatus:
    states = {srs.state for srs in circuit.srs.values()}
    words = {"unknown": "cold", "checking": "checking", "good": "cold", "bad": "failed"}
    state = "hot" if "hot" in states else "loading" if "loading" in states else words[circuit.file]
    return SrsStatus(
        circuit_id=circuit.circuit_id,
        bytes=size,
        last_used_secs_ago=0.0 if circuit.refs else now - max(circuit.last_used, started_at),  # never: since the start
        evictable=not circuit.refs,
        tier="hot" if "hot" in states else "warm" if circuit.file == "good" else "cold",
        refs=circuit.refs,
        state=state,
        error=circuit.error,
        load_ms=max((srs.load_ms for srs in circuit.srs.values() if srs.load_ms is not None), default=None),
    )


def _counters(world: World, identity: Identity) -> CountersStatus:
    counters = world.counters
    return CountersStatus(
        total_completed=counters["completed"],
        total_failed=counters["failed"],
        completed_by_kind={kind: world.completed_by_kind[kind] for kind in identity.kinds},
        failed_by_kind={kind: world.failed_by_kind[kind] for kind in identity.kinds},
        queue_depth=sum(job.unfinished and job.started_at is None for job in world.jobs.values()),
        total_cancelled=counters["cancelled"],
        refused=counters["refused"],
        partitions_proved=counters["partitions_proved"],
        partition_retries=counters["partition_retries"],
        worker_deaths=counters["worker_deaths"],
        verify_failures=counters["verify_failures"],
    )


def _queues(world: World, identity: Identity) -> list[QueueStatus]:
    counts = {kind: [0, 0] for kind in identity.kinds}
    for job in world.jobs.values():
        if job.unfinished:
            counts.setdefault(job.kind, [0, 0])[job.started_at is not None] += 1
    return [QueueStatus(kind, pending, in_progress) for kind, (pending, in_progress) in counts.items()]


def _buffers(world: World) -> BuffersStatus:
    provers = sum(lane.current is not None for lane in world.ledger.lanes.values())
    finalizing = sum(len(lane.finalizing) for lane in world.ledger.lanes.values())
    ready = sum(partition.state == "synth_done" for job in world.jobs.values() for partition in job.partitions)
    synthesizing = len(world.ledger.synthesis)
    return BuffersStatus(
        synth_in_flight=synthesizing,
        provers_in_flight=provers,
        aux_in_flight=synthesizing + ready + provers + finalizing,
        shells_in_flight=synthesizing + ready + provers,
        pending_handles=finalizing,
    )
