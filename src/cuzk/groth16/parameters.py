"""Proving parameters: bellperson's `.params` file, mapped into memory and read as it is needed.

    params := vk  u32BE(n_h) h[96]*  u32BE(n_l) l[96]*  u32BE(n_a) a[96]*  u32BE(n_b1) b_g1[96]*  u32BE(n_b2) b_g2[192]*

h has domain - 1 points; l one per aux; a all inputs and the aux with a non-zero A polynomial; b_g1 and b_g2 the inputs,
then the aux, with a non-zero B polynomial.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Self

from cuzk.algebra import bitmap
from cuzk.algebra.group import G1, G2, Points
from cuzk.devices import Bases, Device
from cuzk.errors import FormatError, InputError
from cuzk.files import map_file
from cuzk.groth16.circuit import Density
from cuzk.groth16.points import Check, PointReader, encode_count
from cuzk.groth16.prepared import PreparedBases
from cuzk.groth16.verifying_key import VerifyingKey


@dataclass(frozen=True, eq=False)
class Parameters:
    """The verifying key and five vectors of points, as read-only views: uint8[n, 96], for `b_g2` uint8[n, 192]."""

    verifying_key: VerifyingKey
    h: Points
    l: Points  # noqa: E741 - the name in Groth16 and in bellperson
    a: Points
    b_g1: Points
    b_g2: Points
    prepared: PreparedBases | None = None
    """The same points as the CPU's kernels want them, where somebody prepared them."""

    @classmethod
    def open(cls, path: Path | str, *, check: Check = Check.SUBGROUP, threads: int = 1) -> Self:
        """Map a `.params` file; `check` says how far its points are checked (SUBGROUP reads all of them).

        With Check.STRUCTURE only the counts are read, and points when they are used: for files whose digest was
        verified. Raises FormatError for a file that is not one, InputError if it cannot be read.
        """
        path = Path(path)
        data = map_file(path)
        try:
            return cls.parse(data, check=check, threads=threads)
        except FormatError as error:
            raise FormatError(f"{path} is not a parameter file: {error}") from error

    @classmethod
    def parse(cls, data: bytes | memoryview, *, check: Check = Check.SUBGROUP, threads: int = 1) -> Self:
        """View parameters that are all of `data`; FormatError if it is anything else."""
        reader = PointReader(memoryview(data), check, threads)
        parameters = cls(
            verifying_key=VerifyingKey.read(reader),
            h=reader.vector(G1, "h"),
            l=reader.vector(G1, "l"),
            a=reader.vector(G1, "a"),
            b_g1=reader.vector(G1, "b_g1"),
            b_g2=reader.vector(G2, "b_g2"),
        )
        reader.end()
        if (len(parameters.h) + 1).bit_count() != 1:
            raise FormatError(f"h has {len(parameters.h)} points: expected one less than a power of two")
        if len(parameters.b_g1) != len(parameters.b_g2):
            raise FormatError(f"b_g1 has {len(parameters.b_g1)} points and b_g2 {len(parameters.b_g2)}: not the same")
        return parameters

    @property
    def domain(self) -> int:
        """Size of the evaluation domain, 2^k."""
        return len(self.h) + 1

    @property
    def vectors(self) -> dict[str, Points]:
        """The five vectors by name, in the order of the file."""
        return {"h": self.h, "l": self.l, "a": self.a, "b_g1": self.b_g1, "b_g2": self.b_g2}

    @property
    def counts(self) -> dict[str, int]:
        """The lengths of the vectors by name."""
        return {name: len(points) for name, points in self.vectors.items()}

    def check_fits(self, num_inputs: int, num_aux: int, domain: int, density: Density) -> None:
        """Raise InputError unless these are the parameters of a circuit with these sizes and densities."""
        b = bitmap.popcount(density.b_inputs) + bitmap.popcount(density.b_aux)
        expected = {
            "ic": num_inputs,
            "h": domain - 1,
            "l": num_aux,
            "a": num_inputs + bitmap.popcount(density.a_aux),
            "b_g1": b,
            "b_g2": b,
        }
        got = {"ic": len(self.verifying_key.ic)} | self.counts
        for name, count in expected.items():
            if got[name] != count:
                raise InputError(
                    f"these parameters belong to another circuit: {name} has {got[name]} points, expected {count}"
                )

    def prepare(self, path: Path, *, source: str, multiples: int = 1, threads: int = 1) -> Self:
        """Return these parameters with prepared points: those in the file at `path`, which is made unless it is there.

        `source` is the digest of the parameter file. With `multiples` of every point, best 8, proofs take less time,
        and the points more memory. InputError if the file cannot be written.
        """
        prepared = PreparedBases.make(path, source, self.vectors, multiples=multiples, threads=threads)
        return replace(self, prepared=prepared)

    def with_prepared(self, path: Path, *, source: str, threads: int = 1) -> Self:
        """Return these parameters with the prepared points at `path`; FormatError if they do not belong here."""
        return replace(self, prepared=PreparedBases.open(path, source, self.counts, threads=threads))

    def bases(self, device: Device, name: str, start: int = 0, end: int | None = None) -> Bases:
        """Bring the points [start, end) of a vector to a device."""
        prepared = None if self.prepared is None else self.prepared.vectors[name][start:end]
        return device.load_bases(self.vectors[name][start:end], "g2" if name == "b_g2" else "g1", prepared)

    def write(self, file: BinaryIO) -> None:
        """Write the parameter file, the same bytes that were read."""
        for part in self._parts():
            file.write(part)

    def _parts(self) -> Iterator[bytes | memoryview]:
        yield self.verifying_key.to_bytes()
        for points in self.vectors.values():
            yield encode_count(len(points))
            yield points.reshape(-1).data
