"""A Filecoin proof from the request to the verified proof, stage by stage, with the memory of each.

    python benchmarks/proof.py winning-2k wpost-2k porep-2k snap-2k --threads 2
    python benchmarks/proof.py porep-2k --steps trace setup prove

`prove` uses the development parameters in the cache, and makes them where they are missing. It proves several times in
one process and shows the first run and the best of the others: the first maps files and touches memory. Seconds are
of the clock and, in the column CPU, of all threads. `trace` and `setup` are each done once, in a fresh process; with
`trace`, $CUZK_CACHE must name an empty folder. Every figure of memory is the most that the process had during that
stage, less what it had before the first: Python and its libraries.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cuzk.algebra.bitmap import Bitmap
from cuzk.devices import Bases, CpuDevice, ScalarBuffer
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.local import LocalProver, StageTimes, checked_job
from cuzk.filecoin.parameters.folder import development_folder
from cuzk.filecoin.parameters.prepared import prepare_parameters
from cuzk.filecoin.registry import entry
from cuzk.groth16 import Check, Parameters, setup
from cuzk.r1cs.synthesis import Synthesizer

STEPS = ("trace", "setup", "prove")
KERNELS = ("quotient", "msm h", "msm l", "msm a", "msm b_g1")


@dataclass
class Cost:
    """What one stage took."""

    wall: float
    cpu: float
    peak: int


@dataclass
class Ledger(StageTimes):
    """Stage times that also keep CPU seconds and peak memory."""

    costs: dict[str, Cost] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        reset_peak()
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        cost = Cost(time.perf_counter() - wall, time.process_time() - cpu, memory("VmHWM"))
        self.costs[name] = cost
        self.seconds[name] = cost.wall


class TimedDevice(CpuDevice):
    """The CPU, with the cost of each of its kernels."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.ledger = Ledger()

    def quotient(self, a: Any, b: Any) -> Any:
        with self.ledger.stage("quotient"):
            return super().quotient(a, b)

    def msm(self, bases: Bases, scalars: ScalarBuffer | Any, density: Bitmap | None = None) -> Any:
        with self.ledger.stage(KERNELS[len(self.ledger.costs)]):
            return super().msm(bases, scalars, density)


def memory(key: str) -> int:
    """Return this process's VmRSS or VmHWM, in bytes."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith(f"{key}:"))


def reset_peak() -> None:
    """Let VmHWM start again from what there is now."""
    Path("/proc/self/clear_refs").write_text("5")


def open_raw_or_prepared(circuit_id: str, multiples: int, threads: int) -> Parameters:
    """Map the development parameters; with multiples, prepared so, in the cache."""
    folder, circuit = development_folder(), entry(circuit_id)
    if multiples:
        return prepare_parameters(folder, circuit, multiples=multiples, threads=threads)
    return Parameters.open(folder.file(f"{circuit.parameter_stem}.params"), check=Check.STRUCTURE)


def prove(circuit_id: str, threads: int, repeat: int, multiples: int) -> dict[str, Any]:
    """Prove a development request several times; return the costs of each run by stage."""
    circuit = entry(circuit_id)
    request = circuit.development_request(DevelopmentOrder(b"seed"), threads)
    base = memory("VmRSS")
    synthesizer = Synthesizer(circuit.circuit())
    parameters = open_raw_or_prepared(circuit_id, multiples, threads)
    device = TimedDevice(threads)
    prover = LocalProver(synthesizer, parameters, device, threads)
    runs = []
    for _ in range(repeat):
        ledger, device.ledger = Ledger(), Ledger()
        job = checked_job(circuit, request, ledger, threads)
        prover.prove(job, ledger)
        costs = {name: ledger.costs[name] for name in ("decode", "check", "synthesize")}
        costs |= device.ledger.costs
        costs |= {name: ledger.costs[name] for name in ("prove_finish", "verify")}
        costs["total"] = Cost(
            ledger.total, sum(c.cpu for c in ledger.costs.values()), max(c.peak for c in costs.values())
        )
        runs.append({name: (cost.wall, cost.cpu, cost.peak - base) for name, cost in costs.items()})
    rows = synthesizer.circuit.num_constraints
    size = sum(points.nbytes for points in parameters.vectors.values())
    if parameters.prepared is not None:
        size = parameters.prepared.nbytes
    return {
        "rows": rows,
        "domain": parameters.domain,
        "parameters": size,
        "multiples": multiples,
        "segment": synthesizer.layout.size,
        "runs": runs,
    }


def trace(circuit_id: str) -> dict[str, Any]:
    """Trace a circuit and keep it in the cache, which must not have it yet."""
    base, ledger = memory("VmRSS"), Ledger()
    with ledger.stage("trace"):
        entry(circuit_id).circuit()
    return _single(ledger, base)


def make_parameters(circuit_id: str, path: Path, threads: int) -> dict[str, Any]:
    """Make development parameters."""
    circuit = entry(circuit_id).circuit()
    base, ledger = memory("VmRSS"), Ledger()
    with ledger.stage("setup"):
        setup(circuit, path, sector_size=entry(circuit_id).shape.size, threads=threads)
    return _single(ledger, base)


def _single(ledger: Ledger, base: int) -> dict[str, Any]:
    return {"runs": [{name: (cost.wall, cost.cpu, cost.peak - base) for name, cost in ledger.costs.items()}]}


def do_step(step: str, circuit_id: str, options: argparse.Namespace) -> dict[str, Any]:
    """Do one step in this process."""
    if step == "prove":
        return prove(circuit_id, options.threads, options.repeat, options.multiples)
    if step == "trace":
        return trace(circuit_id)
    with tempfile.TemporaryDirectory(prefix="cuzk-bench-") as name:
        return make_parameters(circuit_id, Path(name) / "c.params", options.threads)


def show(circuit_id: str, result: dict[str, Any]) -> None:
    """Print a table: seconds and peak memory of the first run; of the best of the others, CPU seconds too."""
    first, *others = result["runs"]
    best = min(others or [first], key=lambda run: sum(wall for wall, _, _ in run.values()))
    head = [f"{name} {value:,}" for name, value in result.items() if name != "runs"]
    print(f"{circuit_id}: {', '.join(head)}")
    print(f"  {'stage':14} {'first':>9} {'MiB':>6} {'best':>9} {'CPU':>9} {'MiB':>6}")
    for name in first:
        (wall, _, peak), (best_wall, best_cpu, best_peak) = first[name], best[name]
        print(f"  {name:14} {wall:9.4f} {peak >> 20:6} {best_wall:9.4f} {best_cpu:9.4f} {best_peak >> 20:6}")
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("circuits", nargs="+", metavar="CIRCUIT")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=["prove"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--multiples", type=int, default=0, help="prove from prepared points, so many of each; 0: raw")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(do_step(options.steps[0], options.circuits[0], options)))
        return
    for circuit_id in options.circuits:
        path = development_folder().path / f"{entry(circuit_id).parameter_stem}.params"
        if "prove" in options.steps and not path.exists():
            make_parameters(circuit_id, path, options.threads)
        for step in options.steps:
            numbers = {"threads": options.threads, "repeat": options.repeat, "multiples": options.multiples}
            flags = [f"--{name}={number}" for name, number in numbers.items()]
            command = [sys.executable, __file__, circuit_id, "--steps", step, "--child", *flags]
            result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            if options.json:
                print(json.dumps({"circuit": circuit_id, "step": step, **result}), flush=True)
            else:
                show(circuit_id, result)


if __name__ == "__main__":
    main()
