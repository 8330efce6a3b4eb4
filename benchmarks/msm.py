"""Multi-scalar multiplication beside py-arkworks: seconds, the least of several runs.

    python benchmarks/msm.py --group G1 --log2 14 16 18 20 --threads 1 2

Bases are random points, scalars uniform below 2^254 (hardly a 0 or 1 among them: the worst case). py-arkworks'
`multiexp_unchecked` uses one thread; beyond 2^16 its time is scaled linearly.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import py_arkworks_bls12381 as arkworks
from numpy.typing import NDArray

from cuzk.algebra.group import G1, G2, Group

PEER_LIMIT = 1 << 16


def random_scalars(count: int, seed: int) -> NDArray[np.uint64]:
    """Return Fr[count], uniform below 2^254."""
    scalars = np.random.default_rng(seed).integers(0, 1 << 64, size=(count, 4), dtype=np.uint64)
    scalars[:, 3] >>= np.uint64(2)
    return scalars


def least_seconds(function: Callable[[], object], repeats: int) -> float:
    """Return the shortest of `repeats` runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def measure(group: Group, bases: NDArray[np.uint8], scalars: NDArray[np.uint64], threads: int, repeats: int) -> float:
    """Return the seconds of one multi-scalar multiplication."""
    return least_seconds(lambda: group.msm(bases, scalars, threads=threads), repeats)


def measure_peer(group: Group, bases: NDArray[np.uint8], scalars: NDArray[np.uint64], repeats: int) -> float:
    """Return the seconds that py-arkworks takes, scaled if the input is large."""
    count = min(len(scalars), PEER_LIMIT)
    kind = arkworks.G1Point if group is G1 else arkworks.G2Point
    rows = bases[:count]
    if group is G2:  # py-arkworks wants c0 before c1
        rows = rows.reshape(count, 2, 2, 48)[:, :, ::-1].reshape(count, -1)
    points = [kind.from_xy_bytes_unchecked_be(row.tobytes()) for row in rows]
    factors = [arkworks.Scalar.from_le_bytes(row.tobytes()) for row in scalars[:count]]
    return least_seconds(lambda: kind.multiexp_unchecked(points, factors), repeats) * len(scalars) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", nargs="+", choices=["G1", "G2"], default=["G1", "G2"])
    parser.add_argument("--log2", nargs="+", type=int, default=[14, 16])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    for group in (group for group in (G1, G2) if group.name in options.group):
        largest = random_scalars(1 << max(options.log2), seed=1)
        bases = group.fixed_base(group.generator, largest, threads=max(options.threads))
        for log2 in options.log2:
            scalars = random_scalars(1 << log2, seed=log2)
            part = bases[: 1 << log2]
            line = f"{group.name} 2^{log2}:"
            for threads in options.threads:
                line += f"  {threads} threads {measure(group, part, scalars, threads, options.repeats):.4f} s"
            if not options.no_peer:
                line += f"  py-arkworks {measure_peer(group, part, scalars, options.repeats):.3f} s"
            print(line, flush=True)


if __name__ == "__main__":
    main()
