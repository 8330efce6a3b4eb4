"""The numbers that make a PoRep circuit, for each sector size.

Source: rust-fil-proofs, filecoin-proofs/src/constants.rs (LAYERS, POREP_PARTITIONS, minimum challenges; the last are
divided among the partitions, rounded up) and storage-proofs-core/src/drgraph.rs.
"""

from dataclasses import dataclass

from cuzk.filecoin.sectors import SectorShape

BASE_DEGREE = 6
EXPANSION_DEGREE = 8

_PRODUCTION_SIZE = 1 << 35


@dataclass(frozen=True)
class PorepConfig:
    """A PoRep circuit: one partition of `challenges` challenges over `layers` layers of labels."""

    shape: SectorShape
    layers: int
    challenges: int
    partitions: int
    non_interactive_partitions: int

    @property
    def circuit_id(self) -> str:
        """The circuit's id, such as `porep-32g`."""
        return f"porep-{self.shape.slug}"


def porep_config(shape: SectorShape) -> PorepConfig:
    """Return the PoRep circuit of a sector size; 32 and 64 GiB are the network's, the others are for tests."""
    if shape.size >= _PRODUCTION_SIZE:
        return PorepConfig(shape, layers=11, challenges=18, partitions=10, non_interactive_partitions=126)
    return PorepConfig(shape, layers=2, challenges=2, partitions=1, non_interactive_partitions=13)
