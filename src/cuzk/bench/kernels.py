"""Times the kernels, and beside each the same operation of py-arkworks where it has it.

Seconds are minima of several runs. For `fp_mul` and `fr_mul` they are those of 2^log2n multiplications in bulk, in
cache, many side by side so that none waits for the one before. The peer of `fr_mul` is arkworks' power with an exponent
of 255 bits, whose squarings and multiplications are counted alike. `ratio` is peer_seconds / seconds: how many times
faster we are.
"""

import platform
import secrets
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from cuzk import __version__, _native
from cuzk.algebra.domain import ntt
from cuzk.algebra.group import G1, G2, Group, Points
from cuzk.algebra.pairing import arkworks_g1, arkworks_g2
from cuzk.devices import CpuDevice
from cuzk.devices.cpu import cpu_features, kernel_isa
from cuzk.errors import InputError
from cuzk.groth16.assignment import Assignment
from cuzk.groth16.prover import prove
from cuzk.groth16.setup import setup
from cuzk.groth16.synthetic import dense_chain

PEER = "py-arkworks"

PeerPoint = TypeVar("PeerPoint", G1Point, G2Point)

_MIN_RUNS = 3
_MAX_RUNS = 50
_BUDGET_SECONDS = 2.0
_MAX_LOG2 = 24


@dataclass(frozen=True)
class Measurement:
    """One kernel at one size: seconds, and those of the peer (None where it does not have the operation)."""

    name: str
    log2n: int
    threads: int
    seconds: float
    peer: str | None = None
    peer_seconds: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the measurement as it stands in the JSON report."""
        ratio = None if self.peer_seconds is None else self.peer_seconds / self.seconds
        return {**asdict(self), "ratio": ratio}


@dataclass(frozen=True)
class Timing:
    """What a benchmark returns: our seconds and the peer's."""

    seconds: float
    peer_seconds: float | None = None


def run(names: Sequence[str], log2n: int | None, threads: int) -> list[Measurement]:
    """Measure the named kernels at 2^log2n (each kernel's own size if None)."""
    results = []
    for name in names:
        if name not in KERNELS:
            raise InputError(f"unknown kernel {name!r}: expected one of {', '.join(KERNELS)}")
        kernel, default_log2 = KERNELS[name]
        size = default_log2 if log2n is None else log2n
        if not 0 <= size <= _MAX_LOG2:
            raise InputError(f"--log2 must be 0 to {_MAX_LOG2}, not {size}")
        timing = kernel(size, threads)
        peer = None if timing.peer_seconds is None else PEER
        used = 1 if name in SINGLE_THREADED else threads
        results.append(Measurement(name, size, used, timing.seconds, peer, timing.peer_seconds))
    return results


def machine() -> dict[str, Any]:
    """Describe the machine that a report was measured on."""
    info = CpuDevice().info
    return {
        "cpu": info.name,
        "isa": kernel_isa(),
        "cpu_features": cpu_features(),
        "threads": info.threads,
        "memory_bytes": info.total_memory,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "cuzk": __version__,
    }


def _fp_mul(log2n: int, _threads: int) -> Timing:
    powers = np.empty((32, 6), dtype=np.uint64)
    times = max(1, (1 << log2n) // len(powers))
    return Timing(_best(lambda: _native.fp_powers(powers, times)) * (1 << log2n) / (times * len(powers)))


def _fr_mul(log2n: int, _threads: int) -> Timing:
    exponent = (1 << 254) + secrets.randbits(253)
    multiplications = exponent.bit_length() - 1 + exponent.bit_count() - 1
    base, power = Scalar(secrets.randbits(250)), Scalar(exponent)
    peer = _best(lambda: [base.pow(power) for _ in range(100)]) / (100 * multiplications)
    side_by_side = min(1 << log2n, 256)
    products, factors = _random_scalars(side_by_side), _random_scalars(side_by_side)
    times = (1 << log2n) // side_by_side
    return Timing(_best(lambda: _native.fr_mul_repeated(products, factors, times)), peer * (1 << log2n))


def _ntt(log2n: int, threads: int) -> Timing:
    values = _random_scalars(1 << log2n)
    return Timing(_best(lambda: ntt(values, threads=threads)))


def _msm_g1(log2n: int, threads: int) -> Timing:
    return _msm(G1, arkworks_g1, G1Point.multiexp_unchecked, log2n, threads)


def _msm_g2(log2n: int, threads: int) -> Timing:
    return _msm(G2, arkworks_g2, G2Point.multiexp_unchecked, log2n, threads)


def _msm(
    group: Group,
    to_peer: Callable[[Points], list[PeerPoint]],
    peer_msm: Callable[[list[PeerPoint], list[Scalar]], PeerPoint],
    log2n: int,
    threads: int,
) -> Timing:
    scalars = _random_scalars(1 << log2n)
    bases = group.fixed_base(group.generator, _random_scalars(1 << log2n), threads)
    peer_scalars = [Scalar.from_le_bytes(scalar.tobytes()) for scalar in scalars]
    peer_bases = to_peer(bases)
    return Timing(
        _best(lambda: group.msm(bases, scalars, None, threads)),
        _best(lambda: peer_msm(peer_bases, peer_scalars)),
    )


def _groth16(log2n: int, threads: int) -> Timing:
    synthetic = dense_chain(log2n)
    circuit, device = synthetic.circuit, CpuDevice(threads)

    def timed(parameters: Any) -> float:
        assignment = Assignment.from_witness(circuit, synthetic.inputs, synthetic.aux, threads=threads)
        begin = time.perf_counter()
        prove(device, parameters, circuit.density, assignment, threads=threads)
        return time.perf_counter() - begin

    with tempfile.TemporaryDirectory() as folder:
        parameters = setup(circuit, Path(folder, "bench.params"), threads=threads)
        return Timing(min(timed(parameters) for _ in range(_MIN_RUNS)))


#: Field multiplications, always on one thread.
SINGLE_THREADED = ("fp_mul", "fr_mul")

#: Kernel name: its benchmark, and the log2 of its usual size.
KERNELS: dict[str, tuple[Callable[[int, int], Timing], int]] = {
    "fp_mul": (_fp_mul, 20),
    "fr_mul": (_fr_mul, 20),
    "ntt": (_ntt, 20),
    "msm_g1": (_msm_g1, 16),
    "msm_g2": (_msm_g2, 14),
    "groth16": (_groth16, 14),
}


def _best(action: Callable[[], object]) -> float:
    """Return the least seconds of several runs: at least three, more while they are short."""
    best, spent, runs = float("inf"), 0.0, 0
    while runs < _MIN_RUNS or (spent < _BUDGET_SECONDS and runs < _MAX_RUNS):
        begin = time.perf_counter()
        action()
        seconds = time.perf_counter() - begin
        best, spent, runs = min(best, seconds), spent + seconds, runs + 1
    return best


def _random_scalars(count: int) -> NDArray[np.uint64]:
    """Return scalars of 254 random bits, all below r."""
    limbs = np.frombuffer(secrets.token_bytes(32 * count), dtype=np.uint64).reshape(count, 4).copy()
    limbs[:, 3] >>= np.uint64(2)
    return limbs
