"""Poseidon as a circuit, in the form that Filecoin's trusted setup has.

Source: argumentcomputer/neptune, src/circuit.rs (its "legacy" circuit): compressed round constants, sparse matrices in
the partial rounds, one aux for every S-box input that is not a variable already. The state's elements are linear
combinations between S-boxes; their values are computed as the native hash does, from the elements before, not from
the terms, of which a combination has up to width + partial rounds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cuzk.algebra import poseidon
from cuzk.algebra.arguments import require, require_each
from cuzk.algebra.fr import MODULUS
from cuzk.gadgets.number import AllocatedNum
from cuzk.r1cs import ONE, ConstraintSystem, LinearCombination, Value, template

__all__ = ["poseidon_hash"]

_ONE = LinearCombination([(1, ONE)])


def poseidon_hash(cs: ConstraintSystem, preimage: Sequence[AllocatedNum], domain: int | None = None) -> AllocatedNum:
    """Return the hash of the preimage; `domain` is the domain tag, by default that of a Merkle tree of this arity."""
    require_each("poseidon_hash: preimage", preimage, AllocatedNum)
    tag = poseidon.merkle_domain_tag(len(preimage)) if domain is None else domain
    require("poseidon_hash: domain", tag, int)
    return _poseidon(cs, list(preimage), domain=tag)


@template
def _poseidon(cs: ConstraintSystem, preimage: list[AllocatedNum], *, domain: int) -> AllocatedNum:
    return _Permutation(cs, poseidon.constants(len(preimage)), domain).hash(preimage)


@dataclass(frozen=True)
class _Element:
    """An element of the state: a linear combination and its value; `number` if it is one variable."""

    combination: LinearCombination
    value: Value
    number: AllocatedNum | None = None


class _Permutation:
    def __init__(self, cs: ConstraintSystem, constants: poseidon.Constants, domain: int) -> None:
        self._cs = cs
        self._constants = constants
        self._keys = iter(constants.compressed)
        self._domain = domain
        self._state: list[_Element] = []

    def hash(self, preimage: Sequence[AllocatedNum]) -> AllocatedNum:
        constants, half = self._constants, self._constants.full_rounds // 2
        with self._cs.namespace("first round"):
            self._first_round(preimage)
        for i in range(1, half):
            with self._cs.namespace(f"initial full round {i}"):
                self._full_round(constants.pre_sparse if i == half - 1 else constants.mds)
        for i, sparse in enumerate(constants.sparse):
            with self._cs.namespace(f"partial round {i}"):
                self._partial_round(sparse)
        for i in range(half - 1):
            with self._cs.namespace(f"final full round {i}"):
                self._full_round(constants.mds)
        with self._cs.namespace("terminal full round"):
            self._full_round(constants.mds, last=True)
        with self._cs.namespace("hash result"):
            return self._allocated(self._state[1])

    def _first_round(self, preimage: Sequence[AllocatedNum]) -> None:
        """Add keys before the S-boxes too. The first element is the constant domain tag: it takes no rows."""
        width = self._constants.width
        before = [next(self._keys) for _ in range(width)]
        after = [next(self._keys) for _ in range(width)]
        tag = (pow(self._domain + before[0], 5, MODULUS) + after[0]) % MODULUS
        state = [_Element(LinearCombination([(tag, ONE)]), self._cs.values.linear([], tag))]
        for i in range(1, width):
            with self._cs.namespace(f"quintic s-box {i}"):
                state.append(self._shifted_s_box(preimage[i - 1], before[i], after[i]))
        self._state = state
        self._multiply(self._constants.mds)

    def _full_round(self, matrix: poseidon.Matrix, *, last: bool = False) -> None:
        for i, element in enumerate(self._state):
            with self._cs.namespace(f"quintic s-box {i}"):
                self._state[i] = self._s_box(element, None if last else next(self._keys))
        self._multiply(matrix)

    def _partial_round(self, matrix: poseidon.SparseMatrix) -> None:
        with self._cs.namespace("solitary quintic s-box"):
            first = self._s_box(self._state[0], next(self._keys))
        others = self._state[1:]
        self._state = [self._sum(zip(matrix.w_hat, [first, *others], strict=True))]
        for coefficient, element in zip(matrix.v_rest, others, strict=True):
            self._state.append(self._sum([(1, element), (coefficient, first)]))

    def _multiply(self, matrix: poseidon.Matrix) -> None:
        columns = zip(*matrix, strict=True)
        self._state = [self._sum(zip(column, self._state, strict=True)) for column in columns]

    def _sum(self, terms: Iterable[tuple[int, _Element]]) -> _Element:
        weighted = list(terms)
        return _Element(
            LinearCombination.weighted((coefficient, element.combination) for coefficient, element in weighted),
            self._cs.values.linear([(coefficient, element.value) for coefficient, element in weighted]),
        )

    def _s_box(self, element: _Element, key: int | None) -> _Element:
        """Return element^5 + key: three rows, one more if the element is not a variable."""
        with self._cs.namespace("S-box input"):
            x = self._allocated(element)
        with self._cs.namespace("l^2"):
            x2 = x.square(self._cs)
        with self._cs.namespace("l^4"):
            x4 = x2.square(self._cs)
        with self._cs.namespace("(l4 * l) + rk)"):
            name = "mul sum constraint" if key is None else "mul sum constraint post-add"
            return self._multiply_add(name, x.combination(), x.value(self._cs), x4, key or 0)

    def _shifted_s_box(self, x: AllocatedNum, before: int, after: int) -> _Element:
        """Return (x + before)^5 + after: three rows."""
        cs = self._cs
        shifted = x.combination().plus(before, ONE)
        value = cs.evaluate(shifted)
        with cs.namespace("(l+rk)^2"):
            x2 = AllocatedNum.alloc(cs, cs.values.product(value, value))
            cs.enforce("squared sum constraint", shifted, shifted, x2.combination())
        with cs.namespace("l^4"):
            x4 = x2.square(cs)
        with cs.namespace("l4 * (l + rk)"):
            return self._multiply_add("mul sum constraint pre-post-add", shifted, value, x4, after)

    def _multiply_add(self, name: str, a: LinearCombination, a_value: Value, b: AllocatedNum, key: int) -> _Element:
        """Return a * b + key: one aux c, one row a * b = c - key."""
        cs = self._cs
        product = cs.values.product(a_value, b.value(cs))
        c = AllocatedNum.alloc(cs, cs.values.linear([(1, product)], key))
        cs.enforce(name, a, b.combination(), c.combination().plus(-key, ONE))
        return _Element(c.combination(), c.value(cs), c)

    def _allocated(self, element: _Element) -> AllocatedNum:
        """Return the element as a variable: for a combination one aux, one row combination * 1 = variable."""
        if element.number is not None:
            return element.number
        number = AllocatedNum.alloc(self._cs, element.value)
        self._cs.enforce(
            "enforce num allocation preserves lc",
            element.combination,
            _ONE,
            number.combination(),
            a_value=element.value,
        )
        return number
