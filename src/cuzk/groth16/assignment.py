"""An assignment: what synthesis yields for one partition and what the prover takes.

It lives in one contiguous buffer so that it can travel between processes as a shared-memory segment:

    header   64 bytes: magic, then u64 inputs, aux, wide values, domain, total bytes (little-endian), zero padding
    inputs   Fr[inputs]                      ONE first
    wide     u64[ceil(aux / 64)]             bit j: aux j is a field element
    bit      u64[ceil(aux / 64)]             bit j: the value of an aux that is not
    values   Fr[wide values]                 the field elements, in order
    a, b     Fr[domain] each                 A·z and B·z with the input rows, zero-padded

Each section starts at a multiple of 64 bytes. a and b come last, so that a holder may give their pages back first.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr
from cuzk.algebra.arrays import check_elements
from cuzk.algebra.fr import FrArray
from cuzk.algebra.scalars import PackedScalars
from cuzk.errors import FormatError, InputError, UnsatisfiedError
from cuzk.groth16.circuit import MAX_DOMAIN, Circuit

_MAGIC = b"cuzkasg1"
_HEADER = struct.Struct("<8s5Q16x")
_ALIGNMENT = 64
_FR_SIZE = 32
_MAX_VARIABLES = 1 << 32


@dataclass(frozen=True)
class AssignmentLayout:
    """Where the sections of an assignment lie in its buffer, from its four lengths."""

    num_inputs: int
    num_aux: int
    num_wide: int
    domain: int
    offsets: tuple[int, ...] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        if not (1 <= self.num_inputs <= _MAX_VARIABLES and 0 <= self.num_wide <= self.num_aux <= _MAX_VARIABLES):
            raise InputError(
                f"an assignment has 1 to 2^32 inputs and at most as many wide values as aux, "
                f"not {self.num_inputs} inputs, {self.num_aux} aux and {self.num_wide} wide values"
            )
        if self.domain.bit_count() != 1 or self.domain > MAX_DOMAIN or self.domain < self.num_inputs:
            raise InputError(
                f"an assignment's domain is a power of two from its inputs to 2^32, "
                f"not {self.domain} for {self.num_inputs} inputs"
            )
        offset, offsets = _ALIGNMENT, []
        for size in self._section_sizes():
            offsets.append(offset)
            offset += -(-size // _ALIGNMENT) * _ALIGNMENT
        object.__setattr__(self, "offsets", tuple(offsets))
        object.__setattr__(self, "size", offset)

    def _section_sizes(self) -> Iterator[int]:
        words = -(-self.num_aux // 64) * 8
        yield self.num_inputs * _FR_SIZE
        yield from (words, words)
        yield self.num_wide * _FR_SIZE
        yield from (self.domain * _FR_SIZE,) * 2

    def header(self) -> bytes:
        """Return the 64 bytes that describe this layout."""
        return _HEADER.pack(_MAGIC, self.num_inputs, self.num_aux, self.num_wide, self.domain, self.size)

    @classmethod
    def read(cls, buffer: memoryview) -> Self:
        """Read and check the header of a buffer; the buffer may be longer than the assignment."""
        if len(buffer) < _HEADER.size:
            raise FormatError(f"an assignment starts with a header of {_HEADER.size} bytes, this has {len(buffer)}")
        magic, num_inputs, num_aux, num_wide, domain, size = _HEADER.unpack_from(buffer)
        if magic != _MAGIC:
            raise FormatError(f"an assignment starts with {_MAGIC!r}, this starts with {magic!r}")
        layout = cls(num_inputs, num_aux, num_wide, domain)
        if size != layout.size or len(buffer) < size:
            raise FormatError(
                f"an assignment of these lengths has {layout.size} bytes: "
                f"its header says {size}, the buffer has {len(buffer)}"
            )
        return layout

    def sections(self, buffer: memoryview) -> list[NDArray[np.uint64]]:
        """Return the six sections as uint64 views of the buffer."""
        return [
            np.frombuffer(buffer, dtype=np.uint64, count=size // 8, offset=offset)
            for offset, size in zip(self.offsets, self._section_sizes(), strict=True)
        ]


class Assignment:
    """Inputs, aux and the evaluations a = A·z, b = B·z of one circuit instance.

    `inputs` is Fr[n] with ONE first, `aux` is packed, `a` and `b` are Fr[domain]. The prover consumes a and b (they are
    the big buffers), so they can be taken only once.
    """

    def __init__(self, inputs: FrArray, aux: PackedScalars, a: FrArray, b: FrArray) -> None:
        self.layout = AssignmentLayout(len(inputs), len(aux), len(aux.values), len(a))
        if a.shape != b.shape:
            raise InputError(f"a and b must have equally many values, they have {len(a)} and {len(b)}")
        if inputs[0].tolist() != [1, 0, 0, 0]:
            raise InputError("the first input of an assignment must be ONE")
        self.inputs = inputs
        self.aux = aux
        self._evaluations: tuple[FrArray, FrArray] | None = (a, b)

    @property
    def domain(self) -> int:
        """Number of values in a and in b."""
        return self.layout.domain

    @property
    def evaluations(self) -> tuple[FrArray, FrArray]:
        """The arrays a and b; InputError once they were taken."""
        if self._evaluations is None:
            raise InputError("the evaluations a and b of this assignment were already consumed by a proof")
        return self._evaluations

    def take_evaluations(self) -> tuple[FrArray, FrArray]:
        """Hand a and b over, to be overwritten; this assignment forgets them."""
        evaluations = self.evaluations
        self._evaluations = None
        return evaluations

    @property
    def z(self) -> FrArray:
        """All variables, inputs then aux, as one Fr vector."""
        return np.concatenate([self.inputs, self.aux.dense()])

    @classmethod
    def from_witness(cls, circuit: Circuit, inputs: FrArray, aux: FrArray, *, threads: int = 1) -> Self:
        """Evaluate a circuit's rows at a witness: `inputs` Fr[num_inputs] with ONE first, `aux` Fr[num_aux]."""
        check_elements(inputs, 4, "inputs")
        check_elements(aux, 4, "aux")
        _check_count("inputs (with ONE)", len(inputs), circuit.num_inputs)
        _check_count("aux values", len(aux), circuit.num_aux)
        z = np.concatenate([inputs, aux])
        a = np.zeros((circuit.domain, 4), dtype=np.uint64)
        b = np.zeros((circuit.domain, 4), dtype=np.uint64)
        for block in circuit.row_blocks():
            rows = slice(block.start, block.start + len(block.a.row_ptr) - 1)
            a[rows] = block.a.times(z, threads)
            b[rows] = block.b.times(z, threads)
        a[circuit.num_constraints : circuit.num_constraints + circuit.num_inputs] = inputs
        return cls(inputs, PackedScalars.pack(aux), a, b)

    def check_satisfies(self, circuit: Circuit, *, threads: int = 1) -> None:
        """Raise UnsatisfiedError that names the first row where a·b is not c; a and b must not be taken yet."""
        a, b = self.evaluations
        z = self.z
        for block in circuit.row_blocks():
            rows = slice(block.start, block.start + len(block.c.row_ptr) - 1)
            differs = np.any(fr.mul(a[rows], b[rows], threads) != block.c.times(z, threads), axis=1)
            if differs.any():
                raise UnsatisfiedError(f"the witness does not satisfy row {block.start + int(differs.argmax())}")

    def write_to(self, buffer: memoryview) -> None:
        """Write this assignment into a buffer of at least `layout.size` bytes."""
        if len(buffer) < self.layout.size:
            raise InputError(f"this assignment needs {self.layout.size} bytes, the buffer has {len(buffer)}")
        buffer[: _HEADER.size] = self.layout.header()
        sources = (self.inputs, self.aux.wide, self.aux.bit, self.aux.values, *self.evaluations)
        for target, source in zip(self.layout.sections(buffer), sources, strict=True):
            target[:] = source.reshape(-1)

    @classmethod
    def from_buffer(cls, buffer: memoryview) -> Self:
        """View the assignment in a buffer without copying; lengths and bitmaps are checked, values by the kernels."""
        layout = AssignmentLayout.read(buffer)
        inputs, wide, bit, values, a, b = layout.sections(buffer)
        if np.any(wide & bit):
            raise FormatError("an aux value is marked both wide and as a bit of value one")
        aux = PackedScalars(layout.num_aux, wide, bit, values.reshape(-1, 4))
        return cls(inputs.reshape(-1, 4), aux, a.reshape(-1, 4), b.reshape(-1, 4))


def _check_count(what: str, got: int, expected: int) -> None:
    if got != expected:
        raise InputError(f"the circuit has {expected} {what}, the witness has {got}")
