"""Linear combinations merge as bellpepper's do, and depend on nothing but what is in them."""

from hypothesis import given
from hypothesis import strategies as st

from cuzk.algebra.fr import MODULUS
from cuzk.r1cs.linear import ONE, Kind, LinearCombination, Variable, index_of, kind_of, variable

variables = st.one_of(
    st.just(ONE), st.builds(variable, st.sampled_from([Kind.FORMAL, Kind.INPUT, Kind.AUX]), st.integers(0, 3))
)
coefficients = st.one_of(st.sampled_from([0, 1, MODULUS - 1]), st.integers(-MODULUS, 2 * MODULUS))
terms = st.lists(st.tuples(coefficients, variables), max_size=8)

Terms = list[tuple[int, Variable]]


def value(combination: LinearCombination) -> int:
    """Evaluate at made-up values of the variables."""
    return sum(coefficient * pow(var + 2, 3, MODULUS) for var, coefficient in combination.terms.items()) % MODULUS


def sum_of(items: Terms) -> int:
    return sum(coefficient * pow(var + 2, 3, MODULUS) for coefficient, var in items) % MODULUS


@given(terms, terms, coefficients)
def test_arithmetic(a: Terms, b: Terms, factor: int) -> None:
    x, y = LinearCombination(a), LinearCombination(b)
    assert value(x) == sum_of(a)
    assert value(x + y) == (value(x) + value(y)) % MODULUS
    assert value(x - y) == (value(x) - value(y)) % MODULUS
    assert value(LinearCombination.weighted([(factor, x), (1, y)])) == (factor * value(x) + value(y)) % MODULUS
    assert value(x.plus(factor, ONE)) == (value(x) + factor * value(LinearCombination([(1, ONE)]))) % MODULUS
    assert all(0 <= coefficient < MODULUS for coefficient in (x + y).terms.values())
    assert value(x) == sum_of(a)  # operands never change


def test_a_term_that_cancels_stays() -> None:
    x = variable(Kind.AUX, 5)
    assert LinearCombination([(1, x), (-1, x)]).terms == {x: 0}


def test_variables_and_their_names() -> None:
    assert (kind_of(ONE), index_of(ONE)) == (Kind.ONE, 0)
    x = variable(Kind.INPUT, 1 << 40)
    assert (kind_of(x), index_of(x)) == (Kind.INPUT, 1 << 40)
    combination = LinearCombination([(5, variable(Kind.AUX, 2)), (3, ONE), (1, variable(Kind.FORMAL, 0))])
    assert repr(combination) == "3*one + 1*f0 + 5*a2"
    assert repr(LinearCombination()) == "0"
