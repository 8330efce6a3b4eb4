"""What the families of proofs share: the part of an entry and of a family that does not depend on the proof.

See `cuzk.filecoin.registry` for what the rest of the program asks of them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.parameters.names import CircuitConfig, parameter_stem
from cuzk.filecoin.request import Request
from cuzk.filecoin.sectors import SectorShape

C = TypeVar("C", bound=CircuitConfig)


@dataclass(frozen=True)
class FamilyEntry(Generic[C]):
    """One circuit, by the numbers that make it; the entry of a proof adds its circuit and its requests."""

    kind: Kind
    """The kind of proof that it proves."""
    config: C

    @property
    def circuit_id(self) -> str:
        """The id, such as `porep-2k`."""
        return self.config.circuit_id

    @property
    def shape(self) -> SectorShape:
        """The sector size and the shape of its trees."""
        return self.config.shape

    @property
    def parameter_stem(self) -> str:
        """Name of its parameter files without the extension."""
        return parameter_stem(self.config)


E = TypeVar("E", bound=FamilyEntry[Any])


@dataclass(frozen=True)
class Family(Generic[E]):
    """All circuits of one kind of proof."""

    kind: Kind
    entries: Mapping[str, E] = field(repr=False)
    """By circuit id, smallest sector first."""
    circuit_of: Callable[[Request], str] = field(repr=False)

    @classmethod
    def of(cls, kind: Kind, entries: Iterable[E], circuit_of: Callable[[Request], str]) -> Self:
        """Return the family of these entries; `circuit_of` is `circuit_id`."""
        return cls(kind, {entry.circuit_id: entry for entry in entries}, circuit_of)

    def circuit_id(self, request: Request) -> str:
        """Return the circuit that a request of this kind needs; InputError names the field that does not tell."""
        return self.circuit_of(request)
