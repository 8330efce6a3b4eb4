"""The slow, obvious constraint system: gadgets run once, with values, and nothing is a template.

It stands in for `ConstraintSystem` as bellperson's TestConstraintSystem does: the same gadget code writes to it, with
every value a plain integer, and all rows end up in one list.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cuzk.algebra import fr
from cuzk.algebra.fr import MODULUS
from cuzk.groth16.assignment import Assignment
from cuzk.r1cs import ONE, CompiledCircuit, LinearCombination, Variable
from cuzk.r1cs.bisect import readable_rows
from cuzk.r1cs.linear import Kind, index_of, kind_of, variable
from cuzk.r1cs.satisfied import check_satisfied
from cuzk.r1cs.synthesis import Synthesizer

Circuit = Callable[[Any], object]


@dataclass(frozen=True)
class Row:
    name: str
    matrices: tuple[dict[str, int], dict[str, int], dict[str, int]]


class Integers:
    """`Values` over integers."""

    def product(self, x: int, y: int) -> int:
        return x * y % MODULUS

    def constant(self, number: int) -> int:
        return number % MODULUS

    def linear(self, terms: Sequence[tuple[int, int]], constant: int = 0) -> int:
        return (sum(coefficient * value for coefficient, value in terms) + constant) % MODULUS

    def select(self, bit: int, if_set: int, if_clear: int) -> int:
        return if_set if bit else if_clear

    def conjunction(self, x: int, y: int) -> int:
        return x & y

    def negation(self, x: int) -> int:
        return 1 - x

    def exclusive_or(self, x: int, y: int) -> int:
        return x ^ y

    def choice(self, condition: int, if_set: int, if_clear: int) -> int:
        return if_set if condition else if_clear

    def majority(self, x: int, y: int, z: int) -> int:
        return int(x + y + z >= 2)

    def sum_bits(self, words: Sequence[Sequence[int]], size: int) -> list[int]:
        total = sum(bit << i for word in words for i, bit in enumerate(word))
        return [total >> i & 1 for i in range(size)]

    def bit(self, value: int, position: int) -> int:
        return value >> position & 1


class ReferenceSystem:
    def __init__(self, data: Sequence[int]) -> None:
        self.values = Integers()
        self.rows: list[Row] = []
        self.inputs, self.aux = [1], list[int]()
        self._data = iter(data)
        self._path: list[str] = []

    @contextmanager
    def namespace(self, name: str) -> Iterator["ReferenceSystem"]:
        self._path.append(name)
        yield self
        self._path.pop()

    def data(self) -> int:
        return next(self._data)

    def value(self, var: Variable) -> int:
        match kind_of(var):
            case Kind.INPUT:
                return self.inputs[1 + index_of(var)]
            case Kind.AUX:
                return self.aux[index_of(var)]
        return 1

    def alloc(self, value: int) -> Variable:
        self.aux.append(value)
        return variable(Kind.AUX, len(self.aux) - 1)

    def alloc_bit(self, value: int) -> Variable:
        assert value in (0, 1)
        return self.alloc(value)

    def alloc_input(self, value: int) -> Variable:
        self.inputs.append(value)
        return variable(Kind.INPUT, len(self.inputs) - 2)

    def evaluate(self, combination: LinearCombination) -> int:
        return sum(coefficient * self.value(var) for var, coefficient in combination.terms.items()) % MODULUS

    def enforce(
        self,
        name: str,
        a: LinearCombination,
        b: LinearCombination,
        c: LinearCombination,
        a_value: int | None = None,
    ) -> None:
        assert a_value is None or a_value == self.evaluate(a)
        assert self.evaluate(a) * self.evaluate(b) % MODULUS == self.evaluate(c), name
        self.rows.append(Row("/".join([*self._path, name]), (_named(a), _named(b), _named(c))))

    def instantiate(self, gadget: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        return gadget(self, *args, **kwargs)


def _named(combination: LinearCombination) -> dict[str, int]:
    def name(var: Variable) -> str:
        if var == ONE:
            return "i0"
        return f"i{1 + index_of(var)}" if kind_of(var) is Kind.INPUT else f"a{index_of(var)}"

    return {name(var): coefficient for var, coefficient in combination.terms.items() if coefficient}


def check_against_reference(circuit: Circuit, data: Sequence[int]) -> tuple[CompiledCircuit, Assignment]:
    """Compare a circuit, traced, compiled and synthesized, with the reference: rows, names, witness, evaluations."""
    reference = ReferenceSystem(data)
    circuit(reference)
    compiled = CompiledCircuit.trace("circuit", circuit)
    rows = list(readable_rows(compiled, 0, compiled.num_constraints))
    assert [Row(row.name, row.matrices) for row in rows] == reference.rows
    assert [row.number for row in rows] == list(range(len(reference.rows)))

    assert compiled.num_data == len(data)
    assignment = Synthesizer(compiled).run(fr.from_ints(data))
    assert fr.to_ints(assignment.inputs) == reference.inputs
    assert fr.to_ints(assignment.aux.dense()) == reference.aux
    check_satisfied(compiled, assignment)
    return compiled, assignment
