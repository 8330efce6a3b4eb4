# ruff: noqa: ARG002 (the protocols of `cuzk.engine.kinds` give more than a benchmark needs)
"""What the engine costs: overhead over the library, the price of a snapshot, the memory it reserves and takes.

    PYTHONPATH=. python benchmarks/engine.py overhead --circuit wpost-2k --proofs 6 --rounds 3
    PYTHONPATH=. python benchmarks/engine.py status
    PYTHONPATH=. python benchmarks/engine.py kernels --circuit winning-2k --threads 1
    PYTHONPATH=. python benchmarks/engine.py memory --circuit winning-2k
    PYTHONPATH=. python benchmarks/engine.py daemon --circuit winning-2k --proofs 8

`overhead` makes the same proofs, checked and verified, once by `cuzk.filecoin.local` in a loop and once by an engine
with two or more in flight, in turns; on a busy machine the CPU seconds are the figure to look at. `memory` compares the
peak of all processes' memory (PSS without file-backed pages, less the idle engine's) with the peak of what the engine
had reserved for anonymous memory; it proves random witnesses, since those need no vanilla proofs, without verifying.
`kernels` measures what each stage takes by itself, for `cuzk.engine.needs`. `daemon` compares all that a daemon and its
workers take, from before it loads the parameters until so many proofs at a time were made twice, with its whole budget.

All but `status` need development parameters: `cuzk params generate CIRCUIT`.
"""

import argparse
import asyncio
import ctypes
import json
import resource
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import psutil

from cuzk.cli.daemon_process import DaemonProcess
from cuzk.client import Client
from cuzk.devices.cpu import CpuDevice, available_threads
from cuzk.engine import Engine, Request, load_config
from cuzk.engine.filecoin import CpuProver, FilecoinRegistry
from cuzk.engine.kinds import Prepared, RegistrySource
from cuzk.engine.snapshot import snapshot
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.local import LocalProver, StageTimes, checked_job
from cuzk.filecoin.parameters.folder import development_folder
from cuzk.filecoin.registry import entry
from cuzk.filecoin.request import Priority
from cuzk.groth16 import Check, Parameters, prove_finish, prove_start, verify
from cuzk.r1cs.synthesis import Synthesizer

MIB = 1 << 20


def engine_for(folder: Path, *, registry: RegistrySource | None = None, **sections: dict[str, Any]) -> Engine:
    """Return an engine over development parameters."""
    overrides = {"daemon": {"data_dir": folder}, "srs": {"dev_params": True}} | sections
    return Engine(load_config(environment={}, overrides=overrides), registry=registry)


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and those below it that are known."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    below = sum(sum(p.cpu_times()[:2]) for p in psutil.Process().children(recursive=True))
    return own.ru_utime + own.ru_stime + below


def overhead(circuit_id: str, proofs: int, rounds: int) -> None:
    """Print the engine's time beside the library's, for the same proofs."""
    known = entry(circuit_id)
    folder = development_folder()
    parameters = Parameters.open(folder.file(f"{known.parameter_stem}.params"), check=Check.STRUCTURE)
    threads = available_threads()
    prover = LocalProver(Synthesizer(known.circuit()), parameters, CpuDevice(threads), threads)
    orders = [DevelopmentOrder(randomness=bytes([number]) * 32) for number in range(proofs)]
    requests = [known.development_request(order) for order in orders]

    def by_library() -> None:
        for request in requests:
            times = StageTimes()
            prover.prove(checked_job(known, request, times, threads), times)

    async def run() -> None:
        with tempfile.TemporaryDirectory() as data:
            engine = engine_for(Path(data))
            await engine.start()
            try:
                await engine.preload(circuit_id)
                await engine.prove(replace(requests[0], request_id="warm-up"))
                for number in range(rounds):
                    library = timed(by_library)
                    begin, cpu = time.perf_counter(), cpu_seconds()
                    jobs = [engine.prove(replace(r, request_id=f"{number} {i}")) for i, r in enumerate(requests)]
                    outcomes = await asyncio.gather(*jobs)
                    assert {outcome.status for outcome in outcomes} == {"completed"}
                    ours = time.perf_counter() - begin, cpu_seconds() - cpu
                    print(
                        f"round {number}: library {library[0]:6.2f} s, {library[1]:6.2f} CPU s; "
                        f"engine {ours[0]:6.2f} s, {ours[1]:6.2f} CPU s; "
                        f"ratio {ours[0] / library[0]:.3f}, of CPU {ours[1] / library[1]:.3f}"
                    )
            finally:
                await engine.stop()

    asyncio.run(run())


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """Return wall and CPU seconds."""
    begin, cpu = time.perf_counter(), cpu_seconds()
    work()
    return time.perf_counter() - begin, cpu_seconds() - cpu


def status() -> None:
    """Print what a snapshot of 200 jobs of 16 partitions costs, when everything changed and when nothing did."""
    from tests.engine.simulation import Simulation, settings

    simulation = Simulation(settings(memory_total=1 << 40, synthesis_slots=16, threads_total=32))
    for number in range(200):
        simulation.core.job_checking(f"job {number}", f"job {number}", "snap-update", Priority.NORMAL)
        simulation.core.job_queued(f"job {number}", "small", 16)
    for _ in range(100):
        simulation.step()
    for forget in (True, False):
        spent = []
        for _ in range(50):
            if forget:
                for job in simulation.world.jobs.values():
                    for partition in job.partitions:
                        partition.shown = None
            begin = time.thread_time()
            now = simulation.clock()
            data = msgspec.json.encode(snapshot(simulation.world, simulation.identity, now=now, time=0.0))
            spent.append(time.thread_time() - begin)
        what = "all partitions changed" if forget else "few changed"
        print(f"200 jobs of 16 partitions, {what}: {min(spent) * 1000:.2f} ms of CPU, {len(data)} bytes of JSON")


class RandomJob:
    """A job of random witnesses."""

    def __init__(self, num_data: int) -> None:
        self._num_data = num_data

    def witness_data(self, partition: int) -> np.ndarray:
        return np.random.default_rng(partition).integers(0, 1 << 62, (self._num_data, 4), dtype=np.uint64)


class UnverifiedProver(CpuProver):
    """Proves whatever it is given."""

    def verify(self, circuit_id: str, public_inputs: bytes, proof: bytes) -> bool:
        return True


class RandomRegistry(FilecoinRegistry):
    """Filecoin's circuits over random witnesses."""

    def __init__(self, circuit_id: str, partitions: int) -> None:
        super().__init__(development_folder())
        self._wanted = circuit_id
        self._partitions = partitions

    def prepare(self, request: Request) -> Prepared:
        job = RandomJob(entry(self._wanted).circuit().num_data)
        return Prepared(self._wanted, job, [b""] * self._partitions)

    def prover(self, device: str) -> UnverifiedProver:
        return UnverifiedProver(self._circuits)


def memory_of(top: psutil.Process, *kinds: str) -> int:
    """Return the sum of what these kinds of pages take in a process and all below it, shared pages by their share."""
    total = 0
    for process in [top, *top.children(recursive=True)]:
        try:
            lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        values = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.endswith("kB")}
        total += sum(values[kind] for kind in kinds) << 10
    return total


def anonymous_memory() -> int:
    """Return what this process and all below it take without file-backed pages."""
    return memory_of(psutil.Process(), "Pss_Anon", "Pss_Shmem")


def memory(circuit_id: str, partitions: int) -> None:
    """Print the peak of memory beside the peak of reservations."""
    peak = {"memory": 0, "reserved": 0}
    ending = threading.Event()

    def watch() -> None:
        while not ending.wait(0.02):
            peak["memory"] = max(peak["memory"], anonymous_memory())

    async def run() -> None:
        source = RegistrySource(
            "benchmarks.engine:RandomRegistry", {"circuit_id": circuit_id, "partitions": partitions}
        )
        with tempfile.TemporaryDirectory() as data:
            engine = engine_for(Path(data), registry=source, memory={"eviction_min_idle": "1s"})
            await engine.start()
            try:
                await engine.prove(Request(Kind.WINDOW, request_id="warm-up"))  # all processes are there from here on
                await asyncio.sleep(3.0)
                idle = anonymous_memory()
                engine.subscribe(lambda _: peak.update(reserved=max(peak["reserved"], reserved_for_work(engine))))
                threading.Thread(target=watch).start()
                outcome = await engine.prove(Request(Kind.WINDOW, request_id="x"))
                assert outcome.status == "completed", outcome.error
            finally:
                ending.set()
                await engine.stop()
        taken, reserved = peak["memory"] - idle, peak["reserved"]
        print(
            f"{circuit_id}, {partitions} partitions: reserved {reserved / MIB:.1f} MiB, "
            f"taken {taken / MIB:.1f} MiB ({(reserved / taken - 1) * 100:+.1f} %), idle {idle / MIB:.1f} MiB"
        )

    asyncio.run(run())


def daemon(circuit_id: str, proofs: int) -> None:
    """Print the peak of a daemon's memory beside the peak of its budget, parameters included."""
    requests = [
        entry(circuit_id).development_request(DevelopmentOrder(randomness=bytes([n + 1]) * 32)) for n in range(proofs)
    ]
    with tempfile.TemporaryDirectory() as data, DaemonProcess(Path(data)) as running, Client(running.grpc) as client:
        top = psutil.Process(running.pid)

        def status() -> Any:
            with urllib.request.urlopen(f"{running.panel}status") as answer:
                return json.load(answer)

        while status()["devices"][0]["state"] != "ok":
            time.sleep(0.1)
        time.sleep(2.0)
        idle = memory_of(top, "Pss")
        peak = {"memory": 0, "reserved": 0}
        ending = threading.Event()

        def watch() -> None:
            while not ending.wait(0.01):
                peak["memory"] = max(peak["memory"], memory_of(top, "Pss"))
                peak["reserved"] = max(peak["reserved"], status()["memory"]["used_bytes"])

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            client.preload(circuit_id)
            for number in range(2):
                jobs = [client.submit(replace(r, request_id=f"{number} {i}")) for i, r in enumerate(requests)]
                assert {client.wait(job).status for job in jobs} == {"completed"}
        finally:
            ending.set()
            watcher.join()
    taken, reserved = peak["memory"] - idle, peak["reserved"]
    print(
        f"{circuit_id}, {proofs} proofs at a time: reserved {reserved / MIB:.0f} MiB, "
        f"taken {taken / MIB:.0f} MiB ({(reserved / taken - 1) * 100:+.1f} %), idle {idle / MIB:.0f} MiB"
    )


def kernels(circuit_id: str, threads: int) -> None:
    """Print how much memory each stage takes at its peak, in this process."""
    known = entry(circuit_id)
    circuit = known.circuit()
    synthesizer = staged("compile", lambda: Synthesizer(circuit))
    density = staged("density", lambda: circuit.density)
    path = development_folder().file(f"{known.parameter_stem}.params")
    parameters = Parameters.open(path, check=Check.STRUCTURE)
    data = RandomJob(circuit.num_data).witness_data(0)
    buffer = memoryview(bytearray(synthesizer.layout.size))
    print(f"domain {circuit.domain}, aux {circuit.num_aux}, assignment {len(buffer) / MIB:.1f} MiB")
    assignment = staged("synthesis", lambda: synthesizer.run(data, threads=threads, buffer=buffer))
    device = CpuDevice(threads)
    pending = staged("start", lambda: prove_start(device, parameters, density, assignment))
    proof = staged("finish", lambda: prove_finish(pending, threads=threads))
    staged("verify", lambda: verify(parameters.verifying_key, assignment.inputs[1:], proof))


def give_back() -> None:
    """Have the allocator give free memory back, as workers do between tasks."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def staged(name: str, work: Callable[[], Any]) -> Any:
    """Do some work and print how far memory rises meanwhile."""
    before = peak = anonymous_memory()
    ending = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not ending.wait(0.003):
            peak = max(peak, anonymous_memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    result = work()
    ending.set()
    watcher.join()
    give_back()
    print(f"{name:10} peak {(peak - before) / MIB:+7.1f} MiB, after it {(anonymous_memory() - before) / MIB:+7.1f} MiB")
    return result


def reserved_for_work(engine: Engine) -> int:
    """Return what is reserved beyond parameter files and compiled circuits, which the idle engine has too."""
    return sum(r.bytes for r in engine.status().memory.reservations if r.kind not in ("srs", "circuit"))


def main() -> None:
    """Run one of the benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["overhead", "status", "kernels", "memory", "daemon"])
    parser.add_argument("--circuit", default="wpost-2k")
    parser.add_argument("--proofs", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--partitions", type=int, default=4)
    options = parser.parse_args()
    if options.what == "overhead":
        overhead(options.circuit, options.proofs, options.rounds)
    elif options.what == "status":
        status()
    elif options.what == "kernels":
        kernels(options.circuit, options.threads)
    elif options.what == "daemon":
        daemon(options.circuit, options.proofs)
    else:
        memory(options.circuit, options.partitions)


if __name__ == "__main__":
    main()
