"""Witness files and public-input files, as dumped from Filecoin's own software, or written here.

Integers are little-endian.

witness file:   "WITNESS1" u64 inputs (ONE included) u64 aux, then the Fr: inputs, aux
public inputs:  per partition u32 n, n × Fr, without ONE
"""

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cuzk.algebra import fr
from cuzk.algebra.arguments import require_each
from cuzk.algebra.arrays import check_elements
from cuzk.algebra.fr import FrArray
from cuzk.errors import FormatError, InputError
from cuzk.files import read_bounded, replacing

_MAGIC = b"WITNESS1"
_HEADER = struct.Struct("<8s2Q")
_COUNT = struct.Struct("<I")
_FR_SIZE = 32
_MAX_WITNESS_SIZE = 8 << 30
_MAX_PUBLIC_SIZE = 100 << 20


def write_witness(path: Path | str, inputs: FrArray, aux: FrArray) -> None:
    """Write a witness file: inputs Fr[n] with ONE first, aux Fr[m]; FormatError for what could not be read again."""
    check_elements(inputs, 4, "inputs")
    check_elements(aux, 4, "aux")
    data = _HEADER.pack(_MAGIC, len(inputs), len(aux)) + fr.to_bytes(inputs) + fr.to_bytes(aux)
    parse_witness(data)
    with replacing(Path(path)) as file:
        file.write(data)


def read_witness(path: Path | str) -> tuple[FrArray, FrArray]:
    """Read a witness file: inputs (ONE first) and aux; FormatError if it is not one."""
    try:
        return parse_witness(read_bounded(Path(path), _MAX_WITNESS_SIZE))
    except InputError as error:
        raise FormatError(f"{path} is not a witness file: {error}") from error


def parse_witness(data: bytes) -> tuple[FrArray, FrArray]:
    """Read a witness that is all of `data`: inputs Fr[n] with ONE first, aux Fr[m]."""
    if len(data) < _HEADER.size:
        raise FormatError(f"it starts with a header of {_HEADER.size} bytes, this has {len(data)}")
    magic, num_inputs, num_aux = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise FormatError(f"it starts with {_MAGIC!r}, this starts with {magic!r}")
    expected = _HEADER.size + (num_inputs + num_aux) * _FR_SIZE
    if len(data) != expected:
        raise FormatError(f"{num_inputs} inputs and {num_aux} aux make {expected} bytes, it has {len(data)}")
    values = fr.from_bytes(data[_HEADER.size :])
    if not num_inputs or values[0].tolist() != [1, 0, 0, 0]:
        raise FormatError("its first input is not ONE")
    return values[:num_inputs], values[num_inputs:]


def write_public_inputs(path: Path | str, partitions: Sequence[FrArray]) -> None:
    """Write the public inputs of each partition, Fr[n] without ONE; FormatError for what could not be read again."""
    data = format_public_inputs(partitions)
    parse_public_inputs(data)
    with replacing(Path(path)) as file:
        file.write(data)


def read_public_inputs(path: Path | str) -> list[FrArray]:
    """Read the public inputs of each partition, without ONE; FormatError if the file is not made of them."""
    try:
        return parse_public_inputs(read_bounded(Path(path), _MAX_PUBLIC_SIZE))
    except InputError as error:
        raise FormatError(f"{path} is not a public-input file: {error}") from error


def parse_public_inputs(data: bytes) -> list[FrArray]:
    """Read public inputs that are all of `data`, one Fr[n] a partition."""
    partitions: list[FrArray] = []
    offset = 0
    while offset < len(data):
        if offset + _COUNT.size > len(data):
            raise FormatError(f"it ends inside the count of partition {len(partitions)}")
        (count,) = _COUNT.unpack_from(data, offset)
        offset += _COUNT.size
        end = offset + count * _FR_SIZE
        if end > len(data):
            raise FormatError(
                f"partition {len(partitions)} declares {count} inputs, {len(data) - offset} bytes are left"
            )
        partitions.append(fr.from_bytes(data[offset:end]))
        offset = end
    if not partitions:
        raise FormatError("it has no partitions")
    return partitions


def format_public_inputs(partitions: Sequence[FrArray]) -> bytes:
    """Return the bytes of a public-input file."""
    require_each("public inputs", partitions, np.ndarray)
    return b"".join(_COUNT.pack(len(inputs)) + fr.to_bytes(inputs) for inputs in partitions)
