"""The verifying key: bellperson's `.vk` file, which is also the head of a `.params` file.

vk := alpha_g1[96] beta_g1[96] beta_g2[192] gamma_g2[192] delta_g1[96] delta_g2[192] u32BE(n_ic) ic[n_ic][96]
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cuzk.algebra.group import G1, G2, Points
from cuzk.errors import FormatError
from cuzk.files import map_file, read_bounded
from cuzk.groth16.points import Check, PointReader, encode_count

# The largest known circuit has 25,840 inputs; this leaves room for forty times as many.
_MAX_FILE_SIZE = 100 << 20


@dataclass(frozen=True, eq=False)
class VerifyingKey:
    """The points a verifier needs: uint8[96] in G1, uint8[192] in G2; `ic` is uint8[n, 96], ONE's point first."""

    alpha_g1: Points
    beta_g1: Points
    beta_g2: Points
    gamma_g2: Points
    delta_g1: Points
    delta_g2: Points
    ic: Points

    @property
    def num_inputs(self) -> int:
        """Inputs of the circuit, ONE included."""
        return len(self.ic)

    @classmethod
    def open(cls, path: Path | str, check: Check = Check.SUBGROUP) -> Self:
        """Read a `.vk` file, or where it is missing the head of the `.params` file of the same name."""
        path = Path(path)
        parameters = path.with_suffix(".params")
        try:
            if not path.exists() and parameters.exists():
                return cls.read(PointReader(map_file(parameters), check))
            return cls.parse(read_bounded(path, _MAX_FILE_SIZE), check)
        except FormatError as error:
            raise FormatError(f"{path} is not a verifying key: {error}") from error

    @classmethod
    def parse(cls, data: bytes | memoryview, check: Check = Check.SUBGROUP) -> Self:
        """Read a verifying key that is all of `data`; FormatError if it is anything else."""
        reader = PointReader(memoryview(data), check)
        key = cls.read(reader)
        reader.end()
        return key

    @classmethod
    def read(cls, reader: PointReader) -> Self:
        """Take a verifying key from a reader."""
        key = cls(
            alpha_g1=reader.point(G1, "alpha_g1"),
            beta_g1=reader.point(G1, "beta_g1"),
            beta_g2=reader.point(G2, "beta_g2"),
            gamma_g2=reader.point(G2, "gamma_g2"),
            delta_g1=reader.point(G1, "delta_g1"),
            delta_g2=reader.point(G2, "delta_g2"),
            ic=reader.vector(G1, "ic"),
        )
        if not len(key.ic):
            raise FormatError("ic is empty: expected at least the point of ONE")
        return key

    def to_bytes(self) -> bytes:
        """Return the bytes of the `.vk` file."""
        points = (self.alpha_g1, self.beta_g1, self.beta_g2, self.gamma_g2, self.delta_g1, self.delta_g2)
        return b"".join([*(point.tobytes() for point in points), encode_count(len(self.ic)), self.ic.tobytes()])
