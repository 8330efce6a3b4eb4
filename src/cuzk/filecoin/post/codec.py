"""The bincode of a PoSt vanilla proof (FallbackPoStSectorProof): fixed-width little-endian integers, no padding.

    SectorProof := u64 sector_id, D comm_r, u64 n (= 1), { u64 m, m × MerkleProof, D comm_c, D comm_r_last }
    MerkleProof := u32 kind 0: D root, D leaf, Path base | 1: Path base, Path sub, D root, D leaf
                 | 2: Path base, Path sub, Path top, D root, D leaf
    Path        := u64 n, n × { u64 k, k × D, u64 index }                                D := 32 bytes, an element of Fr

For one circuit every count is fixed, so a good proof is one record of a fixed NumPy type, and all sectors of a
partition are decoded at once. Where a count differs, `codec_errors` reads the bytes one by one and says which.
Source: rust-fil-proofs, storage-proofs-core/src/merkle/proof.rs and storage-proofs-post/src/fallback/vanilla.rs.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuzk.errors import FormatError, InputError
from cuzk.filecoin.commitments import Fr, first_not_canonical, hex_of
from cuzk.filecoin.post.codec_errors import explain
from cuzk.filecoin.post.config import WINNING_CHALLENGES, PostConfig
from cuzk.filecoin.post.vanilla import VanillaPost
from cuzk.filecoin.sectors import SectorShape

_NODE = ("<u8", (4,))


def decode(config: PostConfig, payloads: Sequence[bytes]) -> VanillaPost:
    """Decode the sector proofs of a partition: one for WinningPoSt, one a sector for WindowPoSt.

    FormatError names the payload, the place in it, what was expected and what came. Lengths are compared with the one
    that is possible before anything is allocated.
    """
    _check_count(config, payloads)
    record = _record(config.shape, _challenges(config))
    for index, payload in enumerate(payloads):
        if len(payload) != record.itemsize:
            raise explain(config, _challenges(config), index, payload)
    proofs = np.frombuffer(b"".join(payloads), dtype=record)
    bad = np.zeros(len(payloads), dtype=bool)
    for counts, expected in _counts(config, proofs):
        bad |= (counts != expected).reshape(len(payloads), -1).any(axis=1)
    for step, arity in zip(_steps(config.shape, proofs), config.shape.path_arities, strict=True):
        bad |= (step["index"] >= arity).reshape(len(payloads), -1).any(axis=1)
    if bad.any():
        index = int(bad.argmax())
        raise explain(config, _challenges(config), index, payloads[index])
    return _checked_elements(_as_arrays(config, proofs))


def encode(proofs: VanillaPost) -> list[bytes]:
    """Encode vanilla proofs, the inverse of `decode`: one payload a sector (one in all for WinningPoSt)."""
    config = proofs.config
    challenges = _challenges(config)
    record = np.zeros(1 if config.kind == "winning" else proofs.sectors, dtype=_record(config.shape, challenges))
    record["sector_id"] = proofs.numbers[: len(record)]
    for name in ("comm_r", "comm_c", "comm_r_last"):
        record[name] = getattr(proofs, name)[: len(record)]
    merkle = record["merkle"]
    grid = (len(record), challenges)
    merkle["root"], merkle["leaf"] = proofs.roots.reshape(*grid, 4), proofs.leaves.reshape(*grid, 4)
    positions = proofs.positions.reshape(*grid, -1)
    for number, (step, siblings) in enumerate(zip(_steps(config.shape, record), proofs.siblings, strict=True)):
        step["hashes"] = siblings.reshape(*grid, -1, 4)
        step["index"] = positions[..., number]
    for counts, expected in _counts(config, record):
        counts[...] = expected
    return [row.tobytes() for row in record]


def _challenges(config: PostConfig) -> int:
    """Inclusion proofs in one payload: WinningPoSt has all its challenges in the one sector proof."""
    return WINNING_CHALLENGES if config.kind == "winning" else config.challenges


def _check_count(config: PostConfig, payloads: Sequence[bytes]) -> None:
    most = 1 if config.kind == "winning" else config.sectors
    if not payloads:
        raise InputError("vanilla_proofs: expected one for each sector, got none")
    if len(payloads) > most:
        raise InputError(f"vanilla_proofs: expected at most {most} for {config.circuit_id}, got {len(payloads)}")


@functools.cache
def _record(shape: SectorShape, challenges: int) -> np.dtype[Any]:
    """Return the NumPy type of one payload."""
    node_pair: list[Any] = [("root", *_NODE), ("leaf", *_NODE)]
    paths = [(name, _path_type(arities)) for name, arities in _path_rows(shape)]
    kind: list[Any] = [("kind", "<u4")]
    merkle = np.dtype(kind + (node_pair + paths if len(paths) == 1 else paths + node_pair))
    head: list[Any] = [("sector_id", "<u8"), ("comm_r", *_NODE), ("proofs", "<u8"), ("inclusions", "<u8")]
    return np.dtype([*head, ("merkle", merkle, (challenges,)), ("comm_c", *_NODE), ("comm_r_last", *_NODE)])


def _path_type(arities: tuple[int, ...]) -> np.dtype[Any]:
    step = np.dtype([("count", "<u8"), ("hashes", "<u8", (arities[0] - 1, 4)), ("index", "<u8")])
    return np.dtype([("count", "<u8"), ("steps", step, (len(arities),))])


def _path_rows(shape: SectorShape) -> list[tuple[str, tuple[int, ...]]]:
    """Return the paths of a Merkle proof in order: name and arity of each step."""
    rows = [("base", (shape.base_arity,) * shape.base_height), ("sub", (shape.sub_arity,)), ("top", (shape.top_arity,))]
    return [(name, arities) for name, arities in rows if arities[0]]


def _steps(shape: SectorShape, proofs: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield the steps of all paths from leaf to root, each a record array [payloads, challenges]."""
    for name, arities in _path_rows(shape):
        for number in range(len(arities)):
            yield proofs["merkle"][name]["steps"][..., number]


def _counts(config: PostConfig, proofs: NDArray[Any]) -> Iterator[tuple[NDArray[np.uint64], int]]:
    """Yield every count and enum of the format with the only value that it may have."""
    rows = _path_rows(config.shape)
    yield proofs["proofs"], 1
    yield proofs["inclusions"], _challenges(config)
    yield proofs["merkle"]["kind"], len(rows) - 1
    for name, arities in rows:
        path = proofs["merkle"][name]
        yield path["count"], len(arities)
        yield path["steps"]["count"], arities[0] - 1


def _as_arrays(config: PostConfig, proofs: NDArray[Any]) -> VanillaPost:
    """Take the records apart; WinningPoSt's one sector becomes 66 rows of one challenge."""
    grid = (config.sectors, 1) if config.kind == "winning" else (len(proofs), config.challenges)
    steps = list(_steps(config.shape, proofs))

    def of_sector(name: str) -> NDArray[np.uint64]:
        rows = proofs[name].astype(np.uint64)
        return np.repeat(rows, grid[0] // len(rows), axis=0)

    def of_challenge(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return np.ascontiguousarray(values, dtype=np.uint64).reshape(*grid, *values.shape[2:])

    return VanillaPost(
        config,
        numbers=of_sector("sector_id"),
        comm_r=of_sector("comm_r"),
        comm_c=of_sector("comm_c"),
        comm_r_last=of_sector("comm_r_last"),
        roots=of_challenge(proofs["merkle"]["root"]),
        leaves=of_challenge(proofs["merkle"]["leaf"]),
        siblings=tuple(of_challenge(step["hashes"]) for step in steps),
        positions=np.stack([step["index"].astype(np.uint8) for step in steps], axis=-1).reshape(*grid, len(steps)),
    )


def _checked_elements(proofs: VanillaPost) -> VanillaPost:
    """Return the proofs as they are if every element is below r; FormatError names the first that is not."""

    def check(what: str, elements: Fr) -> None:
        where = first_not_canonical(elements)
        if where is None:
            return
        sibling = f", sibling {where[2]}" if len(where) == 3 else ""
        raise FormatError(
            f"{proofs.place(*where[:2])}: {what}{sibling}: expected a little-endian field element below r, "
            f"got {hex_of(elements[where])}"
        )

    for name in ("comm_r", "comm_c", "comm_r_last"):
        check(name, getattr(proofs, name))
    check("root of the path", proofs.roots)
    check("leaf", proofs.leaves)
    for number, siblings in enumerate(proofs.siblings):
        check(f"path step {number}", siblings)
    return proofs
