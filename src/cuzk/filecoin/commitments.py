"""32-byte values that are field elements: commitments, tree nodes, randomness.

Filecoin writes them little-endian. A commitment must be canonical (below the modulus of Fr); randomness has its two
top bits cleared instead (filecoin-ffi masks the last byte with 0x3f), which makes any 32 bytes a field element.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra.fr import MODULUS
from cuzk.errors import FormatError, InputError

Fr = NDArray[np.uint64]


def check_length(name: str, value: bytes, length: int = 32) -> None:
    """Raise InputError unless `value` has `length` bytes."""
    if len(value) != length:
        raise InputError(f"{name}: expected {length} bytes, got {len(value)}")


def check_commitment(name: str, value: bytes) -> bytes:
    """Return a commitment as it is; InputError unless it is 32 bytes and a canonical little-endian field element."""
    check_length(name, value)
    if int.from_bytes(value, "little") >= MODULUS:
        raise not_canonical(name, stack([value])[0])
    return value


def mask_randomness(value: bytes) -> bytes:
    """Return PoSt randomness as the proofs use it: 32 bytes with the two top bits of the last one cleared."""
    check_length("randomness", value)
    return value[:31] + bytes([value[31] & 0x3F])


def stack(elements: Iterable[bytes]) -> Fr:
    """Pack 32-byte little-endian elements into an Fr vector (uint64[n, 4])."""
    return np.frombuffer(b"".join(elements), dtype="<u8").reshape(-1, 4).astype(np.uint64)


def hex_of(element: Fr) -> str:
    """Return an element (uint64[4]) as Filecoin prints commitments: hex of its 32 little-endian bytes."""
    return element.astype("<u8").tobytes().hex()


def first_not_canonical(elements: Fr) -> tuple[int, ...] | None:
    """Return the index of the first element (uint64[..., 4]) that is not below r, or None."""
    below = np.zeros(elements.shape[:-1], dtype=bool)
    equal = np.ones(elements.shape[:-1], dtype=bool)
    for limb in (3, 2, 1, 0):
        modulus = np.uint64(MODULUS >> (64 * limb) & 0xFFFF_FFFF_FFFF_FFFF)
        below |= equal & (elements[..., limb] < modulus)
        equal &= elements[..., limb] == modulus
    return None if below.all() else first_false(below)


def first_false(mask: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the index of the first False in a mask that has one."""
    return tuple(int(index) for index in np.unravel_index(int(mask.argmin()), mask.shape))


def not_canonical(name: str, element: Fr) -> FormatError:
    """Return the error of an element (uint64[4]) that is not below r."""
    return FormatError(f"{name}: expected a little-endian field element below r, got {hex_of(element)}")
