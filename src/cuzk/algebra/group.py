"""G1 and G2 of BLS12-381 over arrays of points.

Points are uint8[n, 96] (G1) or uint8[n, 192] (G2): uncompressed, big-endian, with the flags in the first byte, as in
parameter files (IETF draft pairing-friendly-curves, appendix C). One point is uint8[96] or uint8[192]. All functions
return new arrays and accept read-only and memory-mapped ones.

Every function refuses points that are not canonical: coordinates at or above p, stray flags, infinity with other bits.
Only `check` and `decompress` look at the curve equation and the subgroup; call them where data enters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cuzk import _native
from cuzk.algebra import bitmap
from cuzk.algebra.arrays import check_threads
from cuzk.algebra.bitmap import Bitmap
from cuzk.algebra.prepared import MOST_MULTIPLES, PreparedPoints
from cuzk.algebra.scalars import PackedScalars
from cuzk.errors import InputError

__all__ = ["G1", "G2", "Group", "Points", "Scalars"]

Points: TypeAlias = NDArray[np.uint8]
Scalars: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True)
class Group:
    """One of the two groups; use the instances G1 and G2."""

    name: str
    point_size: int
    generator_bytes: bytes

    @property
    def compressed_size(self) -> int:
        """Bytes of a compressed point."""
        return self.point_size // 2

    @property
    def generator(self) -> Points:
        """The standard generator, uint8[point_size]."""
        return np.frombuffer(self.generator_bytes, dtype=np.uint8).copy()

    @property
    def identity(self) -> Points:
        """The point at infinity, uint8[point_size]."""
        point = np.zeros(self.point_size, dtype=np.uint8)
        point[0] = 0x40
        return point

    def add(self, p: Points, q: Points, threads: int = 1) -> Points:
        """Return p + q, element by element; a single point is added to each."""
        check_threads(threads)
        p, q, shape = self._broadcast(p, q)
        out = np.empty_like(p)
        self._native("add")(p, q, out, threads)
        return out.reshape(shape)

    def neg(self, p: Points) -> Points:
        """Return -p, element by element."""
        rows = self._rows(p)
        out = np.empty_like(rows)
        self._native("neg")(rows, out)
        return out.reshape(p.shape)

    def mul(self, points: Points, scalars: Scalars, threads: int = 1) -> Points:
        """Return scalar * point, element by element; scalars are Fr, uint64[n, 4] (uint64[4] for a single point)."""
        check_threads(threads)
        rows, factors = self._rows(points), np.ascontiguousarray(np.atleast_2d(_checked_scalars(scalars)))
        if len(rows) != len(factors) or points.ndim != scalars.ndim:
            raise InputError(f"mul: {points.shape} points do not go with {scalars.shape} scalars")
        out = np.empty_like(rows)
        self._native("mul")(rows, factors, out, threads)
        return out.reshape(points.shape)

    def fixed_base(self, base: Points, scalars: Scalars, threads: int = 1) -> Points:
        """Return scalar_i * base for Fr[n], by tables of multiples: for setup, with millions of scalars."""
        check_threads(threads)
        factors = np.ascontiguousarray(_checked_scalars(scalars))
        if base.ndim != 1 or factors.ndim != 2:
            raise InputError(f"fixed_base: expected one point and Fr[n], got shapes {base.shape} and {scalars.shape}")
        out = np.empty((len(factors), self.point_size), dtype=np.uint8)
        self._native("fixed_base")(self._rows(base), factors, out, threads)
        return out

    @property
    def prepared_layout(self) -> str:
        """The layout of prepared points for the instruction set in use: points of another one must be made anew."""
        name: str = self._native("prepared_layout")()[0]
        return name

    def prepared_shape(self, count: int, multiples: int = 1) -> tuple[int, int, int]:
        """Return the shape of the uint8 array that holds `count` prepared points."""
        size: int = self._native("prepared_layout")()[1]
        return count, multiples, size

    def prepare(
        self, points: Points, *, multiples: int = 1, out: NDArray[np.uint8] | None = None, threads: int = 1
    ) -> PreparedPoints:
        """Prepare points for `msm`, in `out` if given (uint8 of `prepared_shape`, at a multiple of 64 bytes).

        Refuses infinity. With multiples of each point, about 16, an `msm` of few terms takes less time.
        """
        check_threads(threads)
        if not 1 <= multiples <= MOST_MULTIPLES:
            raise InputError(f"prepare: expected 1 to {MOST_MULTIPLES} multiples, got {multiples}")
        rows = self._rows(points, single=False)
        shape = self.prepared_shape(len(rows), multiples)
        if out is None:
            out = _aligned(shape, self._native("prepared_layout")()[2])
        if out.shape != shape or out.dtype != np.uint8 or not out.flags.c_contiguous:
            raise InputError(f"prepare: expected contiguous uint8{list(shape)}, got {out.dtype}{list(out.shape)}")
        spacing = _native.prepared_spacing(len(rows), multiples)
        self._native("prepare")(rows, spacing, out, threads)
        return PreparedPoints(self.name, self.prepared_layout, out, spacing)

    def msm(
        self,
        bases: Points | PreparedPoints,
        scalars: Scalars | PackedScalars,
        density: Bitmap | None = None,
        threads: int = 1,
    ) -> Points:
        """Return the sum of scalar_i * base_i as one point, for bases of the subgroup (`check`).

        With `density`, a bitmap over the scalars, only scalars whose bit is set count, and `bases` has one row for each
        of them, in order. The result is the same bytes for every number of threads.
        """
        check_threads(threads)
        if density is not None:
            bitmap.check(density, len(scalars), "density")
        if isinstance(bases, PreparedPoints):
            if bases.layout != self.prepared_layout:
                raise InputError(f"prepared points: expected the layout {self.prepared_layout}, got {bases.layout}")
            where: tuple[Any, ...] = (bases.data, bases.spacing)
            suffix = "_prepared"
        else:
            where, suffix = (self._rows(bases, single=False),), ""
        out = np.empty((1, self.point_size), dtype=np.uint8)
        if isinstance(scalars, PackedScalars):
            values = np.ascontiguousarray(scalars.values)
            packed = (scalars.length, scalars.wide, scalars.bit, values)
            self._native("msm_packed" + suffix)(*where, *packed, density, out, threads)
        else:
            factors = np.ascontiguousarray(_checked_scalars(scalars))
            if factors.ndim != 2:
                raise InputError(f"msm: expected Fr[n], got shape {scalars.shape}")
            self._native("msm_dense" + suffix)(*where, factors, density, out, threads)
        return out.reshape(self.point_size)

    def compress(self, points: Points, threads: int = 1) -> Points:
        """Return the compressed form, uint8[n, compressed_size] (one dimension for a single point)."""
        check_threads(threads)
        rows = self._rows(points)
        out = np.empty((len(rows), self.compressed_size), dtype=np.uint8)
        self._native("compress")(rows, out, threads)
        return out.reshape(*points.shape[:-1], self.compressed_size)

    def decompress(self, data: Points, subgroup: bool = True, threads: int = 1) -> Points:
        """Return the uncompressed form of uint8[n, compressed_size]; InputError names the first bad point."""
        check_threads(threads)
        rows = _byte_rows(data, self.compressed_size, f"compressed {self.name} points")
        out = np.empty((len(rows), self.point_size), dtype=np.uint8)
        self._native("decompress")(rows, out, subgroup, threads)
        return out.reshape(*data.shape[:-1], self.point_size)

    def check(self, points: Points, subgroup: bool = True, infinity: bool = False, threads: int = 1) -> None:
        """Raise InputError that names the first point that is off the curve, or (if asked) outside the subgroup.

        Infinity is refused unless `infinity` is set: parameter files never hold it.
        """
        check_threads(threads)
        self._native("check")(self._rows(points), subgroup, infinity, threads)

    def _native(self, function: str) -> Callable[..., Any]:
        kernel: Callable[..., Any] = getattr(_native, f"{self.name.lower()}_{function}")
        return kernel

    def _rows(self, points: Points, single: bool = True) -> Points:
        if not single and isinstance(points, np.ndarray) and points.ndim == 1:
            raise InputError(f"{self.name} points: expected uint8[n, {self.point_size}], got one dimension")
        return _byte_rows(points, self.point_size, f"{self.name} points")

    def _broadcast(self, p: Points, q: Points) -> tuple[Points, Points, tuple[int, ...]]:
        rows_p, rows_q = self._rows(p), self._rows(q)
        shape = p.shape if p.ndim >= q.ndim else q.shape
        if p.ndim == q.ndim and p.shape != q.shape:
            raise InputError(f"add: {self.name} arrays of {len(rows_p)} and {len(rows_q)} points differ in length")
        full = (shape[0] if len(shape) == 2 else 1, self.point_size)
        return (
            np.ascontiguousarray(np.broadcast_to(rows_p, full)),
            np.ascontiguousarray(np.broadcast_to(rows_q, full)),
            shape,
        )


def _aligned(shape: tuple[int, int, int], alignment: int) -> NDArray[np.uint8]:
    """Return an uninitialized array that starts at a multiple of `alignment` bytes."""
    size = shape[0] * shape[1] * shape[2]
    memory = np.empty(size + alignment, dtype=np.uint8)
    start = -memory.ctypes.data % alignment
    return memory[start : start + size].reshape(shape)


def _byte_rows(data: Points, size: int, what: str) -> Points:
    """Return `data` as C-contiguous uint8[n, size]."""
    if not isinstance(data, np.ndarray) or data.dtype != np.uint8 or data.ndim not in (1, 2) or data.shape[-1] != size:
        got = f"{data.dtype}{list(data.shape)}" if isinstance(data, np.ndarray) else type(data).__name__
        raise InputError(f"{what}: expected uint8[n, {size}] or uint8[{size}], got {got}")
    return np.ascontiguousarray(data.reshape(-1, size))


def _checked_scalars(scalars: Scalars) -> Scalars:
    if not isinstance(scalars, np.ndarray) or scalars.dtype != np.uint64 or scalars.shape[-1:] != (4,):
        got = f"{scalars.dtype}{list(scalars.shape)}" if isinstance(scalars, np.ndarray) else type(scalars).__name__
        raise InputError(f"scalars: expected uint64[n, 4], got {got}")
    return scalars


G1 = Group(
    "G1",
    96,
    bytes.fromhex(
        "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
        "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"
    ),
)
G2 = Group(
    "G2",
    192,
    bytes.fromhex(
        "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
        "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
        "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be"
        "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801"
    ),
)
