"""Trees that repeat equal plain trees over the same leaves."""

import numpy as np
import pytest

from cuzk.algebra import poseidon, sha256
from cuzk.errors import InputError
from cuzk.filecoin.inclusion import HashRows
from cuzk.filecoin.seal.implicit import ImplicitTree
from cuzk.filecoin.seal.tree import MerkleTree
from tests.filecoin.seal.test_tree import drawn

CASES = [((8, 8, 2), ranges, known) for ranges in (1, 2, 4, 16, 128) for known in ([], [0], [5, 6, 63, 64, 127])] + [
    ((8, 2, 8), 32, [100]),
    ((2,) * 7, 8, [1, 2, 3]),
]


@pytest.mark.parametrize(("arities", "ranges", "known"), CASES)
def test_a_tree_equals_its_plain_form(arities: tuple[int, ...], ranges: int, known: list[int]) -> None:
    hash_rows: HashRows = sha256.hash_nodes if set(arities) == {2} else poseidon.hash
    nodes = drawn(ranges + len(known))
    values, exceptions = nodes[:ranges], nodes[ranges:]
    leaves = np.repeat(values, 128 // ranges, axis=0)
    leaves[known] = exceptions
    tree = ImplicitTree.build(arities, values, hash_rows, np.array(known, dtype=np.int64), exceptions)
    plain = MerkleTree.build(leaves, arities, hash_rows)
    assert np.array_equal(tree.root, plain.root)
    for height in range(len(arities) + 1):
        assert np.array_equal(tree.nodes_at(height), plain.nodes_at(height))
    indices = np.arange(128).reshape(2, 64)
    ours, theirs = tree.open(indices), plain.open(indices)
    assert np.array_equal(ours.roots, theirs.roots)
    assert np.array_equal(ours.leaves, theirs.leaves)
    assert np.array_equal(ours.positions, theirs.positions)
    assert all(np.array_equal(a, b) for a, b in zip(ours.siblings, theirs.siblings, strict=True))


def test_leaves_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match=r"a tree of arities \(8, 8\) does not have leaves like these"):
        ImplicitTree.build((8, 8), drawn(3), poseidon.hash)
    with pytest.raises(InputError, match="does not have leaves like these"):
        ImplicitTree.build((8, 8), drawn(1), poseidon.hash, np.array([64]), drawn(1))
