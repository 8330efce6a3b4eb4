"""The device protocol: what runs NTTs and MSMs.

A device offers kernels, not proofs; `cuzk.groth16.prover` is the one prover. Points and scalars that a device keeps in
a form of its own (`Bases`, `ScalarBuffer`) are opaque to the caller.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from cuzk.algebra.bitmap import Bitmap
from cuzk.algebra.fr import FrArray
from cuzk.algebra.group import Points
from cuzk.algebra.prepared import PreparedPoints
from cuzk.algebra.scalars import PackedScalars

Curve = Literal["g1", "g2"]


@dataclass(frozen=True)
class DeviceInfo:
    """What a device is; memory in bytes."""

    name: str
    kind: Literal["cpu", "opencl"]
    ordinal: int
    total_memory: int
    free_memory: int
    threads: int


class Bases(Protocol):
    """Points on a device, ready for MSMs; the memory is the device's until the last reference goes."""

    @property
    def curve(self) -> Curve:
        """The group the points belong to."""
        ...

    def __len__(self) -> int:
        """Return the number of points."""
        ...


class ScalarBuffer(Protocol):
    """Scalars on a device."""

    def __len__(self) -> int:
        """Return the number of scalars."""
        ...


class Device(Protocol):
    """Kernels of one device. Its kernels run one after another: call them inside `exclusive()`."""

    @property
    def info(self) -> DeviceInfo:
        """What this device is, with its free memory now."""
        ...

    def load_bases(self, view: Points, curve: Curve, prepared: PreparedPoints | None = None) -> Bases:
        """Bring points (uncompressed, uint8[n, 96] or uint8[n, 192]) to the device.

        `prepared` holds the same points in a form of the CPU's kernels, for the device that can use it.
        """
        ...

    def quotient(self, a: FrArray, b: FrArray) -> ScalarBuffer:
        """Return h = (A·B − C)/Z, n − 1 coefficients, from the evaluations of A and B; consumes both (Fr[n])."""
        ...

    def msm(
        self, bases: Bases, scalars: ScalarBuffer | PackedScalars | FrArray, density: Bitmap | None = None
    ) -> Points:
        """Return Σ scalar·base as one point; with a density over the scalars, bases has one row for each set bit."""
        ...

    def exclusive(self) -> AbstractContextManager[object]:
        """Return the device lock, to be held around kernels."""
        ...
