"""Times a circuit's life: tracing, saving, loading, planning and synthesis, with the memory of the process.

    python benchmarks/synthesis.py winning-2k wpost-32g:100 porep-32g:9

A number after the colon: that many sectors of a wpost circuit, or challenges of a porep or snap circuit.

Synthesis runs on random data: it costs what a real proof's does. Each circuit is measured in a process of its own.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from cuzk.filecoin.porep.circuit import stacked_porep
from cuzk.filecoin.porep.config import porep_config
from cuzk.filecoin.post.circuit import fallback_post
from cuzk.filecoin.post.config import window_config, winning_config
from cuzk.filecoin.sectors import shape_of_slug
from cuzk.filecoin.update.circuit import sector_update
from cuzk.filecoin.update.config import update_config
from cuzk.r1cs import CompiledCircuit, ConstraintSystem, storage
from cuzk.r1cs.synthesis import Synthesizer

THREADS = (1, 2)
RUNS = 10
SECONDS = 5.0  # fewer runs once they have taken this long


def circuit_of(name: str) -> Callable[[ConstraintSystem], None]:
    circuit_id, _, count = name.partition(":")
    kind, slug = circuit_id.split("-")
    shape, number = shape_of_slug(slug), int(count) if count else None
    match kind:
        case "winning":
            return partial(fallback_post, config=winning_config(shape))
        case "wpost":
            return partial(fallback_post, config=window_config(shape, number))
        case "porep":
            porep = porep_config(shape)
            return partial(stacked_porep, config=replace(porep, challenges=number or porep.challenges))
    update = update_config(shape)
    return partial(sector_update, config=replace(update, challenges=number or update.challenges))


def peak_mib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def measure(name: str) -> dict[str, float | int | str]:
    result: dict[str, float | int | str] = {"circuit": name}

    begin = time.perf_counter()
    traced = CompiledCircuit.trace(name, circuit_of(name))
    result["trace_ms"] = (time.perf_counter() - begin) * 1e3
    result["trace_cpu_s"] = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "circuit.pce"
        storage.save(traced, path)
        begin = time.perf_counter()
        circuit = storage.load(path)
        result["load_ms"] = (time.perf_counter() - begin) * 1e3
        result["file_kib"] = path.stat().st_size / 1024
    result["rows"] = circuit.num_constraints

    begin = time.perf_counter()
    synthesizer = Synthesizer(circuit)
    result["plan_ms"] = (time.perf_counter() - begin) * 1e3
    result["plan_peak_mib"] = peak_mib()

    rng = np.random.default_rng(1)
    data = rng.integers(0, 1 << 62, size=(circuit.num_data, 4), dtype=np.uint64)
    buffer = np.zeros(synthesizer.layout.size, dtype=np.uint8).data
    result["bytes_a_row"] = synthesizer.layout.size / circuit.num_constraints
    for threads in THREADS:
        wall, cpu = zip(*runs(synthesizer, data, buffer, threads), strict=True)
        result[f"wall_ms_{threads}"] = min(wall) * 1e3
        result[f"cpu_s_a_million_rows_{threads}"] = min(cpu) / circuit.num_constraints * 1e6
    result["peak_mib"] = peak_mib()
    return result


def runs(synthesizer: Synthesizer, data: np.ndarray, buffer: memoryview, threads: int) -> list[tuple[float, float]]:
    times: list[tuple[float, float]] = []
    while len(times) < 2 or (len(times) < RUNS and sum(wall for wall, _ in times) < SECONDS):
        wall, cpu = time.perf_counter(), time.process_time()
        synthesizer.run(data, threads=threads, buffer=buffer)
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    return times


def main(names: list[str]) -> None:
    if len(names) == 1:
        print(json.dumps(measure(names[0])))
        return
    for name in names:
        out = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True).stdout
        print(
            " ".join(
                f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}"
                for key, value in json.loads(out).items()
            )
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = ["winning-2k", "wpost-2k", "winning-32g", "wpost-32g:2", "wpost-32g:100"]
    parser.add_argument("circuits", nargs="*", default=default, metavar="CIRCUIT[:NUMBER]")
    main(parser.parse_args().circuits)
