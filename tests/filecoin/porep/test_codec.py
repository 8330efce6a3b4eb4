"""The JSON of a PoRep: Filecoin's own outputs read and written back, in any key order, and what is refused."""

import base64
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuzk.errors import FormatError, InputError
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.porep.codec import decode, encode, read_payload, statement_of, wrap
from cuzk.filecoin.porep.job import PorepJob, decode_request
from cuzk.filecoin.porep.vanilla import VanillaPorep
from cuzk.filecoin.registered import seal_proof, seal_proof_named
from cuzk.filecoin.request import Request
from tests.conftest import data_path
from tests.filecoin.porep.fixtures import ALL, S1, S5, SHAPES_S1, PorepFixture

NAME = "StackedDrg2KiBV1"


def read(case: PorepFixture, inner: bytes | None = None) -> VanillaPorep:
    return decode(case.proof, read_payload(case.phase1_out if inner is None else inner)[1])


def request(payload: bytes, **fields: Any) -> Request:
    defaults = {"registered_proof": 5, "sector_size": 2048, "sector_number": 1, "miner_id": 1000}
    return Request(Kind.POREP, vanilla_proof=payload, **{**defaults, **fields})


def submit(payload: bytes, **fields: Any) -> PorepJob:
    return decode_request(S1.proof, request(payload, **fields))


def s1() -> dict[str, Any]:
    return json.loads(S1.phase1_out)


@pytest.mark.parametrize("case", [S1, S5], ids=str)
def test_what_filecoin_wrote_is_written_back(case: PorepFixture) -> None:
    wrapper, document = read_payload(data_path(f"{case.folder}/c1-wrapper.json").read_bytes())
    assert wrapper is not None
    assert (wrapper.sector_num, wrapper.sector_size, wrapper.phase1_out) == (
        case.meta["sector_id"],
        2048,
        case.phase1_out,
    )
    statement = statement_of(document)
    assert statement == case.statement
    inner = encode(case.proof, statement, decode(case.proof, document))
    assert inner == case.phase1_out
    assert json.loads(wrap(wrapper.sector_num, 2048, inner)) == json.loads(
        data_path(f"{case.folder}/c1-wrapper.json").read_text()
    )


@pytest.mark.parametrize("case", [SHAPES_S1, ALL[3]], ids=str)
def test_compound_trees_without_names(case: PorepFixture) -> None:
    wrapper, document = read_payload(case.phase1_out)
    assert wrapper is None
    assert statement_of(document) == case.statement
    written = json.loads(encode(case.proof, case.statement, decode(case.proof, document)))
    assert written.pop("registered_proof") == "StackedDrg32KiBV1_1"
    written["vanilla_proofs"] = written["vanilla_proofs"]["StackedDrg32KiBV1"]
    assert written == json.loads(case.phase1_out)


def test_gos_key_order_and_spaces_are_the_same_proof() -> None:
    sorted_keys = json.dumps(s1(), sort_keys=True, indent=1).encode()
    outer = json.dumps({"SectorSize": 2048, "extra": [1], "Phase1Out": base64.b64encode(sorted_keys).decode()})
    job = submit(outer[:-1].encode() + b',"SectorNum":1}')
    assert encode(job.proof, job.statement, job.vanilla) == S1.phase1_out


def test_shapes_of_the_arrays() -> None:
    vanilla = read(SHAPES_S1)
    assert vanilla.data.leaves.shape == (1, 2, 4)
    assert [step.shape for step in vanilla.data.siblings] == [(1, 2, 1, 4)] * 10
    assert [step.shape for step in vanilla.replica.siblings] == [(1, 2, 7, 4)] * 3 + [(1, 2, 1, 4)]
    assert [step.shape for step in vanilla.columns.siblings] == [(1, 2, 15, 7, 4)] * 3 + [(1, 2, 15, 1, 4)]
    assert vanilla.column_rows.shape == (1, 2, 15, 2, 4)
    assert vanilla.column_nodes.shape == (1, 2, 15)
    assert vanilla.labels.parents.shape == (1, 2, 2, 37, 4)
    assert vanilla.encoding.parents.shape == (1, 2, 37, 4)
    assert vanilla.labels.layers.tolist() == [[[1, 2], [1, 2]]]
    assert vanilla.partitions == 1


def challenge(document: dict[str, Any]) -> dict[str, Any]:
    return document["vanilla_proofs"][NAME][0][1]


def put(*path: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    """Return a change of the second challenge: the value at a path of keys."""

    def change(document: dict[str, Any]) -> None:
        target: Any = challenge(document)
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value

    return change


def cut(*path: str | int) -> Callable[[dict[str, Any]], None]:
    """Return a change of the second challenge: the list at a path loses its last entry."""

    def change(document: dict[str, Any]) -> None:
        target: Any = challenge(document)
        for key in path:
            target = target[key]
        target.pop()

    return change


def top(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        if value is None:
            del document[key]
        else:
            document[key] = value

    return change


RCP = "replica_column_proofs"
SINGLE = ("data", "Single")
BIG = [1] + [0] * 30 + [0x74]
HERE = "partition 0, challenge 1"

MALFORMED: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (top("comm_r", None), r"^vanilla_proof.Phase1Out: Object missing required field `comm_r`"),
    (top("seed", [1, 2]), r"Expected `array` of length >= 32 - at `\$.seed`"),
    (top("ticket", [256] * 32), r"Expected `int` <= 255 - at `\$.ticket\[0\]`"),
    (top("comm_d", "Zm9v"), r"Expected `array`, got `str` - at `\$.comm_d`"),
    (top("comm_d", [0] * 32), r"^comm_d: expected a commitment, got 32 zero bytes"),
    (top("replica_id", BIG), r"^replica_id: expected a little-endian field element below r, got 01000"),
    (top("registered_proof", "StackedDrg3KiBV1"), r"^registered_proof: expected the name of a seal proof"),
    (top("registered_proof", NAME), r"^registered_proof: expected 0, since .* is of StackedDrg2KiBV1, got 5"),
    (top("registered_proof", "StackedDrg8MiBV1_1"), r"^registered_proof: expected 6, since .* got 5"),
    (top("vanilla_proofs", {}), r"^vanilla_proofs: expected those of StackedDrg2KiBV1 alone, got nothing"),
    (
        lambda d: d.update(vanilla_proofs={"A": d["vanilla_proofs"][NAME]}),
        r"^vanilla_proofs: .* alone, got 'A'",
    ),
    (top("vanilla_proofs", {NAME: []}), r"Expected `array` of length >= 1 - at `\$.vanilla_proofs\[...\]`"),
    (top("vanilla_proofs", {NAME: [[]]}), r"Expected `array` of length >= 1 - at `\$.vanilla_proofs\[...\]\[0\]`"),
    (lambda d: d["vanilla_proofs"][NAME].append([challenge(d)] * 2), r"^vanilla_proofs: expected 1 partitions, got 2"),
    (lambda d: d["vanilla_proofs"][NAME][0].pop(), r"^partition 0: expected 2 challenges, got 1"),
    (cut("labeling_proofs"), rf"^{HERE}: labeling_proofs: expected 2, got 1"),
    (cut("labeling_proofs", 1, "parents"), rf"^{HERE}: labeling proof of layer 2: parents: expected 37, got 36"),
    (cut("encoding_proof", "parents"), rf"^{HERE}: encoding_proof: parents: expected 37, got 36"),
    (put("encoding_proof", "node", value=64), rf"^{HERE}: label's node: expected less than 64, got 64"),
    (put("labeling_proofs", 0, "node", value=1 << 70), rf"^{HERE}: label's node: .* got 1180591620717411303424"),
    (put("labeling_proofs", 0, "node", value=-1), r"Expected `int` >= 0 - at `\$.vanilla_proofs\[...\]\[0\]\[1\]"),
    (put("labeling_proofs", 0, "layer_index", value=1 << 32), r"Expected `int` .* - at .*labeling_proofs\[0\]"),
    (cut(RCP, "drg_parents"), rf"^{HERE}: drg_parents: expected 6, got 5"),
    (cut(RCP, "exp_parents"), rf"^{HERE}: exp_parents: expected 8, got 7"),
    (cut(RCP, "exp_parents", 2, "column", "rows"), rf"^{HERE}, exp parent 2: rows: expected 2, got 1"),
    (put(RCP, "c_x", "column", "_h", value=3), r"Expected `null`, got `int` - at .*c_x.column._h"),
    (put("comm_d_proofs", *SINGLE, value=None), rf"^{HERE}: comm_d_proofs: expected Single, got nothing"),
    (
        put("comm_d_proofs", *SINGLE, "path", "path", 3, "index", value=2),
        rf"^{HERE}: comm_d_proofs: base path, step 3: index: expected less than 2, got 2",
    ),
    (cut("comm_r_last_proof", *SINGLE, "path", "path"), rf"^{HERE}: comm_r_last_proof: base path: expected 2 steps"),
    (
        cut(RCP, "c_x", "inclusion_proof", *SINGLE, "path", "path", 1, "hashes"),
        rf"^{HERE}, c_x: inclusion_proof: base path, step 1: expected 7 siblings, got 6",
    ),
    (
        put("comm_d_proofs", *SINGLE, "leaf", value=BIG),
        rf"^{HERE}: comm_d_proofs: leaf: expected a little-endian field",
    ),
    (
        put(RCP, "drg_parents", 5, "inclusion_proof", *SINGLE, "root", value=BIG),
        rf"^{HERE}, drg parent 5: inclusion_proof: root of the path: expected a little-endian",
    ),
    (
        put("comm_r_last_proof", *SINGLE, "path", "path", 0, "hashes", 6, value=BIG),
        rf"^{HERE}: comm_r_last_proof: path step 0, sibling 6: expected a little-endian",
    ),
    (
        put(RCP, "exp_parents", 7, "column", "rows", 1, value=BIG),
        rf"^{HERE}, exp parent 7: row of layer 2: expected a little-endian",
    ),
    (
        put("labeling_proofs", 1, "parents", 36, value=BIG),
        rf"^{HERE}: labeling proof of layer 2: parent 36: expected a little-endian",
    ),
    (put("encoding_proof", "parents", 4, value=BIG), rf"^{HERE}: encoding_proof: parent 4: expected a little-endian"),
]


@pytest.mark.parametrize(("change", "sentence"), MALFORMED)
def test_each_malformation_has_its_sentence(change: Callable[[dict[str, Any]], None], sentence: str) -> None:
    document = s1()
    change(document)
    with pytest.raises(InputError, match=sentence):
        submit(wrap(1, 2048, json.dumps(document).encode()))


WRAPPERS: list[tuple[bytes, dict[str, Any], str]] = [
    (b"", {}, "^vanilla_proof: Input data was truncated"),
    (b"{}", {}, "^vanilla_proof: Object missing required field `SectorNum`"),
    (b"[]", {}, "^vanilla_proof: Expected `object`, got `array`"),
    (b"\xff\xfe", {}, "^vanilla_proof: JSON is malformed"),
    (b'{"SectorNum":1,"Phase1Out":"e3","SectorSize":2048}', {}, "^vanilla_proof: Invalid base64 encoded string"),
    (b'{"SectorNum":1,"Phase1Out":"!!!!","SectorSize":2048}', {}, "^vanilla_proof: Invalid base64 encoded string"),
    (b'{"SectorNum":-1,"Phase1Out":"e30=","SectorSize":2048}', {}, "^vanilla_proof: Expected `int` >= 0 - at"),
    (b'{"SectorNum":1,"Phase1Out":"e30=","SectorSize":2048}', {}, "^vanilla_proof.Phase1Out: Object missing required"),
    (wrap(1, 2048, b"nonsense"), {}, "^vanilla_proof.Phase1Out: JSON is malformed"),
    (b"[" * 100_000, {}, "^vanilla_proof: "),
    (wrap(1, 4096, S1.phase1_out), {}, r"^vanilla_proof: SectorSize: expected 2048 for StackedDrg2KiBV1_1, got 4096"),
    (wrap(2, 2048, S1.phase1_out), {}, r"^vanilla_proof: SectorNum: expected 1 as in sector_number, got 2"),
    (S1.phase1_out, {"sector_size": 4096}, r"^sector_size: expected 2048 \(or 0\) for StackedDrg2KiBV1_1, got 4096"),
    (S1.phase1_out, {"registered_proof": 10}, r"^registered_proof: expected 5, since .* StackedDrg2KiBV1_1, got 10"),
]


@pytest.mark.parametrize(("payload", "fields", "sentence"), WRAPPERS)
def test_each_bad_wrapper_has_its_sentence(payload: bytes, fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        submit(payload, **fields)


def test_a_proof_of_another_circuit_is_refused() -> None:
    unnumbered = request(S1.phase1_out, registered_proof=0, sector_size=0)
    with pytest.raises(InputError, match=r"^registered_proof: expected 5, since the phase 1 output is of .* got 0"):
        decode_request(seal_proof_named("StackedDrg8MiBV1_1"), unnumbered)
    unnamed = request(SHAPES_S1.phase1_out, registered_proof=6, sector_size=0)
    with pytest.raises(FormatError, match=r"^partition 0, challenge 0: comm_d_proofs: base path: expected 18 steps"):
        decode_request(seal_proof(6), unnamed)


def test_a_request_without_its_number_takes_the_outputs() -> None:
    job = submit(S1.phase1_out, registered_proof=0, sector_size=0)
    assert job.proof.number == 5


def test_truncations_are_refused() -> None:
    payload = wrap(1, 2048, S1.phase1_out)
    for data in (payload, S1.phase1_out):
        for length in np.linspace(0, len(data) - 1, 40, dtype=int):
            with pytest.raises(FormatError, match=r"^vanilla_proof"):
                submit(data[:length])


@settings(max_examples=60)
@given(st.binary(max_size=60), st.integers(0, 100_000), st.integers(0, 60))
def test_hostile_bytes_never_do_anything_but_refuse(splice: bytes, offset: int, removed: int) -> None:
    """Splice bytes in: either the document decodes to some proof that encodes again, or an InputError says why not."""
    inner = S1.phase1_out
    data = inner[:offset] + splice + inner[offset + removed :]
    try:
        job = submit(data)
    except InputError:
        return
    again = encode(job.proof, job.statement, job.vanilla)
    assert encode(job.proof, *(lambda j: (j.statement, j.vanilla))(submit(again))) == again
