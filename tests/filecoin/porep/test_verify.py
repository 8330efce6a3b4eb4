"""Vanilla verification: the fixtures hold, and any changed byte is refused with its place."""

import json
import pickle
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.porep.codec import decode, read_payload, statement_of
from cuzk.filecoin.porep.job import PorepJob
from tests.filecoin.porep.fixtures import ALL, S1, S5, SHAPES_S1, PorepFixture


def job_of(case: PorepFixture, inner: bytes | None = None) -> PorepJob:
    _, document = read_payload(case.phase1_out if inner is None else inner)
    vanilla = decode(case.proof, document)
    return PorepJob(case.proof, statement_of(document), vanilla, case.meta["sector_id"], case.meta["miner_id"])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("case", ALL, ids=str)
def test_the_fixtures_hold_and_state_their_public_inputs(case: PorepFixture, threads: int) -> None:
    job = job_of(case)
    job.verify_vanilla(threads)
    assert (job.circuit_id, job.partitions) == (f"porep-{case.proof.shape.slug}", 1)
    assert np.array_equal(job.public_inputs(0), case.public_inputs)
    again = pickle.loads(pickle.dumps(job))
    again.verify_vanilla(threads)
    assert again.nbytes == job.nbytes < len(case.phase1_out)
    with pytest.raises(InputError, match="partition: expected 0 to 0, got 1"):
        job.public_inputs(1)


def nodes_in(value: Any, path: str = "$") -> Iterator[tuple[str, list[int]]]:
    """Yield every array of 32 numbers in a document with its path."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from nodes_in(entry, f"{path}.{key}")
    elif isinstance(value, list) and value and isinstance(value[0], int):
        yield path, value
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from nodes_in(entry, f"{path}[{number}]")


def numbers_in(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every number of a document that is no byte of a node: as its dictionary and key."""
    entries = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict):
        yield from ((value, key) for key, entry in value.items() if isinstance(entry, int))
    for entry in entries:
        if not (isinstance(value, list) and isinstance(entry, int)):
            yield from numbers_in(entry)


C = "vanilla_proofs.StackedDrg2KiBV1[0][1]."
HERE = "partition 0, challenge 1"
SINGLE = ".data.Single."
PLACES = [
    ("comm_d", r"^partition 0, challenge 0: comm_d_proofs: root is not comm_d: expected 5e84"),
    ("comm_r", r"^partition 0: comm_r is not the hash of comm_c and comm_r_last"),
    ("replica_id", r"^replica_id is not that of the miner, the sector, the ticket and comm_d"),
    ("ticket", r"^replica_id is not that of the miner, the sector, the ticket and comm_d"),
    ("seed", r"^partition 0, challenge 0: comm_d_proofs: leaf index of the path: expected \d+, got 35"),
    (
        C + "comm_d_proofs" + SINGLE + "root",
        rf"^{HERE}: comm_d_proofs: the path from leaf .* does not lead",
    ),
    (C + "comm_d_proofs" + SINGLE + "leaf", rf"^{HERE}: comm_d_proofs: the path from leaf"),
    (C + "comm_d_proofs" + SINGLE + "path.path[5].hashes[0]", rf"^{HERE}: comm_d_proofs: the path from leaf"),
    (C + "comm_r_last_proof" + SINGLE + "path.path[1].hashes[6]", rf"^{HERE}: comm_r_last_proof: the path from leaf"),
    (C + "replica_column_proofs.c_x.inclusion_proof" + SINGLE + "leaf", rf"^{HERE}, c_x: inclusion_proof: the path"),
    (C + "replica_column_proofs.c_x.column.rows[1]", rf"^{HERE}, c_x: the hash of the column's rows is not"),
    (
        C + "replica_column_proofs.drg_parents[3].column.rows[0]",
        rf"^{HERE}, drg parent 3: the hash of the column",
    ),
    (
        C + "replica_column_proofs.exp_parents[7].column.rows[1]",
        rf"^{HERE}, exp parent 7: the hash of the column",
    ),
    (
        C + "labeling_proofs[0].parents[36]",
        rf"^{HERE}: labeling proof of layer 1: parent 36 is not the label of drg",
    ),
    (
        C + "labeling_proofs[1].parents[20]",
        rf"^{HERE}: labeling proof of layer 2: parent 20 is not the label of exp",
    ),
    (C + "encoding_proof.parents[0]", rf"^{HERE}: encoding_proof: parent 0 is not that of the last labeling proof"),
]


@pytest.mark.parametrize(("path", "sentence"), PLACES)
def test_a_changed_bit_is_named(path: str, sentence: str) -> None:
    document = json.loads(S1.phase1_out)
    dict(nodes_in(document))[f"$.{path}"][0] ^= 1
    with pytest.raises(InputError, match=sentence):
        job_of(S1, json.dumps(document).encode()).verify_vanilla()


@pytest.mark.parametrize("case", [S1, S5, SHAPES_S1], ids=str)
def test_any_changed_byte_is_refused(case: PorepFixture) -> None:
    document = json.loads(case.phase1_out)
    nodes = [node for _, node in nodes_in(document)]
    dice = random.Random(1)
    for node in dice.sample(nodes, 60):
        byte, bit = dice.randrange(32), dice.randrange(8)
        node[byte] ^= 1 << bit
        with pytest.raises(InputError, match=r"partition \d|comm_|replica_id"):
            job_of(case, json.dumps(document).encode()).verify_vanilla()
        node[byte] ^= 1 << bit
    for holder, key in dice.sample(list(numbers_in(document)), 30):
        holder[key] ^= 1
        with pytest.raises(InputError, match=r"partition \d"):
            job_of(case, json.dumps(document).encode()).verify_vanilla()
        holder[key] ^= 1
    job_of(case, json.dumps(document).encode()).verify_vanilla()


@pytest.mark.full
def test_every_changed_byte_is_refused() -> None:
    """Each byte of the arrays that belongs to the second challenge, and each of the statement."""
    job = job_of(S1)
    vanilla = job.vanilla
    nodes = [vanilla.column_rows, vanilla.labels.parents, vanilla.encoding.parents]
    for paths in (vanilla.data, vanilla.replica, vanilla.columns):
        nodes += [paths.roots, paths.leaves, *paths.siblings]
    for array in nodes:
        data = array[:, 1:].reshape(-1).view(np.uint8)  # a view: there is one partition
        assert np.shares_memory(data, array)
        for at in range(len(data)):
            data[at] ^= 1
            with pytest.raises(InputError, match=r"^partition 0(, challenge [01]|: comm_r)"):
                job.verify_vanilla()
            data[at] ^= 1
    job.verify_vanilla()
    for name in ("comm_d", "comm_r", "replica_id", "seed", "ticket"):
        value = getattr(job.statement, name)
        for at in range(31):
            changed = value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]
            with pytest.raises(InputError, match=r"^partition 0|^replica_id"):
                replace(job_of(S1), statement=replace(job.statement, **{name: changed})).verify_vanilla()


@pytest.mark.parametrize(("field", "name"), [("labels", "labeling"), ("encoding", "encoding")])
def test_the_node_and_layer_of_labels_are_checked(field: str, name: str) -> None:
    job = job_of(S1)
    labels = getattr(job.vanilla, field)
    for wrong in (replace(labels, nodes=labels.nodes + np.uint64(1)), replace(labels, layers=labels.layers + 1)):
        with pytest.raises(
            InputError, match=f"partition 0, challenge 0.*(node|layer) of (a|the) {name} proof: expected"
        ):
            replace(job, vanilla=replace(job.vanilla, **{field: wrong})).verify_vanilla()


def test_labels_and_encoding_are_computed() -> None:
    """Whoever keeps columns, paths and roots consistent still has to have hashed and encoded."""
    job = job_of(S1)
    with pytest.raises(InputError, match="the label of node 35 in layer 1 is not the hash of its parents"):
        _verify_labels(job, replica_id=bytes(32))
    moved = replace(job.vanilla.data, leaves=job.vanilla.data.leaves[:, ::-1].copy())
    with pytest.raises(InputError, match="challenge 0: the replica's node is not the data's plus the last label"):
        _verify_encoding(replace(job, vanilla=replace(job.vanilla, data=moved)))


def _verify_labels(job: PorepJob, replica_id: bytes) -> None:
    from cuzk.filecoin.porep.verify import _check_labels

    _check_labels(job.vanilla, replace(job.statement, replica_id=replica_id), job._challenges, 1)


def _verify_encoding(job: PorepJob) -> None:
    from cuzk.filecoin.porep.verify import _check_encoding

    _check_encoding(job.vanilla)


def test_a_request_that_names_nobody_is_judged_by_its_own_replica_id() -> None:
    replace(job_of(S1), sector_number=0, miner_id=0).verify_vanilla()
    with pytest.raises(InputError, match="replica_id is not that of the miner"):
        replace(job_of(S1), miner_id=1001).verify_vanilla()
