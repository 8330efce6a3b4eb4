"""Transforms, quotient and Fr multiplication on every instruction set: CPU seconds, the least of several runs.

    python benchmarks/ntt.py --log2 18 20 --threads 1 2

py-arkworks has no transform: the portable path stands beside the vector path. With more than one thread, `speed-up` is
how many times less each thread works; times on the clock would measure what else the machine does.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cuzk import _native
from cuzk.algebra.domain import ntt, quotient

BULK = 256
BULK_TIMES = 4000


def random_scalars(count: int, seed: int) -> NDArray[np.uint64]:
    """Return Fr[count], uniform below 2^254."""
    scalars = np.random.default_rng(seed).integers(0, 1 << 64, size=(count, 4), dtype=np.uint64)
    scalars[:, 3] >>= np.uint64(2)
    return scalars


def least_cpu_seconds(function: Callable[[], object], repeats: int) -> float:
    """Return the CPU time of the shortest of `repeats` runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def report(isa: str, log2_size: int, threads: list[int], repeats: int) -> None:
    """Print the transforms and the quotient of one size."""
    a, b = random_scalars(1 << log2_size, 1), random_scalars(1 << log2_size, 2)
    kernels: dict[str, Callable[[int], object]] = {
        "ntt": lambda count: ntt(a, threads=count),
        "inverse ntt": lambda count: ntt(a, inverse=True, threads=count),
        "coset ntt": lambda count: ntt(a, coset=True, threads=count),
        "quotient": lambda count: quotient(a, b, threads=count),
    }
    for name, kernel in kernels.items():
        first = None
        for count in threads:
            seconds = least_cpu_seconds(partial(kernel, count), repeats)
            first = first or seconds
            speed_up = f"  speed-up {count * first / seconds / threads[0]:.2f}" if count != threads[0] else ""
            print(f"{isa:<11} {name:<12} 2^{log2_size:<3} {count} threads {seconds * 1e3:9.2f} ms{speed_up}")


def main() -> None:
    """Parse the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log2", type=int, nargs="+", default=[18, 20])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    for isa in ("portable", "avx512ifma"):
        if not _native.isa_available(isa):
            print(f"{isa}: not available on this machine")
            continue
        _native.set_isa(isa)
        multiply = partial(_native.fr_mul_repeated, random_scalars(BULK, 3), random_scalars(BULK, 4), BULK_TIMES)
        seconds = least_cpu_seconds(multiply, arguments.repeats)
        print(f"{isa:<11} Fr multiplication in bulk  {seconds / BULK / BULK_TIMES * 1e9:.2f} ns")
        for log2_size in arguments.log2:
            report(isa, log2_size, arguments.threads, arguments.repeats)


if __name__ == "__main__":
    main()
