"""Sector shapes: arities, sizes and names."""

import math

import pytest

from cuzk.errors import InputError
from cuzk.filecoin.sectors import SHAPES, SectorShape, parse_size, shape_of, shape_of_slug


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.slug)
def test_a_path_reaches_every_leaf(shape: SectorShape) -> None:
    assert math.prod(shape.path_arities) == shape.nodes
    assert shape.size == 32 * shape.nodes
    assert shape_of(shape.size) is shape_of_slug(shape.slug) is shape


def test_shapes_of_the_network() -> None:
    assert shape_of_slug("32g").path_arities == (8,) * 9 + (8,)
    assert shape_of_slug("64g").path_arities == (8,) * 9 + (8, 2)
    assert shape_of_slug("512m").path_arities == (8,) * 8
    assert shape_of_slug("64g").tree_name == "merkletree-poseidon_hasher-8-8-2"


@pytest.mark.parametrize("text", ["2KiB", "2 kib", "2048", "2048B", "2k", " 2KiB "])
def test_sizes_are_read_as_people_write_them(text: str) -> None:
    assert parse_size(text) is shape_of_slug("2k")


@pytest.mark.parametrize("text", ["", "2", "3KiB", "2KB", "-2KiB", "2.0KiB", "9" * 40, "2TiB"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="sector size"):
        parse_size(text)
