"""Which nodes of a sector a PoRep must open, in each of its three forms.

No form challenges node 0: a challenge is a 256-bit little-endian number modulo (nodes − 1), plus one.
Source: rust-fil-proofs, storage-proofs-porep/src/stacked/vanilla/challenges.rs.
"""

import hashlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cuzk.filecoin.porep.chacha import blocks
from cuzk.filecoin.porep.statement import PorepStatement
from cuzk.filecoin.registered import Feature, SealProof

Challenges = NDArray[np.int64]

#: Candidates among which synthetic PoRep chooses; sectors with fewer nodes have as many as nodes.
SYNTHETIC_CHALLENGES = 1 << 18

_SYNTHETIC_KEY = b"filecoin.io|PoRep|1|Synthetic|1|"
_SYNTHETIC_NONCE = b"synth-porep\0"
_NON_INTERACTIVE_TAG = b"filecoin.io|PoRep|1|NonInteractive|1"
_CHACHA_ROUNDS = 20


def porep_challenges(proof: SealProof, statement: PorepStatement) -> Challenges:
    """Return the challenged nodes of all partitions, int64[partitions, challenges]."""
    nodes, shape = proof.shape.nodes, (proof.partitions, proof.config.challenges)
    count = shape[0] * shape[1]
    if proof.feature is Feature.SYNTHETIC:
        numbers = synthetic_challenges(nodes, min(SYNTHETIC_CHALLENGES, nodes), count, statement)
    elif proof.feature is Feature.NON_INTERACTIVE:
        numbers = _hashed(nodes, _NON_INTERACTIVE_TAG + statement.replica_id + statement.comm_r, count)
    else:
        numbers = _hashed(nodes, statement.replica_id + statement.seed, count)
    return np.array(list(numbers), dtype=np.int64).reshape(shape)


def _hashed(nodes: int, prefix: bytes, count: int) -> Iterator[int]:
    """Yield a challenge of SHA-256(prefix ‖ u32 j) for each j; j counts through the partitions."""
    start = hashlib.sha256(prefix)
    for j in range(count):
        digest = start.copy()
        digest.update(j.to_bytes(4, "little"))
        yield _to_node(digest.digest(), nodes)


def synthetic_challenges(nodes: int, candidates: int, count: int, statement: PorepStatement) -> Iterator[int]:
    """Yield the first `count` challenges of synthetic PoRep: candidates that the seed selects.

    Candidate i is made of bytes 32 i … 32 i + 31 of one key stream, whose key is known once the sector is sealed; the
    j-th selected index is made of bytes 4 j … 4 j + 3 of another, whose key depends on the seed.
    """
    selection = _stream_key(b"Selection", statement.replica_id + statement.seed)
    words = _key_stream(selection, np.arange(-(-count // 16))).reshape(-1)[:count]
    indices = words % np.uint32(candidates)

    generation = _stream_key(b"Generation", statement.replica_id + statement.comm_r)
    halves = _key_stream(generation, indices // 2).reshape(-1, 2, 8)  # a block of 64 bytes has two candidates
    for drawn in halves[np.arange(count), indices % 2]:
        yield _to_node(drawn.astype("<u4").tobytes(), nodes)


def _stream_key(purpose: bytes, message: bytes) -> NDArray[np.uint32]:
    key = hashlib.blake2b(message, digest_size=32, key=_SYNTHETIC_KEY + purpose).digest()
    return np.frombuffer(key, dtype="<u4").astype(np.uint32)


def _key_stream(key: NDArray[np.uint32], numbers: NDArray[np.integer]) -> NDArray[np.uint32]:
    """Return the blocks with these numbers of ChaCha20's key stream, uint32[n, 16]."""
    counters = np.empty((len(numbers), 4), dtype=np.uint32)
    counters[:, 0] = numbers
    counters[:, 1:] = np.frombuffer(_SYNTHETIC_NONCE, dtype="<u4")
    return blocks(np.broadcast_to(key, (len(numbers), 8)), counters, _CHACHA_ROUNDS)


def _to_node(drawn: bytes, nodes: int) -> int:
    return int.from_bytes(drawn, "little") % (nodes - 1) + 1
