"""Poseidon against neptune's constants and digests, and against the paper's unoptimised permutation."""

import hashlib
import json
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuzk.algebra import poseidon
from cuzk.algebra.fr import MODULUS
from cuzk.errors import InputError

from ..conftest import COMMITTED

pytestmark = pytest.mark.usefixtures("each_isa")

VECTORS = json.loads((COMMITTED / "vectors" / "poseidon.json").read_text())
elements = st.one_of(st.sampled_from([0, 1, MODULUS - 1]), st.integers(0, MODULUS - 1))


def sha256(values: Iterable[int]) -> str:
    return hashlib.sha256(b"".join(value.to_bytes(32, "little") for value in values)).hexdigest()


def flat(matrix: Iterable[Iterable[int]]) -> list[int]:
    return [entry for row in matrix for entry in row]


def array(preimages: list[list[int]]) -> np.ndarray:
    data = b"".join(value.to_bytes(32, "little") for preimage in preimages for value in preimage)
    return np.frombuffer(data, dtype=np.uint64).reshape(len(preimages), -1, 4)


def reference_hash(preimage: list[int], domain: int) -> int:
    """The permutation as the paper states it: add constants, S-boxes, matrix, in every round."""
    c = poseidon.constants(len(preimage))
    state = [domain, *preimage]
    half = c.full_rounds // 2
    for round_index in range(c.full_rounds + c.partial_rounds):
        key = c.round_constants[round_index * c.width : (round_index + 1) * c.width]
        state = [(a + k) % MODULUS for a, k in zip(state, key, strict=True)]
        boxes = 1 if half <= round_index < half + c.partial_rounds else c.width
        state[:boxes] = [pow(a, 5, MODULUS) for a in state[:boxes]]
        state = [sum(a * row[j] for a, row in zip(state, c.mds, strict=True)) % MODULUS for j in range(c.width)]
    return state[1]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_constants_and_digests_equal_neptunes(vector: dict) -> None:
    c = poseidon.constants(vector["arity"])
    assert (c.width, c.full_rounds, c.partial_rounds) == (
        vector["width"],
        vector["full_rounds"],
        vector["partial_rounds"],
    )
    assert sha256(c.round_constants) == vector["round_constants_sha256"]
    assert sha256(c.compressed) == vector["compressed_round_constants_sha256"]
    assert sha256(flat(c.mds)) == vector["mds_sha256"]
    assert sha256(flat(c.pre_sparse)) == vector["pre_sparse_sha256"]
    assert len(c.sparse) == vector["sparse_count"]
    sparse = flat([*matrix.w_hat, *matrix.v_rest] for matrix in c.sparse)
    assert sha256(sparse) == vector["sparse_w_hat_then_v_rest_sha256"]

    domain = int.from_bytes(bytes.fromhex(vector["domain_tag_le"]), "little")
    is_merkle = "standard" in vector["name"]
    assert domain == (poseidon.merkle_domain_tag(c.arity) if is_merkle else poseidon.custom_domain_tag(1))
    for case in vector["hashes"]:
        preimage = np.frombuffer(bytes.fromhex("".join(case["preimage_le"])), dtype=np.uint64).reshape(1, -1, 4)
        assert poseidon.hash(preimage, domain=domain).tobytes().hex() == case["digest_le"]


@given(arity=st.sampled_from([1, 2, 3, 8]), data=st.data())
@settings(max_examples=25)
def test_hash_equals_the_unoptimised_permutation(arity: int, data: st.DataObject) -> None:
    preimages = data.draw(st.lists(st.lists(elements, min_size=arity, max_size=arity), min_size=1, max_size=3))
    domain = data.draw(elements)
    digests = poseidon.hash(array(preimages), domain=domain)
    assert [int.from_bytes(row.tobytes(), "little") for row in digests] == [
        reference_hash(preimage, domain) for preimage in preimages
    ]


def test_threads_do_not_change_digests() -> None:
    preimages = array([[i, i + 1] for i in range(7)])
    one = poseidon.hash(preimages)
    for threads in (2, 3, 16):
        np.testing.assert_array_equal(poseidon.hash(preimages, threads), one)
    assert poseidon.hash(preimages[:0]).shape == (0, 4)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="not below the field's modulus"):
        poseidon.hash(array([[MODULUS, 0]]))
    with pytest.raises(InputError, match=r"uint64\[n, arity, 4\], not uint64\[2, 4\]"):
        poseidon.hash(array([[1, 2]])[0])
    with pytest.raises(InputError, match=r"preimages: expected ndarray, got list; fr\.from_ints"):
        poseidon.hash([[1, 2]])  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"in 1\.\.36, not 37"):
        poseidon.hash(array([[0] * 37]))
    with pytest.raises(InputError, match=r"in 1\.\.256, not 257"):
        poseidon.custom_domain_tag(257)
