"""A Groth16 proof of a synthetic circuit: seconds of each half, and the peak of memory.

    python benchmarks/groth16.py --circuit dense_chain --log2 16 18 --threads 2 --multiples 16

Proofs are made in a fresh process that maps the parameters and has the assignment in memory, as a worker does. Seconds
are of the best proof but the first, which finds nothing of the parameters in its memory (`first_seconds`); CPU
seconds are those of all threads, and the figure to look at on a busy machine. Peak resident memory is set against the
bound: parameter file (or prepared points) + 96 bytes a domain point + 20 %.
"""

import argparse
import ctypes
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


def prove_all(folder: Path, threads: int, repeats: int) -> list[dict[str, Any]]:
    """Prove several times from the files: what the fresh process does."""
    density = Density(**np.load(folder / "density.npz"))
    parameters = Parameters.open(folder / "c.params", check=Check.STRUCTURE)
    if (prepared := folder / "c.prepared").exists():
        parameters = parameters.with_prepared(prepared, source="benchmark")
    return [prove_once(folder / "assignment.bin", parameters, density, threads) for _ in range(repeats)]


def prove_once(path: Path, parameters: Parameters, density: Density, threads: int) -> dict[str, Any]:
    """Prove the assignment in a file and verify the proof."""
    segment = mmap.mmap(-1, path.stat().st_size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with path.open("rb") as file:
        file.readinto(segment)
    assignment = Assignment.from_buffer(memoryview(segment))
    inputs = assignment.inputs.copy()
    evaluations = -(-assignment.layout.offsets[4] // mmap.PAGESIZE) * mmap.PAGESIZE
    begin, cpu = time.perf_counter(), time.process_time()
    pending = prove_start(CpuDevice(threads), parameters, density, assignment)
    segment.madvise(mmap.MADV_DONTNEED, evaluations)  # the prover is done with a and b
    middle = time.perf_counter()
    proof = prove_finish(pending, threads=threads)
    end = time.perf_counter()
    cpu, peak = time.process_time() - cpu, peak_memory()
    assert verify(parameters.verifying_key, inputs[1:], Proof.parse(proof.to_bytes()))
    ctypes.CDLL(None).malloc_trim(0)  # as workers do after each task
    return {"start": middle - begin, "finish": end - middle, "cpu": cpu, "peak_bytes": peak}


def peak_memory() -> int:
    """Return the most memory this process has had, in bytes (getrusage would count its parent's, before exec)."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))


def measure(circuit_name: str, log2_size: int, options: argparse.Namespace) -> dict[str, Any]:
    """Prove several times in a process of their own; return the least seconds and the largest peak."""
    with tempfile.TemporaryDirectory(prefix="cuzk-bench-") as name:
        folder, threads = Path(name), options.threads
        begin = time.perf_counter()
        domain = prepare(folder, circuit_name, log2_size, threads)
        made = time.perf_counter() - begin
        points = (folder / "c.params").stat().st_size
        if options.multiples:
            parameters = Parameters.open(folder / "c.params", check=Check.STRUCTURE)
            path = folder / "c.prepared"
            parameters.prepare(path, source="benchmark", multiples=options.multiples, threads=threads)
            points = path.stat().st_size
        flags = ["--threads", str(threads), "--repeats", str(options.repeats)]
        command = [sys.executable, __file__, "--child", name, *flags]
        result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    first, *others = result["runs"]
    best = min(others or [first], key=lambda run: run["start"] + run["finish"])
    return {
        "circuit": circuit_name,
        "log2n": log2_size,
        "threads": threads,
        "multiples": options.multiples,
        "setup_seconds": round(made, 2),
        "first_seconds": round(first["start"] + first["finish"], 3),
        "start_seconds": round(best["start"], 3),
        "finish_seconds": round(best["finish"], 3),
        "seconds": round(best["start"] + best["finish"], 3),
        "cpu_seconds": round(best["cpu"], 3),
        "points_mib": points >> 20,
        "peak_mib": max(run["peak_bytes"] for run in result["runs"]) >> 20,
        "interpreter_mib": result["base_bytes"] >> 20,
        "bound_mib": int(ALLOWANCE * (points + BYTES_PER_POINT * domain)) >> 20,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--circuit", choices=list(CIRCUITS), default="dense_chain")
    parser.add_argument("--log2", nargs="+", type=int, default=[16])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--multiples", type=int, default=0, help="prove from prepared points, so many of each; 0: raw")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        base = peak_memory()
        print(json.dumps({"base_bytes": base, "runs": prove_all(options.child, options.threads, options.repeats)}))
        return
    for log2_size in options.log2:
        print(json.dumps(measure(options.circuit, log2_size, options)), flush=True)


if __name__ == "__main__":
    main()
