"""The CPU as a device: the kernels of `cuzk.algebra` with a number of threads."""

import os
import platform
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from cuzk import _native
from cuzk.algebra.bitmap import Bitmap
from cuzk.algebra.domain import quotient
from cuzk.algebra.fr import FrArray
from cuzk.algebra.group import G1, G2, Points
from cuzk.algebra.prepared import PreparedPoints
from cuzk.algebra.scalars import PackedScalars
from cuzk.devices.device import Bases, Curve, DeviceInfo, ScalarBuffer
from cuzk.errors import InputError

_GROUPS = {"g1": G1, "g2": G2}
_FEATURES_OF_INTEREST = ("bmi2", "adx", "avx2", "avx512f", "avx512ifma", "asimd", "sve", "sve2")


@dataclass(frozen=True, eq=False)
class CpuBases:
    """Points where they are: the memory-mapped view itself, of plain or of prepared points."""

    curve: Curve
    points: Points | PreparedPoints

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.points)


@dataclass(frozen=True, eq=False)
class CpuScalars:
    """Scalars in main memory, Fr[n]."""

    values: FrArray

    def __len__(self) -> int:
        """Return the number of scalars."""
        return len(self.values)


class CpuDevice:
    """The CPU. `lock` serializes its kernels; give a lock shared between processes where there are several."""

    def __init__(self, threads: int | None = None, lock: AbstractContextManager[object] | None = None) -> None:
        self.threads = available_threads() if threads is None else threads
        if self.threads < 1:
            raise InputError(f"a device needs at least one thread, not {threads}")
        self._lock = threading.Lock() if lock is None else lock

    @property
    def info(self) -> DeviceInfo:
        """What this CPU is, with the memory that is free now."""
        total, free = memory()
        return DeviceInfo(cpu_name(), "cpu", 0, total, free, self.threads)

    def load_bases(self, view: Points, curve: Curve, prepared: PreparedPoints | None = None) -> CpuBases:
        """Take points as they are, or prepared ones if they are for the kernels in use; nothing is copied."""
        if prepared is not None and prepared.layout == _GROUPS[curve].prepared_layout:
            return CpuBases(curve, prepared)
        return CpuBases(curve, view)

    def quotient(self, a: FrArray, b: FrArray) -> CpuScalars:
        """Return h from the evaluations of A and B; overwrites both."""
        return CpuScalars(quotient(a, b, threads=self.threads))

    def msm(
        self, bases: Bases, scalars: ScalarBuffer | PackedScalars | FrArray, density: Bitmap | None = None
    ) -> Points:
        """Return Σ scalar·base as one point."""
        if not isinstance(bases, CpuBases):
            raise InputError(f"these bases belong to another device: {type(bases).__name__}")
        values = scalars.values if isinstance(scalars, CpuScalars) else scalars
        if not isinstance(values, (PackedScalars, np.ndarray)):
            raise InputError(f"these scalars belong to another device: {type(scalars).__name__}")
        return _GROUPS[bases.curve].msm(bases.points, values, density, self.threads)

    def exclusive(self) -> AbstractContextManager[object]:
        """Return the lock that serializes this device's kernels."""
        return self._lock


def available_threads() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def cpu_name() -> str:
    """Return the processor's name as the operating system tells it."""
    names = (value for key, value in _cpuinfo() if key == "model name")
    return next(names, platform.processor() or platform.machine())


def cpu_features() -> list[str]:
    """Return the vector and multiplication extensions of this CPU that matter to field arithmetic."""
    flags = next((value.split() for key, value in _cpuinfo() if key in ("flags", "Features")), [])
    return [name for name in _FEATURES_OF_INTEREST if name in flags]


def kernel_isa() -> str:
    """Return the instruction set that the kernels use: `portable` or the name of an extension."""
    return _native.isa()


def memory() -> tuple[int, int]:
    """Return the machine's total memory and what is free for use, in bytes."""
    usage = psutil.virtual_memory()
    return usage.total, usage.available


def _cpuinfo() -> Iterator[tuple[str, str]]:
    """Yield the lines of Linux's /proc/cpuinfo as pairs; elsewhere nothing."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        key, _, value = line.partition(":")
        yield key.strip(), value.strip()
