"""Inclusion paths: their arithmetic; the hashing is tested where the trees are."""

import numpy as np
import pytest

from cuzk.errors import FormatError
from cuzk.filecoin.inclusion import InclusionPaths, data_path, insert, replica_path
from cuzk.filecoin.sectors import shape_of_slug


def test_every_position_is_an_insertion() -> None:
    """The vectorised insertion equals list.insert for every position of a step."""
    siblings = np.arange(8 * 7 * 4, dtype=np.uint64).reshape(8, 7, 4)
    nodes = np.arange(1000, 1032, dtype=np.uint64).reshape(8, 4)
    rows = insert(siblings, np.arange(8, dtype=np.uint8), nodes)
    for position in range(8):
        expected = siblings[position].tolist()
        expected.insert(position, nodes[position].tolist())
        assert rows[position].tolist() == expected


def test_parts_of_paths() -> None:
    parts = [(part.name, part.arity, part.steps) for part in replica_path(shape_of_slug("64g"))]
    assert parts == [("base", 8, 9), ("sub", 8, 1), ("top", 2, 1)]
    assert [(part.name, part.arity, part.steps) for part in replica_path(shape_of_slug("2k"))] == [("base", 8, 2)]
    assert [(part.name, part.arity, part.steps) for part in data_path(shape_of_slug("32g"))] == [("base", 2, 30)]


def test_a_node_that_is_no_field_element_is_named() -> None:
    good = np.zeros((2, 3, 4), dtype=np.uint64)
    positions = np.zeros((2, 3, 1), dtype=np.uint8)
    bad = good.copy()
    bad[1, 2] = np.uint64(2**64 - 1)
    beside = np.zeros((2, 3, 7, 4), dtype=np.uint64)
    bad_beside = beside.copy()
    bad_beside[0, 1, 5, 3] = np.uint64(0x73EDA753299D7D49)
    for paths, sentence in (
        (InclusionPaths(bad, good, (beside,), positions), r"^at \(1, 2\): root of the path: expected .* got ffff"),
        (InclusionPaths(good, bad, (beside,), positions), r"^at \(1, 2\): leaf: expected a little-endian field"),
        (InclusionPaths(good, good, (bad_beside,), positions), r"^at \(0, 1\): path step 0, sibling 5: expected"),
    ):
        with pytest.raises(FormatError, match=sentence):
            paths.check_canonical(lambda where: f"at {where}")
    InclusionPaths(good, good, (beside,), positions).check_canonical(str)
