"""The 192 bytes of a Groth16 proof: A (G1, 48) ‖ B (G2, 96) ‖ C (G1, 48), compressed.

A job's proofs are concatenated in partition order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from cuzk.algebra.arguments import wrong_type
from cuzk.algebra.group import G1, G2, Group, Points
from cuzk.errors import FormatError, InputError

PROOF_SIZE = G1.compressed_size + G2.compressed_size + G1.compressed_size


@dataclass(frozen=True, eq=False)
class Proof:
    """A proof's points, uncompressed: `a` and `c` uint8[96] in G1, `b` uint8[192] in G2."""

    a: Points
    b: Points
    c: Points

    def to_bytes(self) -> bytes:
        """Return the 192 bytes of this proof."""
        parts = ((G1, self.a), (G2, self.b), (G1, self.c))
        return b"".join(group.compress(point[np.newaxis]).tobytes() for group, point in parts)

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read one proof; FormatError unless it is 192 bytes of canonical points of the subgroup, none of them zero."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise wrong_type("a proof", "bytes", data)
        if len(data) != PROOF_SIZE:
            raise FormatError(f"a proof has {PROOF_SIZE} bytes, this has {len(data)}")
        ends = (G1.compressed_size, G1.compressed_size + G2.compressed_size)
        return cls(
            a=_decompress(G1, "A", data[: ends[0]]),
            b=_decompress(G2, "B", data[ends[0] : ends[1]]),
            c=_decompress(G1, "C", data[ends[1] :]),
        )


def split_proofs(data: bytes) -> list[bytes]:
    """Cut concatenated proofs into pieces of 192 bytes; FormatError if they are none or do not come out even."""
    if not data or len(data) % PROOF_SIZE:
        raise FormatError(f"proofs have a multiple of {PROOF_SIZE} bytes, this has {len(data)}")
    return [data[start : start + PROOF_SIZE] for start in range(0, len(data), PROOF_SIZE)]


def join_proofs(proofs: Sequence[Proof]) -> bytes:
    """Return the bytes of a job's proofs, in partition order."""
    return b"".join(proof.to_bytes() for proof in proofs)


def _decompress(group: Group, name: str, data: bytes) -> Points:
    try:
        point: Points = group.decompress(np.frombuffer(data, dtype=np.uint8)[np.newaxis], subgroup=True)[0]
    except InputError as error:
        raise FormatError(f"the proof's {name}: {error}") from error
    if np.array_equal(point, group.identity):
        raise FormatError(f"the proof's {name} is the point at infinity")
    return point
