"""The bincode of a sector update's vanilla proofs, one payload a partition (PartitionProof).

    PartitionProof := D comm_c, u64 n, n × D apex leaf, u64 m, m × { MerkleProof r_old, d_new, r_new }

See `cuzk.filecoin.bincode` for Merkle proofs; those in tree D are binary. Every count is fixed by the circuit, so a
good payload is one record of a fixed NumPy type; where a count differs, a slow reader says which.
Source: rust-fil-proofs, storage-proofs-update/src/vanilla.rs.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuzk.errors import FormatError, InputError
from cuzk.filecoin import bincode
from cuzk.filecoin.commitments import first_not_canonical, not_canonical
from cuzk.filecoin.inclusion import PathPart, data_path, replica_path
from cuzk.filecoin.sectors import SectorShape
from cuzk.filecoin.update.config import UpdateConfig
from cuzk.filecoin.update.vanilla import VanillaUpdate, place_of


def decode(config: UpdateConfig, payloads: Sequence[bytes]) -> VanillaUpdate:
    """Decode the payloads of all partitions; FormatError names the payload and the place in it.

    Lengths are compared with the one that is possible before anything is allocated.
    """
    if len(payloads) != config.partitions:
        raise InputError(
            f"vanilla_proofs: expected {config.partitions}, one for each partition of {config.circuit_id}, "
            f"got {len(payloads)}"
        )
    record = _record(config)
    for index, payload in enumerate(payloads):
        if len(payload) != record.itemsize:
            raise _explain(config, index, payload)
    proofs = np.frombuffer(b"".join(payloads), dtype=record)
    bad = bincode.first_bad(_counts(config, proofs), _positions(config, proofs))
    if bad is not None:
        raise _explain(config, bad, payloads[bad])
    return _checked_elements(
        VanillaUpdate(
            config,
            comm_c=proofs["comm_c"].astype(np.uint64),
            apex_leaves=proofs["apex_leaves"].astype(np.uint64),
            **{name: bincode.unpack(path, proofs["challenges"][name]) for name, path in _trees(config.shape)},
        )
    )


def encode(vanilla: VanillaUpdate) -> list[bytes]:
    """Encode vanilla proofs, the inverse of `decode`: one payload a partition."""
    config = vanilla.config
    proofs = np.zeros(config.partitions, dtype=_record(config))
    proofs["comm_c"], proofs["apex_leaves"] = vanilla.comm_c, vanilla.apex_leaves
    for counts, expected in _counts(config, proofs):
        counts[...] = expected
    for name, path in _trees(config.shape):
        bincode.pack(path, getattr(vanilla, name), proofs["challenges"][name])
    return [row.tobytes() for row in proofs]


def _trees(shape: SectorShape) -> list[tuple[str, tuple[PathPart, ...]]]:
    """Return the Merkle proofs of a challenge in order: the field of VanillaUpdate, and the parts of its paths."""
    return [("old", replica_path(shape)), ("data", data_path(shape)), ("new", replica_path(shape))]


@functools.cache
def _record(config: UpdateConfig) -> np.dtype[Any]:
    """Return the NumPy type of one payload."""
    challenge = np.dtype([(name, bincode.merkle_proof_type(path)) for name, path in _trees(config.shape)])
    return np.dtype(
        [
            ("comm_c", *bincode.NODE),
            ("apex_count", "<u8"),
            ("apex_leaves", "<u8", (config.apex_leaves, 4)),
            ("challenge_count", "<u8"),
            ("challenges", challenge, (config.challenges,)),
        ]
    )


def _counts(config: UpdateConfig, proofs: NDArray[Any]) -> Iterator[tuple[NDArray[np.uint64], int]]:
    """Yield every count and enum of the format with the only value that it may have."""
    yield proofs["apex_count"], config.apex_leaves
    yield proofs["challenge_count"], config.challenges
    for name, path in _trees(config.shape):
        yield from bincode.counts(path, proofs["challenges"][name])


def _positions(config: UpdateConfig, proofs: NDArray[Any]) -> Iterator[tuple[NDArray[np.uint64], int]]:
    """Yield every position in a path with the arity that it must be less than."""
    for name, path in _trees(config.shape):
        yield from bincode.positions(path, proofs["challenges"][name])


def _checked_elements(vanilla: VanillaUpdate) -> VanillaUpdate:
    """Return the proofs as they are if every element is below r; FormatError names the first that is not."""
    where = first_not_canonical(vanilla.comm_c)
    if where is not None:
        raise not_canonical(f"partition {where[0]}: comm_c", vanilla.comm_c[where])
    where = first_not_canonical(vanilla.apex_leaves)
    if where is not None:
        raise not_canonical(f"partition {where[0]}: apex leaf {where[1]}", vanilla.apex_leaves[where])
    for name, paths in (("proof_r_old", vanilla.old), ("proof_d_new", vanilla.data), ("proof_r_new", vanilla.new)):
        paths.check_canonical(lambda at, name=name: f"{place_of(*at)}: {name}")  # type: ignore[misc]
    return vanilla


def _explain(config: UpdateConfig, index: int, payload: bytes) -> FormatError:
    """Return the error of the payload `vanilla_proofs[index]`, which is known to be malformed."""
    reader = bincode.Reader(payload)
    place = f"vanilla_proofs[{index}]"
    try:
        reader.nodes("comm_c")
        reader.expect("number of apex leaves", config.apex_leaves)
        reader.nodes("apex leaves", config.apex_leaves)
        reader.expect("number of challenges", config.challenges)
        label = config.shape.label
        for challenge in range(config.challenges):
            reader.merkle_proof(replica_path(config.shape), f"challenge {challenge}: proof_r_old", f"{label} sectors")
            reader.merkle_proof(data_path(config.shape), f"challenge {challenge}: proof_d_new", f"tree D of {label}")
            reader.merkle_proof(replica_path(config.shape), f"challenge {challenge}: proof_r_new", f"{label} sectors")
    except bincode.MalformedError as error:
        return FormatError(f"{place}: {error}")
    return FormatError(
        f"{place}: expected {reader.offset} bytes for {config.circuit_id}, got {len(payload)}: "
        f"{len(payload) - reader.offset} too many at the end"
    )
