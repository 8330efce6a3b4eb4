"""Trees against plain recursion, and development sectors."""

import hashlib

import numpy as np
import pytest

from cuzk.algebra import poseidon
from cuzk.errors import InputError
from cuzk.filecoin.seal.sector import sector_from_seed
from cuzk.filecoin.seal.tree import MerkleTree, replica_tree
from cuzk.filecoin.sectors import SectorShape, shape_of_slug


def plain_root(nodes: np.ndarray, arities: tuple[int, ...]) -> np.ndarray:
    """Hash group by group, row by row."""
    for arity in arities:
        nodes = np.concatenate([poseidon.hash(nodes[i : i + arity][None]) for i in range(0, len(nodes), arity)])
    return nodes[0]


def drawn(count: int) -> np.ndarray:
    data = hashlib.shake_256(b"nodes").digest(32 * count)
    nodes = np.frombuffer(data, dtype="<u8").reshape(-1, 4).astype(np.uint64)
    nodes[:, 3] &= np.uint64((1 << 62) - 1)
    return nodes


@pytest.mark.parametrize("arities", [(2,), (8, 2), (8, 8, 2), (2, 2, 2), (4, 8)])
def test_roots_and_paths(arities: tuple[int, ...]) -> None:
    leaves = drawn(int(np.prod(arities)))
    tree = MerkleTree.build(leaves, arities, poseidon.hash)
    assert np.array_equal(tree.root, plain_root(leaves, arities))
    indices = np.arange(len(leaves), dtype=np.uint64)
    paths = tree.open(indices)
    assert (paths.roots == tree.root).all()
    assert np.array_equal(paths.leaves, leaves)
    assert np.array_equal(paths.leaf_indices(), indices)
    for leaf in (0, 1, len(leaves) // 2, len(leaves) - 1):
        node, index = leaves[leaf], leaf
        for step, arity in enumerate(arities):
            index, position = divmod(index, arity)
            assert paths.positions[leaf, step] == position
            row = [*paths.siblings[step][leaf]]
            row.insert(position, node)
            node = poseidon.hash(np.stack(row)[None])[0]
        assert np.array_equal(node, tree.root)


def test_a_wrong_number_of_leaves_is_refused() -> None:
    with pytest.raises(InputError, match="does not have 63 leaves"):
        replica_tree(shape_of_slug("2k"), drawn(63))


@pytest.mark.parametrize("slug", ["2k", "4k", "16k", "32k"])
def test_development_sectors_are_reproducible(slug: str) -> None:
    shape: SectorShape = shape_of_slug(slug)
    first, again = sector_from_seed(shape, 7, b"seed"), sector_from_seed(shape, 7, b"seed", threads=2)
    assert np.array_equal(first.comm_r, again.comm_r)
    assert not np.array_equal(first.comm_r, sector_from_seed(shape, 8, b"seed").comm_r)
    assert not np.array_equal(first.comm_r, sector_from_seed(shape, 7, b"seed2").comm_r)
    assert len(first.tree.rows[0]) == shape.nodes


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="sector number"):
        sector_from_seed(shape_of_slug("2k"), -1, b"")
