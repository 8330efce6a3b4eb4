"""What a sector update is about, and the randomness that follows from it.

An update's new replica is old replica + data · rho, where rho is one of a few numbers, chosen by the high bits of a
node's index, that nobody can know before the data is fixed.
Source: rust-fil-proofs, storage-proofs-update/src/vanilla.rs (`phi`, `rho`, `Rhos`) and challenges.rs.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr, poseidon
from cuzk.filecoin.commitments import Fr, check_commitment, stack
from cuzk.filecoin.update.config import UpdateConfig

#: Poseidon's domain for phi, rho and challenges (HASH_TYPE_GEN_RANDOMNESS).
_RANDOMNESS = poseidon.custom_domain_tag(1)
#: Bits of a digest that are as good as random.
_DIGEST_BITS = 254


@dataclass(frozen=True)
class UpdateStatement:
    """The replica's commitment before and after, and the new data's; 32 bytes each, canonical field elements."""

    comm_r_old: bytes
    comm_d_new: bytes
    comm_r_new: bytes

    def __post_init__(self) -> None:
        """Raise InputError for a wrong length or a value that is no field element."""
        for field in fields(self):
            check_commitment(field.name, getattr(self, field.name))


def rhos(config: UpdateConfig, comm_d_new: bytes, comm_r_old: bytes) -> Fr:
    """Return rho = Poseidon(phi, high) for every value of a node's high bits, Fr[2^h].

    phi = Poseidon(comm_d_new, comm_r_old): it is not known before both are fixed.
    """
    phi = _randomness(stack([comm_d_new, comm_r_old])[np.newaxis])
    high = fr.from_ints(range(1 << config.high_bit_count))
    return _randomness(np.stack([np.broadcast_to(phi, high.shape), high], axis=1))


def rho_numbers(config: UpdateConfig, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which of `rhos` belongs to each node: the h highest bits of its index."""
    return nodes >> (config.node_bits - config.high_bit_count)


def update_challenges(config: UpdateConfig, statement: UpdateStatement) -> NDArray[np.int64]:
    """Return the challenged nodes of all partitions, int64[partitions, challenges].

    A digest Poseidon(comm_r_new, i) yields as many challenges as its bits suffice for, from the lowest bits up; i
    counts through the partitions. A partition's number is the highest bits of its challenges.
    """
    random_bits = config.node_bits - config.partition_bits
    per_digest = _DIGEST_BITS // random_bits
    digests = -(-config.challenges // per_digest)
    counters = fr.from_ints(range(config.partitions * digests))
    comm_r_new = np.broadcast_to(stack([statement.comm_r_new]), counters.shape)
    drawn = fr.to_ints(_randomness(np.stack([comm_r_new, counters], axis=1)))
    mask = (1 << random_bits) - 1
    low = np.array([[digest >> i * random_bits & mask for i in range(per_digest)] for digest in drawn], dtype=np.int64)
    partitions = np.arange(config.partitions)[:, np.newaxis]
    return low.reshape(config.partitions, -1)[:, : config.challenges] | partitions << random_bits


def _randomness(preimages: Fr) -> Fr:
    hashes: Fr = poseidon.hash(np.ascontiguousarray(preimages), domain=_RANDOMNESS)
    return hashes
