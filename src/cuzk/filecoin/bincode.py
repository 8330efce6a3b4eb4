"""The bincode of Merkle proofs: fixed-width little-endian integers, no padding.

    MerkleProof := u32 0 (Single): D root, D leaf, Path base | 1 (Sub): Path base, Path sub, D root, D leaf
                 | 2 (Top): Path base, Path sub, Path top, D root, D leaf
    Path        := u64 n, n × { u64 k, k × D, u64 index }                                D := 32 bytes, an element of Fr

For one tree every count is fixed, so a good proof is one record of a fixed NumPy type. Where a count differs, a slow
reader goes through the bytes one by one and says which.
Source: rust-fil-proofs, storage-proofs-core/src/merkle/proof.rs.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.inclusion import InclusionPaths, PathPart

#: A node in a record.
NODE = ("<u8", (4,))

_KINDS = ("Single", "Sub", "Top")

Records = NDArray[Any]


def merkle_proof_type(path: tuple[PathPart, ...]) -> np.dtype[Any]:
    """Return the NumPy type of one Merkle proof of a tree."""
    ends: list[Any] = [("root", *NODE), ("leaf", *NODE)]
    parts: list[Any] = [(part.name, _path_type(part)) for part in path]
    return np.dtype([("kind", "<u4"), *(ends + parts if len(parts) == 1 else parts + ends)])


def _path_type(part: PathPart) -> np.dtype[Any]:
    step = np.dtype([("count", "<u8"), ("hashes", "<u8", (part.arity - 1, 4)), ("index", "<u8")])
    return np.dtype([("count", "<u8"), ("steps", step, (part.steps,))])


def counts(path: tuple[PathPart, ...], proofs: Records) -> Iterator[tuple[NDArray[np.uint64], int]]:
    """Yield every count and enum of Merkle proofs [*grid] with the only value that it may have."""
    yield proofs["kind"], len(path) - 1
    for part in path:
        yield proofs[part.name]["count"], part.steps
        yield proofs[part.name]["steps"]["count"], part.arity - 1


def positions(path: tuple[PathPart, ...], proofs: Records) -> Iterator[tuple[NDArray[np.uint64], int]]:
    """Yield every position in the paths of Merkle proofs [*grid] with the arity that it must be less than."""
    for part, step in _steps(path, proofs):
        yield step["index"], part.arity


def first_bad(
    fixed: Iterable[tuple[NDArray[np.uint64], int]], bounded: Iterable[tuple[NDArray[np.uint64], int]]
) -> int | None:
    """Return the first payload in which a `fixed` value is not its only one, or a `bounded` one reaches its bound.

    The arrays' first axis is that of the payloads.
    """
    faults = [values != only for values, only in fixed] + [values >= bound for values, bound in bounded]
    bad = np.any([fault.reshape(len(fault), -1).any(axis=1) for fault in faults], axis=0)
    return int(bad.argmax()) if bad.any() else None


def unpack(path: tuple[PathPart, ...], proofs: Records) -> InclusionPaths:
    """Take Merkle proofs [*grid] apart; their counts and positions have been checked."""
    steps = [step for _, step in _steps(path, proofs)]
    return InclusionPaths(
        roots=_nodes(proofs["root"]),
        leaves=_nodes(proofs["leaf"]),
        siblings=tuple(_nodes(step["hashes"]) for step in steps),
        positions=np.stack([step["index"].astype(np.uint8) for step in steps], axis=-1),
    )


def pack(path: tuple[PathPart, ...], paths: InclusionPaths, proofs: Records) -> None:
    """Fill Merkle proofs [*grid], the inverse of `unpack`."""
    for values, expected in counts(path, proofs):
        values[...] = expected
    proofs["root"], proofs["leaf"] = paths.roots, paths.leaves
    for number, (_, step) in enumerate(_steps(path, proofs)):
        step["hashes"], step["index"] = paths.siblings[number], paths.positions[..., number]


def _steps(path: tuple[PathPart, ...], proofs: Records) -> Iterator[tuple[PathPart, Records]]:
    """Yield the steps of all paths from leaf to root, each a record array [*grid]."""
    for part in path:
        for number in range(part.steps):
            yield part, proofs[part.name]["steps"][..., number]


def _nodes(values: NDArray[np.uint64]) -> Fr:
    return np.ascontiguousarray(values, dtype=np.uint64)


class MalformedError(Exception):
    """Carries one sentence out of a slow reader."""


class Reader:
    """Reads integers and skips nodes; what is read is named, so that an error says where it belongs."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.offset = 0

    def integer(self, what: str, width: int = 8) -> int:
        """Read an unsigned integer of `width` bytes."""
        return int.from_bytes(self._take(what, width), "little")

    def expect(self, what: str, expected: int) -> None:
        """Read a 64-bit count that can have only one value."""
        value = self.integer(what)
        if value != expected:
            raise MalformedError(f"{what}: expected {expected}, got {value}")

    def nodes(self, what: str, count: int = 1) -> None:
        """Skip nodes."""
        self._take(what, 32 * count)

    def merkle_proof(self, path: tuple[PathPart, ...], place: str, tree: str) -> None:
        """Read a Merkle proof of `path`; `tree` says of what, such as `2KiB sectors`."""
        kind, expected = self.integer(f"{place}: kind of Merkle proof", 4), len(path) - 1
        if kind != expected:
            name = f" ({_KINDS[kind]})" if kind < len(_KINDS) else ", which does not exist"
            raise MalformedError(
                f"{place}: kind of Merkle proof: expected {expected} ({_KINDS[expected]}) for {tree}, got {kind}{name}"
            )
        if len(path) == 1:
            self._ends(place)
        for part in path:
            self.expect(f"{place}: {part.name} path: number of steps", part.steps)
            for step in range(part.steps):
                self._step(f"{place}: {part.name} path, step {step}", part.arity)
        if len(path) > 1:
            self._ends(place)

    def _ends(self, place: str) -> None:
        self.nodes(f"{place}: root")
        self.nodes(f"{place}: leaf")

    def _step(self, where: str, arity: int) -> None:
        self.expect(f"{where}: number of siblings", arity - 1)
        self.nodes(f"{where}: siblings", arity - 1)
        position = self.integer(f"{where}: index")
        if position >= arity:
            raise MalformedError(f"{where}: index: expected less than {arity}, got {position}")

    def _take(self, what: str, length: int) -> bytes:
        end = self.offset + length
        if end > len(self._data):
            raise MalformedError(
                f"{what}: the bytes end here: expected {length} at offset {self.offset}, "
                f"got {len(self._data) - self.offset}"
            )
        taken, self.offset = self._data[self.offset : end], end
        return taken
