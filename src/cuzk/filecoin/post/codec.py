"""The bincode of a PoSt vanilla proof (FallbackPoStSectorProof); see `cuzk.filecoin.bincode` for its Merkle proofs.

    SectorProof := u64 sector_id, D comm_r, u64 n (= 1), { u64 m, m × MerkleProof, D comm_c, D comm_r_last }

For one circuit every count is fixed, so a good proof is one record of a fixed NumPy type, and all sectors of a
partition are decoded at once. Where a count differs, `codec_errors` reads the bytes one by one and says which.
Source: rust-fil-proofs, storage-proofs-post/src/fallback/vanilla.rs.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuzk.errors import InputError
from cuzk.filecoin import bincode
from cuzk.filecoin.commitments import first_not_canonical, not_canonical
from cuzk.filecoin.inclusion import replica_path
from cuzk.filecoin.post.codec_errors import explain
from cuzk.filecoin.post.config import WINNING_CHALLENGES, PostConfig
from cuzk.filecoin.post.vanilla import VanillaPost
from cuzk.filecoin.sectors import SectorShape


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
    bad = bincode.first_bad(_counts(config, proofs), bincode.positions(replica_path(config.shape), proofs["merkle"]))
    if bad is not None:
        raise explain(config, _challenges(config), bad, payloads[bad])
    return _checked_elements(_as_arrays(config, proofs))


def encode(proofs: VanillaPost) -> list[bytes]:
    """Encode vanilla proofs, the inverse of `decode`: one payload a sector (one in all for WinningPoSt)."""
    config = proofs.config
    challenges = _challenges(config)
    record = np.zeros(1 if config.kind == "winning" else proofs.sectors, dtype=_record(config.shape, challenges))
    record["sector_id"] = proofs.numbers[: len(record)]
    for name in ("comm_r", "comm_c", "comm_r_last"):
        record[name] = getattr(proofs, name)[: len(record)]
    for counts, expected in _counts(config, record):
        counts[...] = expected
    paths = proofs.paths.reshaped(len(record), challenges)
    bincode.pack(replica_path(config.shape), paths, record["merkle"])
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
    merkle = bincode.merkle_proof_type(replica_path(shape))
    node = bincode.NODE
    head: list[Any] = [("sector_id", "<u8"), ("comm_r", *node), ("proofs", "<u8"), ("inclusions", "<u8")]
    return np.dtype([*head, ("merkle", merkle, (challenges,)), ("comm_c", *node), ("comm_r_last", *node)])


def _counts(config: PostConfig, proofs: NDArray[Any]) -> Iterator[tuple[NDArray[np.uint64], int]]:
    """Yield every count and enum of the format with the only value that it may have."""
    yield proofs["proofs"], 1
    yield proofs["inclusions"], _challenges(config)
    yield from bincode.counts(replica_path(config.shape), proofs["merkle"])


def _as_arrays(config: PostConfig, proofs: NDArray[Any]) -> VanillaPost:
    """Take the records apart; WinningPoSt's one sector becomes 66 rows of one challenge."""
    grid = (config.sectors, 1) if config.kind == "winning" else (len(proofs), config.challenges)

    def of_sector(name: str) -> NDArray[np.uint64]:
        rows = proofs[name].astype(np.uint64)
        return np.repeat(rows, grid[0] // len(rows), axis=0)

    paths = bincode.unpack(replica_path(config.shape), proofs["merkle"]).reshaped(*grid)
    return VanillaPost(
        config,
        numbers=of_sector("sector_id"),
        comm_r=of_sector("comm_r"),
        comm_c=of_sector("comm_c"),
        comm_r_last=of_sector("comm_r_last"),
        roots=paths.roots,
        leaves=paths.leaves,
        siblings=paths.siblings,
        positions=paths.positions,
    )


def _checked_elements(proofs: VanillaPost) -> VanillaPost:
    """Return the proofs as they are if every element is below r; FormatError names the first that is not."""
    for name in ("comm_r", "comm_c", "comm_r_last"):
        where = first_not_canonical(getattr(proofs, name))
        if where is not None:
            raise not_canonical(f"{proofs.place(*where)}: {name}", getattr(proofs, name)[where])
    proofs.paths.check_canonical(lambda where: proofs.place(*where))
    return proofs
