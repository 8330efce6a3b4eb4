"""Synthesis: vanilla data in, a finished assignment out, with no Python per instance."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cuzk import _native
from cuzk.algebra.arguments import require
from cuzk.algebra.arrays import check_threads
from cuzk.errors import InputError
from cuzk.groth16.assignment import Assignment, AssignmentLayout
from cuzk.r1cs.compiled import CompiledCircuit
from cuzk.r1cs.schedule import LeafInstances, leaf_instances
from cuzk.r1cs.template import Template

__all__ = ["Synthesizer"]

_FROM_INPUT = 1 << 31  # in bindings of field elements: the number of an input, not of a wide aux


class Synthesizer:
    """A compiled circuit made ready to run: its leaf instances grouped by depth, in native form."""

    def __init__(self, circuit: CompiledCircuit) -> None:
        require("circuit", circuit, CompiledCircuit, "CompiledCircuit.trace makes one")
        self.circuit = circuit
        sizes = circuit.root.sizes
        if sizes.rows >= _FROM_INPUT or sizes.aux >= _FROM_INPUT:
            raise InputError(f"a circuit has less than 2^31 rows and aux, not {sizes.rows} and {sizes.aux}")
        self._wide = circuit.wide
        total = np.array([sizes.as_tuple()], dtype=np.uint32)
        total[0, 1] += 1  # ONE
        self._plan = _native.WitnessPlan(circuit.coefficients, total)
        locations = _Locations(circuit)
        for template, instances in leaf_instances(circuit.root).items():
            self._add(template, instances, locations)

    def _add(self, template: Template, instances: LeafInstances, locations: "_Locations") -> None:
        leaf = template.leaf
        program = self._plan.add_program(
            code=leaf.program.code,
            field_registers=leaf.program.field_registers,
            bit_registers=leaf.program.bit_registers,
            formal_is_bit=template.formal_is_bit,
            extent=np.array([template.sizes.as_tuple()], dtype=np.uint32),
        )
        begins = instances.begins.copy()
        begins[:, 1] += 1  # ONE
        bindings = locations.of(instances.bindings, template.formal_is_bit)
        order = np.argsort(instances.depths, kind="stable")
        bounds = np.flatnonzero(np.diff(instances.depths[order], prepend=-1, append=-1))
        for begin, end in pairwise(bounds):
            chosen = order[begin:end]
            level = int(instances.depths[chosen[0]])
            self._plan.add_group(level, program, begins[chosen].astype(np.uint32), bindings[chosen])

    @property
    def layout(self) -> AssignmentLayout:
        """Where the parts of an assignment lie in its buffer."""
        circuit = self.circuit
        return AssignmentLayout(circuit.num_inputs, circuit.num_aux, circuit.root.sizes.wide, circuit.domain)

    def run(self, data: NDArray[np.uint64], *, threads: int = 1, buffer: memoryview | None = None) -> Assignment:
        """Synthesize from the vanilla data, Fr[num_data].

        The assignment is a view of the buffer, which must have `layout.size` bytes or more and may have been used
        before; without one, of fresh memory. Raises InputError for data of the wrong length or not canonical.
        """
        check_threads(threads)
        circuit, layout = self.circuit, self.layout
        if not isinstance(data, np.ndarray) or data.shape != (circuit.num_data, 4) or data.dtype != np.uint64:
            is_array = isinstance(data, np.ndarray)
            got = f"{data.dtype}{list(data.shape)}" if is_array else f"{type(data).__name__}; fr.from_ints makes it"
            raise InputError(f"{circuit.name} takes data uint64[{circuit.num_data}, 4], not {got}")
        if buffer is None:
            buffer = np.empty(layout.size, dtype=np.uint8).data
        elif len(buffer) < layout.size:
            raise InputError(f"{circuit.name} needs a buffer of {layout.size} bytes, this has {len(buffer)}")
        header = layout.header()
        buffer[: len(header)] = header
        inputs, wide, bit, values, a, b = layout.sections(buffer)
        inputs, values, a, b = (words.reshape(-1, 4) for words in (inputs, values, a, b))
        wide[:] = self._wide
        bit[:] = 0
        inputs[0] = (1, 0, 0, 0)
        self._plan.run(data, inputs, values, bit, a, b, threads)
        own = circuit.num_constraints
        a[own : own + len(inputs)] = inputs  # the input rows: A = input_i, B = 0
        a[own + len(inputs) :] = 0
        b[own:] = 0
        return Assignment.from_buffer(buffer)


class _Locations:
    """Where synthesis keeps the values of columns."""

    def __init__(self, circuit: CompiledCircuit) -> None:
        self._num_inputs = circuit.num_inputs
        self._wide = circuit.wide
        self._wide_before = np.concatenate([[0], np.cumsum(_popcounts(self._wide))])  # of each word

    def of(self, columns: NDArray[np.int64], is_bit: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """Return what the native plan calls columns int64[n, formals], of which each formal is a bit or not."""
        aux = columns - self._num_inputs
        word = np.maximum(aux, 0) >> 6
        below = (np.uint64(1) << (aux & 63).astype(np.uint64)) - np.uint64(1)
        number_among_wide = self._wide_before[word] + _popcounts(self._wide[word] & below)
        fields = np.where(aux < 0, columns + _FROM_INPUT, number_among_wide)
        return np.where(is_bit, aux, fields).astype(np.uint32)


def _popcounts(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of bits set in each word: sums of 2, of 4, then of 8 bits side by side, then of all bytes."""
    pairs = words - (words >> np.uint64(1) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + (pairs >> np.uint64(2) & np.uint64(0x3333333333333333))
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    totals: NDArray[np.uint64] = eights * np.uint64(0x0101010101010101) >> np.uint64(56)
    return totals.astype(np.int64)
