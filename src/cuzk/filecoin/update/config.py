"""The numbers that make an update circuit, for each sector size.

Source: rust-fil-proofs, storage-proofs-update/src/constants.rs, which tabulates by nodes.
"""

from dataclasses import dataclass

from cuzk.filecoin.sectors import SectorShape

#: Which of the six counts of high bits is used (`h_default`).
_DEFAULT_CHOICE = 3
_KIB, _MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class UpdateConfig:
    """An update circuit: one of `partitions`, with `challenges` challenges and `apex_leaves` leaves of its own."""

    shape: SectorShape
    partitions: int
    challenges: int
    apex_leaves: int
    #: How many high bits of a challenge choose its rho; the circuit is built for six choices, one is taken.
    high_bits: tuple[int, ...]

    @property
    def high_bit_count(self) -> int:
        """The choice that everybody makes (`h_default`): how many high bits of a node's index choose its rho."""
        return self.high_bits[_DEFAULT_CHOICE]

    @property
    def selector(self) -> int:
        """The choice as the circuit is told it (`h_select`): one-hot, by the first of equal counts."""
        return 1 << self.high_bits.index(self.high_bit_count)

    @property
    def partition_bits(self) -> int:
        """Bits of a partition's number; they are the highest of its challenges."""
        return self.partitions.bit_length() - 1

    @property
    def node_bits(self) -> int:
        """Bits of a node's index, which is the height of tree D too."""
        return self.shape.nodes.bit_length() - 1

    @property
    def apex_height(self) -> int:
        """Height of the apex leaves above the leaves of tree D."""
        return self.node_bits - self.partition_bits - (self.apex_leaves.bit_length() - 1)

    @property
    def circuit_id(self) -> str:
        """The circuit's id, such as `snap-32g`."""
        return f"snap-{self.shape.slug}"


def update_config(shape: SectorShape) -> UpdateConfig:
    """Return the update circuit of a sector size."""
    partitions = next(
        count for limit, count in ((8 * _KIB, 1), (32 * _KIB, 2), (16 * _MIB, 4), (1 << 63, 16)) if shape.size <= limit
    )
    return UpdateConfig(
        shape,
        partitions,
        challenges=10 if shape.size <= 16 * _MIB else 86,
        apex_leaves=8 if shape.size <= 8 * _KIB else 128,
        high_bits=(1,) * 6 if shape.size <= 32 * _KIB else (7, 8, 9, 10, 11, 12),
    )
