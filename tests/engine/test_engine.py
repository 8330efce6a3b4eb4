"""The engine with real processes and real proofs over small circuits."""

import asyncio
from pathlib import Path

from cuzk.filecoin.kinds import Kind
from tests.engine import small
from tests.engine.conftest import EngineFactory
from tests.engine.loop import in_loop


@in_loop
async def test_jobs_of_ten_and_sixteen_partitions_give_proofs_that_verify(
    engine_in: EngineFactory, folder: Path
) -> None:
    async with engine_in() as engine:
        requests = [small.request(Kind.POREP, "a"), small.request(Kind.SNAP, "b"), small.request(Kind.WINNING, "c")]
        outcomes = await asyncio.gather(*(engine.prove(request) for request in requests))
        for request, outcome in zip(requests, outcomes, strict=True):
            assert outcome.status == "completed", outcome
            assert len(outcome.proof) == 192 * small.PARTITIONS[request.kind]
            assert small.check_proof(folder, request, outcome.proof)
            assert outcome.job_id == request.request_id
            assert outcome.synthesis_ms >= 0
        counters = engine.status().counters
        assert counters.total_completed == 3
        assert counters.completed_by_kind == {"porep-c2": 1, "snap-update": 1, "window-post": 0, "winning-post": 1}
        assert counters.partitions_proved == 27
