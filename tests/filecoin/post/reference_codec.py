"""A plain reader and writer of the PoSt bincode, one field after another."""

import struct
from dataclasses import dataclass, field


@dataclass
class MerkleProof:
    kind: int
    root: bytes
    leaf: bytes
    #: Steps of all paths, leaf to root: siblings and position.
    steps: list[tuple[list[bytes], int]]


@dataclass
class SectorProof:
    sector: int
    comm_r: bytes
    comm_c: bytes = b""
    comm_r_last: bytes = b""
    inclusions: list[MerkleProof] = field(default_factory=list)


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def take(self, count: int) -> bytes:
        taken, self.data = self.data[:count], self.data[count:]
        assert len(taken) == count
        return taken

    def u64(self) -> int:
        return struct.unpack("<Q", self.take(8))[0]

    def path(self) -> list[tuple[list[bytes], int]]:
        return [([self.take(32) for _ in range(self.u64())], self.u64()) for _ in range(self.u64())]

    def merkle_proof(self) -> MerkleProof:
        (kind,) = struct.unpack("<I", self.take(4))
        if kind == 0:
            root, leaf = self.take(32), self.take(32)
            return MerkleProof(kind, root, leaf, self.path())
        steps = [step for _ in range(kind + 1) for step in self.path()]
        return MerkleProof(kind, self.take(32), self.take(32), steps)


def read(data: bytes) -> SectorProof:
    reader = Reader(data)
    proof = SectorProof(reader.u64(), reader.take(32))
    assert reader.u64() == 1
    proof.inclusions = [reader.merkle_proof() for _ in range(reader.u64())]
    proof.comm_c, proof.comm_r_last = reader.take(32), reader.take(32)
    assert not reader.data
    return proof
