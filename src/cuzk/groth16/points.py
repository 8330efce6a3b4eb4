"""Points as they stand in bellperson's `.params` and `.vk` files: uncompressed, with vectors under a u32BE count."""

from enum import StrEnum

import numpy as np

from cuzk.algebra.group import Group, Points
from cuzk.errors import FormatError, InputError

COUNT_SIZE = 4


class Check(StrEnum):
    """How far the points of a file are checked when it is opened."""

    STRUCTURE = "structure"  # counts and lengths alone: for files whose digest was verified
    CURVE = "curve"  # also: no flags, canonical coordinates, on the curve
    SUBGROUP = "subgroup"  # also: in the subgroup of prime order


class PointReader:
    """Takes points from the front of a buffer; every count is checked against the bytes that are left."""

    def __init__(self, buffer: memoryview, check: Check, threads: int = 1) -> None:
        self._buffer = buffer
        self._check = check
        self._threads = threads
        self.offset = 0

    def point(self, group: Group, name: str) -> Points:
        """Take one point, uint8[point_size]."""
        point: Points = self._take(group, name, 1)[0]
        return point

    def vector(self, group: Group, name: str) -> Points:
        """Take a count and that many points, uint8[count, point_size]."""
        self._require(COUNT_SIZE, f"the count of {name}")
        count = int.from_bytes(self._buffer[self.offset : self.offset + COUNT_SIZE], "big")
        self.offset += COUNT_SIZE
        return self._take(group, name, count)

    def end(self) -> None:
        """Refuse bytes after the last point."""
        if left := len(self._buffer) - self.offset:
            raise FormatError(f"{left} bytes too many: the file should end at byte {self.offset}")

    def _take(self, group: Group, name: str, count: int) -> Points:
        size = count * group.point_size
        self._require(size, f"{count} points of {name}" if count != 1 else name)
        flat = np.frombuffer(self._buffer, dtype=np.uint8, count=size, offset=self.offset)
        self.offset += size
        points = flat.reshape(count, group.point_size)
        if self._check is not Check.STRUCTURE:
            try:
                group.check(points, subgroup=self._check is Check.SUBGROUP, threads=self._threads)
            except InputError as error:
                raise FormatError(f"{name}: {error}") from error
        return points

    def _require(self, size: int, what: str) -> None:
        left = len(self._buffer) - self.offset
        if left < size:
            raise FormatError(f"too short: {what} would need {size} bytes at byte {self.offset}, {left} are left")


def encode_count(count: int) -> bytes:
    """Return the u32BE that stands before a vector."""
    return count.to_bytes(COUNT_SIZE, "big")
