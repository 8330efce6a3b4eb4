"""GetStatus: what of the status fits into the wire's message."""

from cuzk.engine.status import Status
from cuzk.proto import proving_pb2 as pb

_TIERS = {"hot": pb.SRSStatus.HOT, "warm": pb.SRSStatus.WARM, "cold": pb.SRSStatus.COLD}


def status_reply(status: Status) -> pb.GetStatusResponse:
    """Say it with one entry a device, all kinds in the queues, and the memory budget in the fields of pinned memory."""
    return pb.GetStatusResponse(
        gpus=_devices(status),
        loaded_srs=[
            pb.SRSStatus(circuit_id=srs.circuit_id, tier=_TIERS[srs.tier], size_bytes=srs.bytes, ref_count=srs.refs)
            for srs in status.allocations.srs
            if srs.tier != "cold"
        ],
        queues=[
            pb.QueueStatus(proof_kind=queue.proof_kind, pending=queue.pending, in_progress=queue.in_progress)
            for queue in status.queues
        ],
        total_proofs_completed=status.counters.total_completed,
        total_proofs_failed=status.counters.total_failed,
        uptime_seconds=int(status.uptime_secs),
        pinned_memory_bytes=status.memory.used_bytes,
        pinned_memory_limit_bytes=status.memory.total_bytes,
    )


def _devices(status: Status) -> list[pb.GPUStatus]:
    """One entry a device; with several lanes proving, the job of the first of them. Unknown memory is 0 here."""
    kinds = {job.job_id: job.proof_kind for job in status.pipelines}
    entries = []
    for device in status.devices:
        jobs = [lane.current_job for lane in status.gpu_workers if lane.device == device.id and lane.current_job]
        current = jobs[0] if jobs else ""
        entries.append(
            pb.GPUStatus(
                ordinal=device.ordinal,
                name=device.name or device.id,
                vram_total_bytes=device.memory_total_bytes or 0,
                vram_free_bytes=device.memory_free_bytes or 0,
                current_job_id=current,
                current_proof_kind=kinds.get(current, ""),
            )
        )
    return entries
