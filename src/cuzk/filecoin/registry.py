"""How the rest of the program knows a proof kind: through one entry per circuit id, and nothing else.

A proof family (PoSt, PoRep, updates) is a folder of this package whose entries are listed in `families`. Engine and
command line find an entry by circuit id or by request, decode the request into a job, and ask entry and job for
everything else; adding a family changes nothing outside its folder and that list.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Protocol

from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.porep.entry import porep_family
from cuzk.filecoin.post.entry import window_family, winning_family
from cuzk.filecoin.request import Request
from cuzk.filecoin.sectors import SectorShape
from cuzk.filecoin.update.entry import update_family
from cuzk.r1cs.compiled import CompiledCircuit


class ProofJob(Protocol):
    """A decoded request: one circuit, one or more partitions. It holds arrays only, and can be pickled."""

    @property
    def circuit_id(self) -> str:
        """The circuit of all its partitions."""
        ...

    @property
    def partitions(self) -> int:
        """How many proofs it takes; they are concatenated in order."""
        ...

    @property
    def nbytes(self) -> int:
        """Memory of the decoded vanilla proofs."""
        ...

    def verify_vanilla(self, threads: int = 1) -> None:
        """Check the vanilla proofs; InputError names the place (sector, challenge, part) of the first that fails."""
        ...

    def public_inputs(self, partition: int) -> Fr:
        """Return a partition's public inputs without the leading ONE, Fr[n]."""
        ...

    def witness_data(self, partition: int) -> Fr:
        """Return what synthesis of a partition takes: the circuit's vanilla data, Fr[circuit.num_data]."""
        ...

    def describe(self) -> dict[str, Any]:
        """Say what is to be proved, as JSON: for people, who want numbers and commitments and not paths."""
        ...


class CircuitEntry(Protocol):
    """One circuit id: how to decode requests for it, and what its files are called."""

    @property
    def circuit_id(self) -> str:
        """The id, such as `wpost-32g`."""
        ...

    @property
    def kind(self) -> Kind:
        """The kind of proof that it proves."""
        ...

    @property
    def shape(self) -> SectorShape:
        """The sector size and the shape of its trees."""
        ...

    @property
    def parameter_stem(self) -> str:
        """Name of its parameter files without the extension."""
        ...

    def circuit(self) -> CompiledCircuit:
        """Return the compiled circuit: mapped from the cache, or traced and left there."""
        ...

    def decode(self, request: Request) -> ProofJob:
        """Decode a request for this circuit; InputError names the field, what was expected and what came."""
        ...

    def development_request(self, order: DevelopmentOrder, threads: int = 1) -> Request:
        """Seal what the order needs and return a request for it; InputError for what cannot be had here."""
        ...


class ProofFamily(Protocol):
    """The entries of one kind of proof."""

    @property
    def kind(self) -> Kind:
        """The kind whose requests it understands."""
        ...

    @property
    def entries(self) -> Mapping[str, CircuitEntry]:
        """Its entries by circuit id, smallest sector first."""
        ...

    def circuit_id(self, request: Request) -> str:
        """Return the circuit that a request of this kind needs; InputError names the field that does not tell."""
        ...


@cache
def families() -> Mapping[Kind, ProofFamily]:
    """Return the families by kind."""
    known: tuple[ProofFamily, ...] = (winning_family(), window_family(), porep_family(), update_family())
    return {family.kind: family for family in known}


def entries() -> Iterator[CircuitEntry]:
    """Yield all entries, family by family."""
    for family in families().values():
        yield from family.entries.values()


def entry(circuit_id: str) -> CircuitEntry:
    """Return the entry of a circuit id; InputError for an unknown one."""
    for family in families().values():
        if circuit_id in family.entries:
            return family.entries[circuit_id]
    known = ", ".join(sorted({kind.circuit for kind in families()}))
    raise InputError(f"unknown circuit id: expected one of {known} and a sector size (wpost-32g), got {circuit_id!r}")


def entry_of(request: Request) -> CircuitEntry:
    """Return the entry that a request needs."""
    family = families().get(request.kind)
    if family is None:
        raise InputError(f"proof_kind: {request.kind.display} proofs are not supported")
    return family.entries[family.circuit_id(request)]


def decode(request: Request) -> ProofJob:
    """Decode a request of any kind; InputError names the field, what was expected and what came."""
    return entry_of(request).decode(request)
