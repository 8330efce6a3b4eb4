"""Reads a PoRep's vanilla proofs out of its JSON into arrays, and writes them back.

Every count is fixed by the circuit; the first that differs is named with its partition, challenge and part. Nodes are
gathered in order and turned into arrays together, which is what makes 50 MB a matter of seconds.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

import msgspec
import numpy as np

from cuzk.errors import FormatError
from cuzk.filecoin.commitments import Fr, first_not_canonical, not_canonical
from cuzk.filecoin.inclusion import InclusionPaths, PathPart, data_path, replica_path
from cuzk.filecoin.porep import documents
from cuzk.filecoin.porep.config import BASE_DEGREE, EXPANSION_DEGREE, PorepConfig
from cuzk.filecoin.porep.documents import ChallengeProof, LabelProof, MerkleProof, Node, Phase1Output, VanillaProofs
from cuzk.filecoin.porep.statement import PorepStatement
from cuzk.filecoin.porep.vanilla import COLUMN_NAMES, COLUMNS, LABEL_PARENTS, LabelProofs, VanillaPorep, place_of
from cuzk.filecoin.registered import SealProof

Document = TypeVar("Document")

_PROOF_NAMES = ("Single", "Sub", "Top")
_NAMES_SHOWN = 3


def read_payload(payload: bytes) -> tuple[documents.Wrapper | None, Phase1Output]:
    """Read a client's `vanilla_proof`: the wrapper with a phase 1 output inside, or such an output alone."""
    fields = _read("vanilla_proof", payload, dict[str, msgspec.Raw])
    if "Phase1Out" not in fields and "vanilla_proofs" in fields:
        return None, _read("vanilla_proof", payload, Phase1Output)
    wrapper = _read("vanilla_proof", payload, documents.Wrapper)
    return wrapper, _read("vanilla_proof.Phase1Out", wrapper.phase1_out, Phase1Output)


def read_proof_name(payload: bytes) -> str | None:
    """Return the registered proof that a client's `vanilla_proof` names, reading nothing else; None if it does not."""
    fields = _read("vanilla_proof", payload, dict[str, msgspec.Raw])
    if "Phase1Out" in fields:
        payload = _read("vanilla_proof", payload, documents.Wrapper).phase1_out
    name = _read("vanilla_proof.Phase1Out", payload, documents.ProofName).registered_proof
    return name if isinstance(name, str) else None


def _read(name: str, data: bytes, kind: type[Document]) -> Document:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"{name}: {error}") from error


def statement_of(document: Phase1Output) -> PorepStatement:
    """Return the commitments and randomness of a phase 1 output."""
    return PorepStatement(
        comm_d=bytes(document.comm_d),
        comm_r=bytes(document.comm_r),
        replica_id=bytes(document.replica_id),
        seed=bytes(document.seed),
        ticket=bytes(document.ticket),
    )


def decode(proof: SealProof, document: Phase1Output) -> VanillaPorep:
    """Take the vanilla proofs of all partitions apart; FormatError names the first place that is not as it must be."""
    config = proof.config
    partitions = _partitions(proof, document)
    challenges = [challenge for partition in partitions for challenge in partition]
    places = [place_of(*divmod(number, config.challenges)) for number in range(len(challenges))]
    for challenge, place in zip(challenges, places, strict=True):
        _check_counts(config, challenge, place)
    grid = (len(partitions), config.challenges)
    columns = [proof for challenge in challenges for proof in challenge.replica_column_proofs.columns()]
    vanilla = VanillaPorep(
        config,
        data=_paths(data_path(config.shape), [(c.comm_d_proofs, "comm_d_proofs") for c in challenges], places, grid),
        replica=_paths(
            replica_path(config.shape), [(c.comm_r_last_proof, "comm_r_last_proof") for c in challenges], places, grid
        ),
        columns=_paths(
            replica_path(config.shape),
            [(column.inclusion_proof, "inclusion_proof") for column in columns],
            [place_of(*_split(number, config)) for number in range(len(columns))],
            (*grid, COLUMNS),
        ),
        column_rows=_nodes(
            chain.from_iterable(column.column.rows for column in columns), (*grid, COLUMNS, config.layers)
        ),
        column_nodes=np.array([column.column.index for column in columns], dtype=np.uint32).reshape(*grid, COLUMNS),
        labels=_labels([proof for c in challenges for proof in c.labeling_proofs], (*grid, config.layers)),
        encoding=_labels([c.encoding_proof for c in challenges], grid),
    )
    _check_canonical(vanilla)
    return vanilla


def _split(number: int, config: PorepConfig) -> tuple[int, int, int]:
    challenge, column = divmod(number, COLUMNS)
    return (*divmod(challenge, config.challenges), column)


def _partitions(proof: SealProof, document: Phase1Output) -> VanillaProofs:
    """Return the vanilla proofs, whose name, partitions and challenges are those of the registered proof."""
    partitions = document.vanilla_proofs
    if isinstance(partitions, dict):
        name = f"StackedDrg{proof.shape.label}V1"
        if list(partitions) != [name]:
            got = ", ".join(map(repr, list(partitions)[:_NAMES_SHOWN])) or "nothing"
            raise FormatError(f"vanilla_proofs: expected those of {name} alone, got {got}")
        partitions = partitions[name]
    if len(partitions) != proof.partitions:
        raise FormatError(f"vanilla_proofs: expected {proof.partitions} partitions, got {len(partitions)}")
    for number, partition in enumerate(partitions):
        if len(partition) != proof.config.challenges:
            raise FormatError(
                f"partition {number}: expected {proof.config.challenges} challenges, got {len(partition)}"
            )
    return partitions


def _check_counts(config: PorepConfig, challenge: ChallengeProof, place: str) -> None:
    """Raise FormatError for lists of a challenge, paths aside, that have another length than the circuit's."""
    for what, entries, expected in _counted(config, challenge):
        if len(entries) != expected:
            raise FormatError(f"{place}{what}: expected {expected}, got {len(entries)}")
    for label in (*challenge.labeling_proofs, challenge.encoding_proof):
        if label.node >= config.shape.nodes:
            raise FormatError(f"{place}: label's node: expected less than {config.shape.nodes}, got {label.node}")


def _counted(config: PorepConfig, challenge: ChallengeProof) -> Iterator[tuple[str, Sequence[object], int]]:
    opened = challenge.replica_column_proofs
    yield ": drg_parents", opened.drg_parents, BASE_DEGREE
    yield ": exp_parents", opened.exp_parents, EXPANSION_DEGREE
    for name, column in zip(COLUMN_NAMES, opened.columns(), strict=True):
        yield f", {name}: rows", column.column.rows, config.layers
    yield ": labeling_proofs", challenge.labeling_proofs, config.layers
    for layer, label in enumerate(challenge.labeling_proofs, 1):
        yield f": labeling proof of layer {layer}: parents", label.parents, LABEL_PARENTS
    yield ": encoding_proof: parents", challenge.encoding_proof.parents, LABEL_PARENTS


def _nodes(nodes: Iterable[Node], grid: tuple[int, ...]) -> Fr:
    data = np.frombuffer(b"".join(map(bytes, nodes)), dtype="<u8")
    return data.astype(np.uint64).reshape(*grid, 4)


def _labels(proofs: list[LabelProof], grid: tuple[int, ...]) -> LabelProofs:
    return LabelProofs(
        parents=_nodes(chain.from_iterable(proof.parents for proof in proofs), (*grid, LABEL_PARENTS)),
        layers=np.array([proof.layer_index for proof in proofs], dtype=np.uint32).reshape(grid),
        nodes=np.array([proof.node for proof in proofs], dtype=np.uint64).reshape(grid),
    )


def _paths(
    path: tuple[PathPart, ...], proofs: list[tuple[MerkleProof, str]], places: list[str], grid: tuple[int, ...]
) -> InclusionPaths:
    """Gather inclusion proofs in trees of one shape; all have the parts and arities of `path`."""
    roots, leaves = [], []
    siblings: list[list[Node]] = [[] for part in path for _ in range(part.steps)]
    positions: list[int] = []
    for (proof, what), place in zip(proofs, places, strict=True):
        given = proof.data.given()
        if list(given) != [_PROOF_NAMES[len(path) - 1]]:
            got = " and ".join(given) or "nothing"
            raise FormatError(f"{place}: {what}: expected {_PROOF_NAMES[len(path) - 1]}, got {got}")
        (data,) = given.values()
        roots.append(data.root)
        leaves.append(data.leaf)
        steps = _steps(path, data, f"{place}: {what}")
        for gathered, (hashes, position) in zip(siblings, steps, strict=True):
            gathered.extend(hashes)
            positions.append(position)
    arities = [part.arity for part in path for _ in range(part.steps)]
    return InclusionPaths(
        roots=_nodes(roots, grid),
        leaves=_nodes(leaves, grid),
        siblings=tuple(_nodes(gathered, (*grid, arity - 1)) for gathered, arity in zip(siblings, arities, strict=True)),
        positions=np.array(positions, dtype=np.uint8).reshape(*grid, len(arities)),
    )


def _steps(
    path: tuple[PathPart, ...], data: documents.SingleProof | documents.SubProof | documents.TopProof, place: str
) -> Iterator[tuple[list[Node], int]]:
    """Yield siblings and position of each step from leaf to root."""
    for part, given in zip(path, data.parts(), strict=True):
        if len(given.path) != part.steps:
            raise FormatError(f"{place}: {part.name} path: expected {part.steps} steps, got {len(given.path)}")
        for number, step in enumerate(given.path):
            where = f"{place}: {part.name} path, step {number}"
            if len(step.hashes) != part.arity - 1:
                raise FormatError(f"{where}: expected {part.arity - 1} siblings, got {len(step.hashes)}")
            if step.index >= part.arity:
                raise FormatError(f"{where}: index: expected less than {part.arity}, got {step.index}")
            yield step.hashes, step.index


def _check_canonical(vanilla: VanillaPorep) -> None:
    """Raise FormatError for the first node that is no field element."""
    vanilla.data.check_canonical(lambda where: f"{place_of(*where)}: comm_d_proofs")
    vanilla.replica.check_canonical(lambda where: f"{place_of(*where)}: comm_r_last_proof")
    vanilla.columns.check_canonical(lambda where: f"{place_of(*where)}: inclusion_proof")
    named: list[tuple[Fr, Callable[[tuple[int, ...]], str]]] = [
        (vanilla.column_rows, lambda w: f"{place_of(*w[:3])}: row of layer {w[3] + 1}"),
        (vanilla.labels.parents, lambda w: f"{place_of(*w[:2])}: labeling proof of layer {w[2] + 1}: parent {w[3]}"),
        (vanilla.encoding.parents, lambda w: f"{place_of(*w[:2])}: encoding_proof: parent {w[2]}"),
    ]
    for nodes, name in named:
        where = first_not_canonical(nodes)
        if where is not None:
            raise not_canonical(name(where), nodes[where])


def encode(proof: SealProof, statement: PorepStatement, vanilla: VanillaPorep) -> bytes:
    """Write the phase 1 output as Rust does, the inverse of `read_payload` and `decode`."""
    partitions = [
        [_challenge(vanilla, (partition, challenge)) for challenge in range(vanilla.config.challenges)]
        for partition in range(vanilla.partitions)
    ]
    return msgspec.json.encode(
        Phase1Output(
            registered_proof=proof.name,
            vanilla_proofs={f"StackedDrg{proof.shape.label}V1": partitions},
            comm_r=list(statement.comm_r),
            comm_d=list(statement.comm_d),
            replica_id=list(statement.replica_id),
            seed=list(statement.seed),
            ticket=list(statement.ticket),
        )
    )


def wrap(sector_number: int, sector_size: int, phase1_output: bytes) -> bytes:
    """Write the wrapper in which clients send a phase 1 output."""
    return msgspec.json.encode(documents.Wrapper(sector_number, phase1_output, sector_size))


def _challenge(vanilla: VanillaPorep, at: tuple[int, int]) -> ChallengeProof:
    shape = vanilla.config.shape
    columns = [
        documents.ColumnProof(
            documents.Column(int(vanilla.column_nodes[*at, number]), _lists(vanilla.column_rows[*at, number])),
            _merkle_proof(replica_path(shape), vanilla.columns, (*at, number)),
        )
        for number in range(COLUMNS)
    ]
    return ChallengeProof(
        comm_d_proofs=_merkle_proof(data_path(shape), vanilla.data, at),
        comm_r_last_proof=_merkle_proof(replica_path(shape), vanilla.replica, at),
        replica_column_proofs=documents.ReplicaColumnProof(
            columns[0], columns[1 : 1 + BASE_DEGREE], columns[1 + BASE_DEGREE :]
        ),
        labeling_proofs=[_label(vanilla.labels, (*at, layer)) for layer in range(vanilla.config.layers)],
        encoding_proof=_label(vanilla.encoding, at),
    )


def _merkle_proof(path: tuple[PathPart, ...], paths: InclusionPaths, at: tuple[int, ...]) -> MerkleProof:
    elements = [
        documents.PathElement(_lists(siblings[at]), int(position))
        for siblings, position in zip(paths.siblings, paths.positions[at], strict=True)
    ]
    parts, start = [], 0
    for part in path:
        parts.append(documents.InclusionPath(elements[start : start + part.steps]))
        start += part.steps
    (root,), (leaf,) = _lists(paths.roots[at][np.newaxis]), _lists(paths.leaves[at][np.newaxis])
    match parts:
        case [only]:
            return MerkleProof(documents.ProofData(Single=documents.SingleProof(root, leaf, only)))
        case [base, sub]:
            return MerkleProof(documents.ProofData(Sub=documents.SubProof(base, sub, root, leaf)))
        case [base, sub, top]:
            return MerkleProof(documents.ProofData(Top=documents.TopProof(base, sub, top, root, leaf)))
    raise AssertionError(f"a path has one to three parts, not {len(parts)}")


def _label(labels: LabelProofs, at: tuple[int, ...]) -> LabelProof:
    return LabelProof(_lists(labels.parents[at]), int(labels.layers[at]), int(labels.nodes[at]))


def _lists(nodes: Fr) -> list[Any]:
    """Return nodes [n, 4] as lists of 32 numbers."""
    lists: list[Any] = nodes.astype("<u8").view(np.uint8).tolist()
    return lists
