"""Proving in this process, without a daemon: a request in, a verified proof and the time of each stage out."""

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from cuzk.algebra import fr
from cuzk.devices import Device
from cuzk.errors import UnsatisfiedError
from cuzk.filecoin.registry import CircuitEntry, ProofJob
from cuzk.filecoin.request import Request
from cuzk.groth16.assignment import Assignment
from cuzk.groth16.parameters import Parameters
from cuzk.groth16.proof import Proof
from cuzk.groth16.prover import prove_finish, prove_start
from cuzk.groth16.verifier import verify
from cuzk.r1cs.synthesis import Synthesizer


@dataclass
class StageTimes:
    """Seconds that each stage took, summed over partitions, in the order in which stages first ran."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of a block to a stage."""
        begin = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin

    @property
    def total(self) -> float:
        """Seconds of all stages."""
        return sum(self.seconds.values())


def checked_job(entry: CircuitEntry, request: Request, times: StageTimes, threads: int) -> ProofJob:
    """Decode a request and check its vanilla proofs; InputError says what is wrong with it."""
    with times.stage("decode"):
        job = entry.decode(request)
    with times.stage("check"):
        job.verify_vanilla(threads)
    return job


def assignment_digest(assignment: Assignment) -> str:
    """Return the SHA-256 of inputs (ONE first) then aux, 32 bytes each, in hex."""
    digest = hashlib.sha256(fr.to_bytes(assignment.inputs))
    digest.update(fr.to_bytes(assignment.aux.dense()))
    return digest.hexdigest()


class LocalProver:
    """Proves jobs of one circuit, one after another."""

    def __init__(self, synthesizer: Synthesizer, parameters: Parameters, device: Device, threads: int) -> None:
        self.synthesizer = synthesizer
        self.parameters = parameters
        self.device = device
        self.threads = threads
        self._segment = np.empty(synthesizer.layout.size, dtype=np.uint8).data  # fresh memory would cost time each time

    def prove(self, job: ProofJob, times: StageTimes, *, r: int | None = None, s: int | None = None) -> list[Proof]:
        """Prove the partitions of a checked job in order, and verify the proofs.

        `r` and `s` come from the operating system unless given, for reproducible tests alone. Raises UnsatisfiedError
        if a proof does not verify.
        """
        density = self.synthesizer.circuit.density
        proofs = []
        for partition in range(job.partitions):
            with times.stage("synthesize"):
                data = job.witness_data(partition)
                assignment = self.synthesizer.run(data, threads=self.threads, buffer=self._segment)
            with times.stage("prove_start"):
                pending = prove_start(self.device, self.parameters, density, assignment, r=r, s=s)
                del assignment
            with times.stage("prove_finish"):
                proof = prove_finish(pending, threads=self.threads)
            with times.stage("verify"):
                if not verify(self.parameters.verifying_key, job.public_inputs(partition), proof):
                    raise UnsatisfiedError(f"{job.circuit_id}: the proof of partition {partition} does not verify")
            proofs.append(proof)
        return proofs
