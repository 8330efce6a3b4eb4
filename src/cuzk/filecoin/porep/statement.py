"""What a PoRep is about: a sector's commitments, and the randomness that its challenges come from.

Source: rust-fil-proofs, storage-proofs-porep/src/stacked/vanilla/params.rs (`generate_replica_id`).
"""

import hashlib
from dataclasses import dataclass, fields

from cuzk.errors import InputError
from cuzk.filecoin.commitments import check_commitment, check_length

_U64 = 1 << 64


@dataclass(frozen=True)
class PorepStatement:
    """32 bytes each; commitments and replica_id are canonical little-endian field elements."""

    comm_d: bytes
    comm_r: bytes
    replica_id: bytes
    seed: bytes
    ticket: bytes

    def __post_init__(self) -> None:
        """Raise InputError for a wrong length, a value that is no field element, or a commitment or seed of zeros.

        Filecoin's verifier refuses these too (rust-fil-proofs, filecoin-proofs/src/api/seal.rs, `verify_seal`).
        """
        for field in fields(self):
            check_length(field.name, getattr(self, field.name))
        for name in ("comm_d", "comm_r", "replica_id"):
            check_commitment(name, getattr(self, name))
        for name in ("comm_d", "comm_r"):
            if not any(getattr(self, name)):
                raise InputError(f"{name}: expected a commitment, got 32 zero bytes")
        if not any(self.seed):
            raise InputError("seed: expected randomness, got 32 zero bytes")


def prover_id(miner_id: int) -> bytes:
    """Return the 32 bytes that stand for a miner: its id in unsigned LEB128, zero padded."""
    if not 0 <= miner_id < _U64:
        raise InputError(f"miner_id: expected an unsigned 64-bit number, got {miner_id}")
    groups = bytearray()
    while miner_id >= 0x80:
        groups.append(miner_id & 0x7F | 0x80)
        miner_id >>= 7
    groups.append(miner_id)
    return bytes(groups).ljust(32, b"\0")


def replica_id(miner_id: int, sector: int, ticket: bytes, comm_d: bytes, porep_id: bytes) -> bytes:
    """Return the 32 bytes that make a replica its miner's and its sector's own; the two top bits are cleared."""
    if not 0 <= sector < _U64:
        raise InputError(f"sector_number: expected an unsigned 64-bit number, got {sector}")
    check_length("ticket", ticket)
    message = prover_id(miner_id) + sector.to_bytes(8, "big") + ticket + comm_d + porep_id
    digest = hashlib.sha256(message).digest()
    return digest[:31] + bytes([digest[31] & 0x3F])
