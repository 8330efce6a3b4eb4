"""Sector sizes and the shapes of the trees over their replicas.

A sector is a row of 32-byte nodes. Its replica tree (tree R-last, and tree C over the columns) has Poseidon nodes of
arity 8 in the base trees; several base trees are joined by one row of arity `sub`, several of those by one of arity
`top`. Source: rust-fil-proofs, filecoin-proofs/src/constants.rs (SectorShape*) and storage-proofs-core/src/merkle.
"""

import re
from dataclasses import dataclass

from cuzk.errors import InputError

NODE_SIZE = 32

_UNITS = {"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


@dataclass(frozen=True)
class SectorShape:
    """One sector size and the arities of its replica tree; an arity of 0 means that there is no such row."""

    size: int
    slug: str
    base_arity: int
    sub_arity: int
    top_arity: int

    @property
    def nodes(self) -> int:
        """Leaves of the tree: 32-byte nodes in the sector."""
        return self.size // NODE_SIZE

    @property
    def base_trees(self) -> int:
        """How many base trees stand under the sub and top rows."""
        return max(1, self.sub_arity) * max(1, self.top_arity)

    @property
    def base_height(self) -> int:
        """Rows of hashing in a base tree, its root included and the leaves not."""
        return _log(self.nodes // self.base_trees, self.base_arity)

    @property
    def path_arities(self) -> tuple[int, ...]:
        """Arity of each step of an inclusion path, from the leaf to the root."""
        joined = tuple(arity for arity in (self.sub_arity, self.top_arity) if arity)
        return (self.base_arity,) * self.base_height + joined

    @property
    def tree_name(self) -> str:
        """The tree's name inside parameter identifiers, such as `merkletree-poseidon_hasher-8-8-0`."""
        return f"merkletree-poseidon_hasher-{self.base_arity}-{self.sub_arity}-{self.top_arity}"

    @property
    def label(self) -> str:
        """The size as people write it, such as `32GiB`."""
        unit = {"k": "KiB", "m": "MiB", "g": "GiB"}[self.slug[-1]]
        return f"{self.slug[:-1]}{unit}"


SHAPES: tuple[SectorShape, ...] = (
    SectorShape(1 << 11, "2k", 8, 0, 0),
    SectorShape(1 << 12, "4k", 8, 2, 0),
    SectorShape(1 << 14, "16k", 8, 8, 0),
    SectorShape(1 << 15, "32k", 8, 8, 2),
    SectorShape(1 << 23, "8m", 8, 0, 0),
    SectorShape(1 << 24, "16m", 8, 2, 0),
    SectorShape(1 << 29, "512m", 8, 0, 0),
    SectorShape(1 << 30, "1g", 8, 2, 0),
    SectorShape(1 << 35, "32g", 8, 8, 0),
    SectorShape(1 << 36, "64g", 8, 8, 2),
)

_BY_SIZE = {shape.size: shape for shape in SHAPES}
_BY_SLUG = {shape.slug: shape for shape in SHAPES}


def shape_of(size: int) -> SectorShape:
    """Return the shape of a sector of `size` bytes; InputError for a size that Filecoin does not have."""
    shape = _BY_SIZE.get(size)
    if shape is None:
        raise InputError(f"unknown sector size: expected one of {_labels()}, got {size} bytes")
    return shape


def shape_of_slug(slug: str) -> SectorShape:
    """Return the shape named by the last part of a circuit id (`2k` … `64g`)."""
    shape = _BY_SLUG.get(slug)
    if shape is None:
        raise InputError(f"unknown sector size: expected one of {', '.join(_BY_SLUG)}, got {slug!r}")
    return shape


def parse_size(text: str) -> SectorShape:
    """Read a sector size as people write it: `2KiB`, `32 GiB`, `2048`, or `32g` as in a circuit id."""
    if text.lower() in _BY_SLUG:
        return _BY_SLUG[text.lower()]
    match = re.fullmatch(r"(\d{1,15}) ?(|B|[KMG]iB)", text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise InputError(f"cannot read a sector size: expected for example 2KiB or 32GiB, got {text!r}")
    return shape_of(int(match[1]) * _UNITS[match[2].upper()])


def _labels() -> str:
    return ", ".join(shape.label for shape in SHAPES)


def _log(value: int, base: int) -> int:
    """Return the exact logarithm; all Filecoin trees are complete."""
    power, result = 1, 0
    while power < value:
        power, result = power * base, result + 1
    assert power == value, f"{value} is not a power of {base}"  # noqa: S101 - a property of the table above
    return result
