"""The constraint system that gadgets write to, and the tracer that keeps their templates.

The semantics are bellpepper's (argumentcomputer/bellpepper, bellpepper-core/src/constraint_system.rs): inputs and aux
in separate index spaces, rows in the order of `enforce`, namespaces that name them. Two things differ: there are no
values, only how they are computed (`cuzk.r1cs.values`), and a function marked `@template` is traced once for each shape
of its arguments and replayed from then on.
"""

import functools
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from cuzk.algebra.arguments import require, wrong_type
from cuzk.errors import InputError
from cuzk.r1cs.coefficients import CoefficientTable
from cuzk.r1cs.handles import check_constant, map_handles, shape_of
from cuzk.r1cs.leaf import Segment, compile_leaf, leaf_content, outside_variables
from cuzk.r1cs.linear import (
    COMBINATION_HINT,
    ONE,
    Kind,
    LinearCombination,
    Variable,
    index_of,
    kind_of,
    scope_of,
    variable,
)
from cuzk.r1cs.scopes import Scope, Scopes, name_of
from cuzk.r1cs.template import Columns, Composite, Instance, Sizes, Template
from cuzk.r1cs.values import Value, Values

__all__ = ["ConstraintSystem", "Tracer", "template"]

P = ParamSpec("P")
R = TypeVar("R")


def template(
    gadget: Callable[Concatenate["ConstraintSystem", P], R],
) -> Callable[Concatenate["ConstraintSystem", P], R]:
    """Mark a gadget as a template.

    Positional arguments are handles, or nested lists and tuples of them; they become formals, and which of them are the
    same variable is part of the shape. Keyword arguments are hashable constants. The gadget may return handles.
    """

    @functools.wraps(gadget)
    def instantiate(cs: "ConstraintSystem", /, *args: P.args, **kwargs: P.kwargs) -> R:
        if not hasattr(cs, "instantiate"):
            raise wrong_type(f"first argument of {name_of(gadget)}", "ConstraintSystem", cs)
        return cs.instantiate(gadget, args, kwargs)  # type: ignore[no-any-return]

    return instantiate


@dataclass(frozen=True)
class _Traced:
    """A template, and what its gadget returned, in the template's own variables; which of those are bits."""

    template: Template
    result: Any
    bit_variables: frozenset[Variable]


class Tracer:
    """Holds the templates traced so far and the coefficients they share. One tracer makes one circuit."""

    def __init__(self) -> None:
        self.coefficients = CoefficientTable()
        self.scopes = Scopes()
        self._traced: dict[Hashable, _Traced] = {}
        self._leaves: dict[Hashable, Template] = {}

    def trace_circuit(self, gadget: Callable[["ConstraintSystem"], Any]) -> Template:
        """Trace a whole circuit: a gadget that takes nothing but the constraint system."""
        with self.scopes.opened(gadget, "the circuit") as scope:
            cs = ConstraintSystem(self, scope, [])
            gadget(cs)
        return cs.finish("circuit")

    def trace(self, gadget: Callable[..., Any], call: "_Call") -> _Traced:
        """Trace a gadget for a call, or recall the trace of an earlier call of the same shape."""
        key = (gadget, call.shape)
        traced = self._traced.get(key)
        if traced is None:
            name = name_of(gadget)
            with self.scopes.opened(gadget, f"template {name}") as scope:
                cs = ConstraintSystem(self, scope, call.bits)
                result = gadget(cs, *cs.formal_arguments(call), **call.kwargs)
                cs.check_result(result)
            template = cs.finish(name)
            traced = self._traced[key] = _Traced(template, result, frozenset(cs.bit_variables))
        return traced

    def leaf(self, name: str, segment: Segment, formals: list[Variable], bits: Collection[Variable]) -> Template:
        """Compile a leaf, or recall an equal one."""
        leaf = compile_leaf(name, segment, formals, bits, self.coefficients)
        return self._leaves.setdefault(leaf_content(leaf), leaf)


@dataclass(frozen=True)
class _Call:
    """A call of a template: its arguments, and of each variable in them which formal stands for it."""

    args: Any
    kwargs: Mapping[str, Hashable]
    numbers: Mapping[Variable, int]
    bits: list[bool]  # of each formal
    shape: Hashable


@dataclass(frozen=True)
class _Placed:
    """An instance whose bindings are still variables, since the enclosing columns are known only at the end."""

    template: Template
    name: str
    bindings: list[Variable]
    offset: Sizes


def _check_name(what: str, name: str) -> None:
    """Raise InputError for a name that compiled circuits, which keep names as lines, could not keep."""
    if not isinstance(name, str):
        raise wrong_type(what, "str", name)
    if "\n" in name:
        raise InputError(f"{what}: expected one line, got {name!r}")


class _Namespace:
    """An open namespace. A class of its own, since a generator would take several times as long, once a bit."""

    __slots__ = ("_name", "_prefixes")

    def __init__(self, prefixes: list[str], name: str) -> None:
        self._prefixes, self._name = prefixes, name

    def __enter__(self) -> None:
        self._prefixes.append(f"{self._prefixes[-1]}{self._name}/")

    def __exit__(self, *_: object) -> None:
        self._prefixes.pop()


class ConstraintSystem:
    """Records one template: allocations, rows, and instances of other templates."""

    def __init__(self, tracer: Tracer, scope: Scope, formal_bits: Sequence[bool]) -> None:
        self._tracer = tracer
        self._scope = scope
        self._formals = [variable(Kind.FORMAL, i, scope.number) for i in range(len(formal_bits))]
        self._values = Values(scope)
        self._prefixes = [""]  # of names, one for each namespace that is open
        self._placed: list[_Placed] = []
        self._segment = Segment(Sizes(), scope.number)
        self.bit_variables = {var for var, is_bit in zip(self._formals, formal_bits, strict=True) if is_bit}

    def namespace(self, name: str) -> "_Namespace":
        """Prefix the names of everything inside the `with` block."""
        _check_name("the name of a namespace", name)
        return _Namespace(self._prefixes, name)

    @property
    def values(self) -> Values:
        """Makes the expressions that allocations are computed from."""
        return self._values

    def data(self) -> Value:
        """Return the next field element of the data that an instance is given: a value of the vanilla proof."""
        self._require_innermost()
        return self._values.data(self._segment.take_data())

    def value(self, var: Variable) -> Value:
        """Return the value of a variable: what defines it, or what is loaded if an instance came after its allocation.

        A value that was asked for before an instance is computed again when it is used after it: ask again.
        """
        try:
            definition = self._segment.definitions.get(var)
        except TypeError:  # no hashable thing, so no variable
            definition = None
        if definition is not None:
            return definition
        if var == ONE:
            return self._values.constant(1)
        self._require_own(var)
        return self._values.variable(var, is_bit=var in self.bit_variables)

    def alloc(self, value: Value) -> Variable:
        """Allocate an auxiliary variable that holds a field element."""
        self._require_innermost()
        self._values.check("alloc", value)
        return self._segment.alloc(self._values.as_field(value), wide=True)

    def alloc_bit(self, value: Value) -> Variable:
        """Allocate an auxiliary variable that is 0 or 1; the caller enforces that it is."""
        self._require_innermost()
        self._values.check_bits("alloc_bit", value)
        var = self._segment.alloc(self._values.as_bit(value), wide=False)
        self.bit_variables.add(var)
        return var

    def alloc_input(self, value: Value) -> Variable:
        """Allocate a public input."""
        self._require_innermost()
        self._values.check("alloc_input", value)
        return self._segment.alloc_input(value)

    def enforce(
        self,
        name: str,
        a: LinearCombination,
        b: LinearCombination,
        c: LinearCombination,
        *,
        a_value: Value | None = None,
    ) -> None:
        """Add the row a * b = c. Give the value of a where it is known more cheaply than by its terms."""
        self._require_innermost()
        _check_name("the name of a row", name)
        if a_value is None:
            a_value = self.evaluate(a)
        else:
            self._require_own_terms(a)
            self._values.check("a_value", a_value)
        self._require_own_terms(c)
        self._segment.add_row(self._prefixes[-1] + name, a, b, c, a_value, self.evaluate(b))

    def evaluate(self, combination: LinearCombination) -> Value:
        """Return the value of a linear combination, by its terms."""
        require("a side of a row", combination, LinearCombination, COMBINATION_HINT)
        terms = combination.terms
        if len(terms) == 1:  # most are one variable
            ((var, coefficient),) = terms.items()
            if coefficient == 1 and var != ONE:
                return self.value(var)
        constant = terms.get(ONE, 0)
        return self._values.linear([(terms[var], self.value(var)) for var in terms if var != ONE], constant)

    def instantiate(self, gadget: Callable[..., Any], args: Any, kwargs: Mapping[str, Hashable]) -> Any:
        """Place an instance of a gadget's template for these arguments; return what the gadget returns."""
        self._require_innermost()
        name = name_of(gadget)
        for keyword, constant in kwargs.items():
            check_constant(f"{name}: {keyword}", constant)
        numbers: dict[Variable, int] = {}

        def number(var: Variable) -> int:
            self._require_own(var)
            return numbers.setdefault(var, len(numbers))

        shape = shape_of(f"arguments of {name}", args, number)
        bits = [var in self.bit_variables for var in numbers]
        call = _Call(
            args=args,
            kwargs=kwargs,
            numbers=numbers,
            bits=bits,
            shape=(shape, tuple(bits), tuple(sorted(kwargs.items()))),
        )
        traced = self._tracer.trace(gadget, call)
        formals, before = list(numbers), self._segment.end
        self._close_segment()
        self._placed.append(_Placed(traced.template, self._prefixes[-1].removesuffix("/"), formals, before))
        self._segment = Segment(before + traced.template.sizes, self._scope.number)

        def local(var: Variable) -> Variable:
            kind, index = kind_of(var), index_of(var)
            if kind is Kind.FORMAL:
                return formals[index]
            outer = variable(kind, index + (before.aux if kind is Kind.AUX else before.inputs), self._scope.number)
            if var in traced.bit_variables:
                self.bit_variables.add(outer)
            return outer

        return map_handles(f"result of {name}", traced.result, local)

    def formal_arguments(self, call: _Call) -> Any:
        """Return a call's arguments with formals in place of the caller's variables."""
        name = name_of(self._scope.gadget)
        return map_handles(f"arguments of {name}", call.args, lambda var: self._formals[call.numbers[var]])

    def check_result(self, result: Any) -> None:
        """Raise InputError unless a gadget returned handles of its own variables."""

        def own(var: Variable) -> Variable:
            self._require_own(var)
            return var

        map_handles(f"result of {name_of(self._scope.gadget)}", result, own)

    def finish(self, name: str) -> Template:
        """Return the template: a leaf if no other template was used, else a composite."""
        if not self._placed:
            return self._tracer.leaf(name, self._segment, self._formals, self.bit_variables)
        self._close_segment()
        sizes = self._segment.end
        columns = Columns(len(self._formals), sizes.inputs, sizes.aux)
        first = {
            Kind.FORMAL: 1,
            Kind.INPUT: columns.first_input,
            Kind.AUX: columns.first_aux,
        }
        instances = [
            Instance(
                placed.template,
                placed.name,
                np.array([first[kind_of(var)] + index_of(var) for var in placed.bindings], dtype=np.int64),
                placed.offset,
            )
            for placed in self._placed
        ]
        formal_is_bit = np.array([var in self.bit_variables for var in self._formals], dtype=np.bool_)
        return Template(name, formal_is_bit, sizes, Composite(instances))

    def _require_innermost(self) -> None:
        if self._tracer.scopes.innermost is not self._scope:
            raise self._tracer.scopes.not_innermost(self._scope)

    def _require_own(self, var: Variable) -> None:
        if not isinstance(var, int) or scope_of(var) != self._scope.number:
            raise self._tracer.scopes.foreign(self._scope, var)

    def _require_own_terms(self, combination: LinearCombination) -> None:
        require("a side of a row", combination, LinearCombination, COMBINATION_HINT)
        for var in combination.terms:
            if var != ONE:
                self._require_own(var)

    def _close_segment(self) -> None:
        """Turn what was recorded since the last instance into a leaf of its own."""
        if self._segment.is_empty:
            return
        formals = outside_variables(self._segment)
        leaf = self._tracer.leaf("rows", self._segment, formals, self.bit_variables)
        self._placed.append(_Placed(leaf, "", formals, self._segment.start))
