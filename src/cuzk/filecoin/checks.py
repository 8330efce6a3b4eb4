"""What jobs and their checks share: partitions that exist, arrays of nodes that are equal, or where they differ."""

from collections.abc import Callable

import numpy as np

from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr, first_false, hex_of
from cuzk.filecoin.inclusion import HashRows, InclusionPaths

#: Names a point of a grid.
Place = Callable[[tuple[int, ...]], str]


def require_partition(partition: int, partitions: int) -> None:
    """Raise InputError for a partition that a job of so many does not have."""
    if not 0 <= partition < partitions:
        raise InputError(f"partition: expected 0 to {partitions - 1}, got {partition}")


def require_equal(expected: Fr, got: Fr, place: Place) -> None:
    """Raise InputError for the first of two arrays' elements (uint64[..., 4], broadcast) that differ."""
    expected, got = np.broadcast_arrays(expected, got)
    equal = (expected == got).all(axis=-1)
    if equal.all():
        return
    at = first_false(equal)
    raise InputError(f"{place(at)}: expected {hex_of(expected[at])}, got {hex_of(got[at])}")


def require_paths(paths: InclusionPaths, place: Place, hash_rows: HashRows) -> list[Fr]:
    """Raise InputError for the first path that does not lead to its root; return the nodes on the paths (`climb`)."""
    nodes = paths.climb(hash_rows)

    def broken(at: tuple[int, ...]) -> str:
        return f"{place(at)}: the path from leaf {hex_of(paths.leaves[at])} does not lead to its root"

    require_equal(paths.roots, nodes[-1], broken)
    return nodes
