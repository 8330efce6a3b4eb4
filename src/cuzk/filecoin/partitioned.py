"""What jobs of several partitions share, whose vanilla proofs are arrays by partition."""

from abc import ABC, abstractmethod
from typing import Protocol

from cuzk.filecoin.checks import require_partition
from cuzk.filecoin.commitments import Fr


class PartitionedConfig(Protocol):
    """The numbers that make a circuit."""

    @property
    def circuit_id(self) -> str:
        """Such as `porep-2k`."""
        ...

    @property
    def partitions(self) -> int:
        """How many proofs a job usually takes."""
        ...


class VanillaProofs(Protocol):
    """The vanilla proofs of all partitions."""

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        ...


class PartitionedJob(ABC):
    """A decoded request; see `cuzk.filecoin.registry.ProofJob`."""

    vanilla: VanillaProofs

    @property
    @abstractmethod
    def config(self) -> PartitionedConfig:
        """The circuit of its partitions."""

    @abstractmethod
    def partition_public_inputs(self, partition: int) -> Fr:
        """Return the public inputs of a partition that there is."""

    @abstractmethod
    def partition_witness_data(self, partition: int) -> Fr:
        """Return the vanilla data of a partition that there is."""

    @property
    def circuit_id(self) -> str:
        """The circuit of its partitions."""
        return self.config.circuit_id

    @property
    def partitions(self) -> int:
        """How many proofs it takes."""
        return self.config.partitions

    @property
    def nbytes(self) -> int:
        """Memory of the decoded vanilla proofs."""
        return self.vanilla.nbytes

    def public_inputs(self, partition: int) -> Fr:
        """Return a partition's public inputs without ONE; InputError for a partition that there is not."""
        require_partition(partition, self.partitions)
        return self.partition_public_inputs(partition)

    def witness_data(self, partition: int) -> Fr:
        """Return what synthesis of a partition takes; InputError for a partition that there is not."""
        require_partition(partition, self.partitions)
        return self.partition_witness_data(partition)
