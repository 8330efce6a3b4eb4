"""Which leaf instances run when: all instances of a leaf at one depth together.

The depth of an instance is one more than that of the deepest instance whose variables its program loads; a composite
counts as done when all of it is. Everything is computed with one array operation for each kind of instance in a
composite, so that hundreds of thousands of instances take milliseconds.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk.r1cs.template import Columns, Composite, Instance, Leaf, Template, fold

__all__ = ["LeafInstances", "leaf_instances"]


@dataclass(frozen=True)
class LeafInstances:
    """All instances of one leaf within a template.

    `begins` int64[n, 5]: what came before each, in the order of Sizes; `bindings` int64[n, formals]: columns of the
    template; `depths` int64[n].
    """

    begins: NDArray[np.int64]
    bindings: NDArray[np.int64]
    depths: NDArray[np.int64]


@dataclass(frozen=True)
class _Flattened:
    leaves: Mapping[Template, LeafInstances]
    loads: NDArray[np.bool_]  # of each formal: some program needs its value
    height: int  # number of depths


def leaf_instances(root: Template) -> Mapping[Template, LeafInstances]:
    """Return the instances of every leaf of a template."""
    return fold(root, _of_leaf, _of_composite).leaves


def _of_leaf(template: Template, leaf: Leaf) -> _Flattened:
    itself = LeafInstances(
        begins=np.zeros((1, 5), dtype=np.int64),
        bindings=np.arange(template.columns.formals, dtype=np.int64)[None, :] + 1,
        depths=np.zeros(1, dtype=np.int64),
    )
    return _Flattened({template: itself}, leaf.loads, height=1)


def _of_composite(template: Template, body: Composite, inner: Mapping[Template, _Flattened]) -> _Flattened:
    columns = template.columns
    depths, height = _depths(template, body, inner)
    loads = np.zeros(columns.formals, dtype=np.bool_)
    by_template: dict[Template, list[int]] = defaultdict(list)
    for number, instance in enumerate(body.instances):
        by_template[instance.template].append(number)
        used = instance.bindings[inner[instance.template].loads]
        loads[used[used < columns.first_input] - 1] = True

    parts: dict[Template, list[LeafInstances]] = defaultdict(list)
    for nested, numbers in by_template.items():
        instances = [body.instances[number] for number in numbers]
        for leaf, inside in inner[nested].leaves.items():
            parts[leaf].append(_placed(columns, nested.columns, instances, depths[numbers], inside))
    leaves = {leaf: _concatenated(pieces) for leaf, pieces in parts.items()}
    return _Flattened(leaves, loads, height)


def _depths(template: Template, body: Composite, inner: Mapping[Template, _Flattened]) -> tuple[NDArray[np.int64], int]:
    """Return the depth of each instance, and the number of depths of the composite."""
    columns = template.columns
    # done[i]: the first depth at which all of instance i is known; owner of a column: the instance that allocates it.
    done = np.zeros(len(body.instances), dtype=np.int64)
    depths = np.zeros_like(done)
    first_aux = np.array([instance.offset.aux for instance in body.instances])
    first_input = np.array([instance.offset.inputs for instance in body.instances])
    for number, instance in enumerate(body.instances):
        flattened = inner[instance.template]
        used = instance.bindings[flattened.loads]
        if used.size:
            aux = used[used >= columns.first_aux] - columns.first_aux
            inputs = used[(used >= columns.first_input) & (used < columns.first_aux)] - columns.first_input
            owners = [np.searchsorted(first_aux, aux, side="right"), np.searchsorted(first_input, inputs, side="right")]
            depths[number] = max((int(done[owner - 1].max()) for owner in owners if owner.size), default=0)
        done[number] = depths[number] + flattened.height
    return depths, int(done.max(initial=0))


def _placed(
    outer: Columns,
    nested: Columns,
    instances: list[Instance],
    depths: NDArray[np.int64],
    inside: LeafInstances,
) -> LeafInstances:
    """Place the leaf instances inside a nested template at k instances of it: k * n leaf instances."""
    offsets = np.array([instance.offset.as_tuple() for instance in instances], dtype=np.int64)
    begins = offsets[:, None, :] + inside.begins[None, :, :]

    formals = np.array([instance.bindings for instance in instances], dtype=np.int64).reshape(len(instances), -1)
    local = inside.bindings[None, :, :]
    input_shift = offsets[:, 1, None, None] + (outer.first_input - nested.first_input)
    aux_shift = offsets[:, 2, None, None] + (outer.first_aux - nested.first_aux)
    bindings = local + np.where(local < nested.first_aux, input_shift, aux_shift)
    is_formal = inside.bindings < nested.first_input
    bindings[:, is_formal] = formals[:, inside.bindings[is_formal] - 1]

    return LeafInstances(
        begins=begins.reshape(-1, 5),
        bindings=bindings.reshape(len(begins) * len(inside.begins), -1),
        depths=(depths[:, None] + inside.depths[None, :]).reshape(-1),
    )


def _concatenated(parts: list[LeafInstances]) -> LeafInstances:
    return LeafInstances(
        np.concatenate([part.begins for part in parts]),
        np.concatenate([part.bindings for part in parts]),
        np.concatenate([part.depths for part in parts]),
    )
