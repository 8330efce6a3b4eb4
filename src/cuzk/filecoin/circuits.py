"""What the circuits of all proof kinds share: the shapes of trees, the order of a path's data, the cache."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from cuzk import gadgets, r1cs
from cuzk.algebra import poseidon
from cuzk.filecoin import sectors
from cuzk.filecoin.commitments import Fr
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


def path_data(siblings: Sequence[Fr], positions: NDArray[np.uint8]) -> Fr:
    """Return the data of inclusion paths: position and siblings of each step, from the leaf up, Fr[*grid, n].

    `siblings` of a step are Fr[*grid, arity - 1], `positions` uint8[*grid, steps], as in InclusionPaths.
    """
    parts = []
    for step, nodes in enumerate(siblings):
        position = np.zeros((*positions.shape[:-1], 1, 4), dtype=np.uint64)
        position[..., 0, 0] = positions[..., step]
        parts += [position, nodes]
    return np.concatenate(parts, axis=-2)
