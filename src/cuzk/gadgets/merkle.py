"""Inclusion of a leaf in a Merkle tree of Poseidon or SHA-256 nodes, over base, sub and top trees.

Source: rust-fil-proofs, storage-proofs-core/src/gadgets/por.rs (PoRCircuit with a private root).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from cuzk.algebra.arguments import require
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.insertion import insert
from cuzk.gadgets.multipack import pack_into_inputs
from cuzk.gadgets.number import AllocatedNum, enforce_equal
from cuzk.gadgets.poseidon import poseidon_hash
from cuzk.gadgets.sha256 import sha256_hash_numbers
from cuzk.r1cs import ConstraintSystem, template

__all__ = ["HashName", "TreeShape", "enforce_inclusion", "enforce_inclusion_of", "hash_children"]

HashName: TypeAlias = Literal["poseidon", "sha256"]


@dataclass(frozen=True)
class TreeShape:
    """Levels of hashing from the leaf up: `base_height` of arity `base`, then one each of `sub` and `top` if not 0."""

    base: int
    base_height: int
    sub: int = 0
    top: int = 0
    hash_name: HashName = "poseidon"

    def __post_init__(self) -> None:
        if any(arity not in (0, 2, 4, 8) for arity in (self.sub, self.top)) or self.base not in (2, 4, 8):
            raise InputError(f"a tree's arities are 2, 4 or 8, not {self.base}, {self.sub}, {self.top}")
        require("a tree's base height", self.base_height, int)
        if self.base_height < 0:
            raise InputError(f"a tree's base height is 0 or more, not {self.base_height}")
        if self.hash_name not in get_args(HashName):
            raise InputError(f"a tree's hash is {' or '.join(get_args(HashName))}, not {self.hash_name!r}")

    @property
    def parts(self) -> tuple[tuple[str, int, int], ...]:
        """Name, arity and height of the three parts of a path."""
        sub_height, top_height = int(self.sub > 0), int(self.top > 0)
        return ("base", self.base, self.base_height), ("sub", self.sub, sub_height), ("top", self.top, top_height)


@template
def enforce_inclusion(cs: ConstraintSystem, root: AllocatedNum, *, shape: TreeShape) -> None:
    """Enforce that a leaf is in the tree with this root, and make its index a public input.

    Data: the leaf, then that of `enforce_inclusion_of`.
    """
    with cs.namespace("value"):
        leaf = AllocatedNum.alloc(cs, cs.data())
    _climb(cs, leaf, root, shape)


@template
def enforce_inclusion_of(cs: ConstraintSystem, leaf: AllocatedNum, root: AllocatedNum, *, shape: TreeShape) -> None:
    """Enforce that this leaf is in the tree with this root, and make its index a public input.

    Data: for each row of hashing, from the leaf up, the position of the node that comes from below and its siblings.
    """
    _climb(cs, leaf, root, shape)


def _climb(cs: ConstraintSystem, node: AllocatedNum, root: AllocatedNum, shape: TreeShape) -> None:
    require("shape", shape, TreeShape)
    index_bits: list[Boolean] = []
    for part, arity, height in shape.parts:
        for level in range(height):
            with cs.namespace(f"{part}/merkle tree hash {level}"):
                node, bits = _parent(cs, node, arity=arity, hash_name=shape.hash_name)
            index_bits += bits
    with cs.namespace("path"):
        pack_into_inputs(cs, index_bits)
    enforce_equal(cs, "enforce root is correct", node, root)


@template
def _parent(
    cs: ConstraintSystem, node: AllocatedNum, *, arity: int, hash_name: HashName
) -> tuple[AllocatedNum, Sequence[Boolean]]:
    """Return the hash of a node among its siblings, and the bits of its position. Data: position, siblings."""
    position = cs.data()
    bits = []
    for i in range(arity.bit_length() - 1):
        with cs.namespace(f"index bit {i}"):
            bits.append(Boolean.alloc(cs, cs.values.bit(position, i)))
    siblings = [AllocatedNum.alloc(cs, cs.data()) for _ in range(arity - 1)]
    children = insert(cs, node, bits, siblings)
    with cs.namespace("computation of commitment hash"):
        return hash_children(cs, children, hash_name), bits


def hash_children(cs: ConstraintSystem, children: Sequence[AllocatedNum], hash_name: HashName) -> AllocatedNum:
    """Return the node above its children."""
    if hash_name == "poseidon":
        return poseidon_hash(cs, children)
    return sha256_hash_numbers(cs, children, [f"{i}_num_into_bits" for i in range(len(children))])
