"""What the circuits of all proof kinds share: the shapes of trees, the order of a path's data, the cache."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from cuzk import gadgets, r1cs
from cuzk.algebra import poseidon
from cuzk.filecoin import sectors
from cuzk.filecoin.inclusion import InclusionPaths
from cuzk.filecoin.parameters.folder import cache_folder
from cuzk.filecoin.sectors import SectorShape
from cuzk.gadgets.merkle import TreeShape
from cuzk.r1cs import CompiledCircuit, ConstraintSystem
from cuzk.r1cs.cache import cached_circuit

__all__ = ["data_tree", "kept_circuit", "path_data", "replica_tree"]

# The code that makes every circuit: with any of it changed, a cached circuit is not used.
_SOURCES = (
    *(Path(package.__path__[0]) for package in (r1cs, gadgets)),
    *(Path(str(module.__file__)) for module in (poseidon, sectors)),
    Path(__file__),
)


def kept_circuit(name: str, circuit: Callable[[ConstraintSystem], None], *modules: ModuleType) -> CompiledCircuit:
    """Return a compiled circuit from the cache, or trace it; `modules` hold the code that is only this circuit's."""
    sources = (*_SOURCES, *(Path(str(module.__file__)) for module in modules))
    return cached_circuit(cache_folder() / "circuits", name, circuit, sources)


def replica_tree(shape: SectorShape) -> TreeShape:
    """Return the shape of the Poseidon trees over replica and columns (R-last and C)."""
    return TreeShape(shape.base_arity, shape.base_height, shape.sub_arity, shape.top_arity)


def data_tree(shape: SectorShape) -> TreeShape:
    """Return the shape of the binary SHA-256 tree over the data (tree D)."""
    return TreeShape(2, shape.nodes.bit_length() - 1, hash_name="sha256")


def path_data(paths: InclusionPaths) -> NDArray[np.uint64]:
    """Return the steps of each path from the leaf up, position and siblings of each: Fr[*grid, n]."""
    parts = []
    for step, siblings in enumerate(paths.siblings):
        position = np.zeros((*siblings.shape[:-2], 1, 4), dtype=np.uint64)
        position[..., 0, 0] = paths.positions[..., step]
        parts += [position, siblings]
    return np.concatenate(parts, axis=-2)
