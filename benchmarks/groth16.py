"""A Groth16 proof of a synthetic circuit: seconds of each half, and the peak of memory.

    python benchmarks/groth16.py --circuit dense_chain --log2 16 18 --threads 2

The proof is made in a fresh process that maps the parameters and the assignment from files, as a worker does; its peak
resident memory is set against the bound: parameter file + 96 bytes a domain point + 20 %. CPU seconds are those of all
threads, and the figure to look at on a busy machine.
"""

import argparse
import json
import mmap
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from cuzk.devices import CpuDevice
from cuzk.groth16 import Assignment, Check, Density, Parameters, Proof, prove_finish, prove_start, setup, verify
from cuzk.groth16.synthetic import boolean_heavy, dense_chain

CIRCUITS = {"dense_chain": dense_chain, "boolean_heavy": boolean_heavy}
BYTES_PER_POINT = 96
ALLOWANCE = 1.2


def prepare(folder: Path, circuit_name: str, log2_size: int, threads: int) -> int:
    """Write parameters, densities and the assignment; return the domain."""
    case = CIRCUITS[circuit_name](log2_size)
    circuit = case.circuit
    setup(circuit, folder / "c.params", threads=threads)
    density = circuit.density
    np.savez(folder / "density.npz", a_aux=density.a_aux, b_inputs=density.b_inputs, b_aux=density.b_aux)
    assignment = Assignment.from_witness(circuit, case.inputs, case.aux, threads=threads)
    buffer = bytearray(assignment.layout.size)
    assignment.write_to(memoryview(buffer))
    (folder / "assignment.bin").write_bytes(buffer)
    return circuit.domain


def prove_once(folder: Path, threads: int) -> dict[str, Any]:
    """Prove from the files: what the fresh process does."""
    with (folder / "assignment.bin").open("r+b") as file:
        segment = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    assignment = Assignment.from_buffer(memoryview(segment))
    inputs = assignment.inputs.copy()
    begin = -(-assignment.layout.offsets[4] // mmap.PAGESIZE) * mmap.PAGESIZE
    evaluations = begin, assignment.layout.size - begin
    density = Density(**np.load(folder / "density.npz"))
    parameters = Parameters.open(folder / "c.params", check=Check.STRUCTURE)
    base = peak_memory()
    begin, cpu = time.perf_counter(), time.process_time()
    pending = prove_start(CpuDevice(threads), parameters, density, assignment)
    segment.madvise(mmap.MADV_DONTNEED, *evaluations)  # the prover is done with a and b
    middle = time.perf_counter()
    proof = prove_finish(pending, threads=threads)
    end = time.perf_counter()
    cpu, peak = time.process_time() - cpu, peak_memory()
    assert verify(parameters.verifying_key, inputs[1:], Proof.parse(proof.to_bytes()))
    return {"start": middle - begin, "finish": end - middle, "cpu": cpu, "base_bytes": base, "peak_bytes": peak}


def peak_memory() -> int:
    """Return the most memory this process has had, in bytes (getrusage would count its parent's, before exec)."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))


def measure(circuit_name: str, log2_size: int, threads: int, repeats: int) -> dict[str, Any]:
    """Prove several times, each in its own process; return the least seconds and the largest peak."""
    with tempfile.TemporaryDirectory(prefix="cuzk-bench-") as name:
        folder = Path(name)
        begin = time.perf_counter()
        domain = prepare(folder, circuit_name, log2_size, threads)
        prepared = time.perf_counter() - begin
        command = [sys.executable, __file__, "--child", name, "--threads", str(threads)]
        runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(repeats)]
        file_size = (folder / "c.params").stat().st_size
    best = min(runs, key=lambda run: run["start"] + run["finish"])
    bound = ALLOWANCE * (file_size + BYTES_PER_POINT * domain)
    return {
        "circuit": circuit_name,
        "log2n": log2_size,
        "threads": threads,
        "setup_seconds": round(prepared, 2),
        "start_seconds": round(best["start"], 3),
        "finish_seconds": round(best["finish"], 3),
        "seconds": round(best["start"] + best["finish"], 3),
        "cpu_seconds": round(min(run["cpu"] for run in runs), 3),
        "peak_mib": max(run["peak_bytes"] for run in runs) >> 20,
        "interpreter_mib": best["base_bytes"] >> 20,
        "bound_mib": int(bound) >> 20,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--circuit", choices=list(CIRCUITS), default="dense_chain")
    parser.add_argument("--log2", nargs="+", type=int, default=[16])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(prove_once(options.child, options.threads)))
        return
    for log2_size in options.log2:
        print(json.dumps(measure(options.circuit, log2_size, options.threads, options.repeats)), flush=True)


if __name__ == "__main__":
    main()
