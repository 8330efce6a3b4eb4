"""The secrets of a Groth16 setup: α, β, γ, δ, τ and the two generators.

Whoever knows them can forge proofs. They are drawn here for development parameters, and read from a file to reproduce
known ones; the network's own come from a ceremony in which nobody knew them all.
"""

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from cuzk.algebra import fr
from cuzk.algebra.group import G1, G2, Group, Points
from cuzk.errors import FormatError, InputError
from cuzk.files import read_bounded

_SCALARS = ("alpha", "beta", "gamma", "delta", "tau")
_MAX_FILE_SIZE = 1 << 16


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON file: scalars in hex of 32 little-endian bytes, points in hex of their uncompressed form."""

    alpha_le: str
    beta_le: str
    gamma_le: str
    delta_le: str
    tau_le: str
    g1_uncompressed: str
    g2_uncompressed: str


@dataclass(frozen=True, eq=False)
class ToxicWaste:
    """Non-zero scalars below r, and generators g1 (uint8[96]) and g2 (uint8[192]). Never printed."""

    alpha: int = field(repr=False)
    beta: int = field(repr=False)
    gamma: int = field(repr=False)
    delta: int = field(repr=False)
    tau: int = field(repr=False)
    g1: Points = field(repr=False)
    g2: Points = field(repr=False)

    def __post_init__(self) -> None:
        for name in _SCALARS:
            if not 0 < getattr(self, name) < fr.MODULUS:
                raise InputError(f"toxic waste: {name} must be a non-zero scalar below the group order")
        for group, name in ((G1, "g1"), (G2, "g2")):
            try:
                group.check(getattr(self, name)[np.newaxis], subgroup=True)
            except InputError as error:
                raise InputError(f"toxic waste: {name}: {error}") from error

    @classmethod
    def draw(cls) -> Self:
        """Draw fresh values from the operating system, as bellperson's generate_random_parameters does from its rng."""
        scalars = {name: _nonzero_scalar() for name in _SCALARS}
        return cls(**scalars, g1=_random_generator(G1), g2=_random_generator(G2))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a toxic-waste file (JSON); FormatError if it is not one, InputError if it cannot be read."""
        data = read_bounded(path, _MAX_FILE_SIZE)
        try:
            return cls.parse(data)
        except InputError as error:
            raise FormatError(f"{path} is not a toxic-waste file: {error}") from error

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read toxic waste from JSON."""
        try:
            file = msgspec.json.decode(data, type=_File)
        except msgspec.DecodeError as error:
            raise FormatError(str(error)) from error
        scalars = {
            name: int.from_bytes(_hex(f"{name}_le", getattr(file, f"{name}_le"), 32), "little") for name in _SCALARS
        }
        return cls(
            **scalars,
            g1=np.frombuffer(_hex("g1_uncompressed", file.g1_uncompressed, G1.point_size), dtype=np.uint8),
            g2=np.frombuffer(_hex("g2_uncompressed", file.g2_uncompressed, G2.point_size), dtype=np.uint8),
        )


def _nonzero_scalar() -> int:
    return 1 + secrets.randbelow(fr.MODULUS - 1)


def _random_generator(group: Group) -> Points:
    """Return a uniform element other than the identity, which generates since the order is prime."""
    return group.mul(group.generator, fr.from_ints([_nonzero_scalar()])[0])


def _hex(name: str, text: str, size: int) -> bytes:
    try:
        data = bytes.fromhex(text)
    except ValueError as error:
        raise FormatError(f"{name} is not hexadecimal") from error
    if len(data) != size:
        raise FormatError(f"{name} has {len(data)} bytes, expected {size}")
    return data
