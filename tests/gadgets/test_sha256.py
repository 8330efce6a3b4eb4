"""SHA-256 and what it is made of, against the reference system, with the row counts of bellpepper's own tests."""

import hashlib
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from cuzk.algebra import fr
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.multieq import MultiEq
from cuzk.gadgets.multipack import pack_bits
from cuzk.gadgets.number import AllocatedNum, add, alloc_bits, select
from cuzk.gadgets.sha256 import reverse_bytes, sha256
from cuzk.gadgets.uint import add_many, alloc_uint64, constant_uint
from cuzk.r1cs import CompiledCircuit
from tests.r1cs.reference import check_against_reference

MESSAGE = bytes((7 * i + 1) % 256 for i in range(128))


def numbers(cs: Any, count: int) -> list[AllocatedNum]:
    return [AllocatedNum.alloc(cs, cs.data()) for _ in range(count)]


def bits_of_bytes(cs: Any, count: int) -> list[Boolean]:
    """Allocate whole bytes, 16 from each element of the data, most significant bit of each first."""
    bits: list[Boolean] = []
    for begin in range(0, count, 16):
        bits += alloc_bits(cs, cs.data(), 8 * min(16, count - begin))
    return list(reverse_bytes(bits))


def data_of(message: bytes) -> list[int]:
    return [int.from_bytes(message[i : i + 16], "little") for i in range(0, len(message), 16)]


def make_public(cs: Any, digest: Any) -> None:
    for half in (digest[:128], digest[128:]):
        pack_bits(cs, list(reverse_bytes(half))).inputize(cs)


def public_digest(assignment: Any) -> bytes:
    return b"".join(value.to_bytes(16, "little") for value in fr.to_ints(assignment.inputs[1:]))


@pytest.mark.parametrize("length", [3, 64])
def test_digest_equals_hashlibs(length: int) -> None:
    def circuit(cs: Any) -> None:
        make_public(cs, sha256(cs, bits_of_bytes(cs, length)))

    message = MESSAGE[:length]
    _, assignment = check_against_reference(circuit, data_of(message))
    assert public_digest(assignment) == hashlib.sha256(message).digest()


def test_constants_negations_and_repeated_bits_in_the_message() -> None:
    def circuit(cs: Any) -> None:
        (bits,) = [bits_of_bytes(cs, 4)]
        constant = [bit for byte in b"const" for bit in constant_uint(byte, 8)[::-1]]
        make_public(cs, sha256(cs, [*bits, *constant, *(bit.negation() for bit in bits), *bits]))

    message = MESSAGE[:4] + b"const" + bytes(0xFF ^ byte for byte in MESSAGE[:4]) + MESSAGE[:4]
    _, assignment = check_against_reference(circuit, data_of(MESSAGE[:4]))
    assert public_digest(assignment) == hashlib.sha256(message).digest()


def rows_of(circuit: Callable[[Any], object]) -> int:
    return CompiledCircuit.trace("circuit", circuit).num_constraints


def test_rows_of_64_bytes_equal_bellpeppers() -> None:
    """sha256.rs `test_full_hash`: two compressions, the second of padding alone."""
    assert rows_of(lambda cs: sha256(cs, bits_of_bytes(cs, 64))) - 512 == 44_874


def test_whole_bytes_are_asked_for() -> None:
    with pytest.raises(InputError, match="expected whole bytes, got 7 bits"):
        rows_of(lambda cs: sha256(cs, alloc_bits(cs, cs.data(), 7)))


def operands(cs: Any, kinds: tuple[str, ...]) -> list[Boolean]:
    """Make a boolean of each kind: 0 and 1 are constants, x is a variable, n a negated one."""
    data = cs.data()
    result = []
    for i, kind in enumerate(kinds):
        if kind in "01":
            result.append(Boolean.constant(kind == "1"))
        else:
            variable = Boolean.alloc(cs, cs.values.bit(data, i))
            result.append(variable.negation() if kind == "n" else variable)
    return result


@pytest.mark.parametrize("values", [0b000, 0b011, 0b101, 0b110, 0b111])
def test_logic_of_every_kind_of_operand(values: int) -> None:
    kinds = list(itertools.product("01xn", repeat=3))

    def circuit(cs: Any) -> None:
        for kind in kinds:
            a, b, c = operands(cs, kind)
            results = (
                Boolean.conjunction(cs, a, b),
                Boolean.exclusive_or(cs, a, b),
                Boolean.choice(cs, a, b, c),
                Boolean.majority(cs, a, b, c),
            )
            pack_bits(cs, results).inputize(cs)

    _, assignment = check_against_reference(circuit, [values] * len(kinds))
    for kind, packed in zip(kinds, fr.to_ints(assignment.inputs[1:]), strict=True):
        drawn = [values >> i & 1 for i in range(3)]
        a, b, c = ({"0": 0, "1": 1, "x": bit, "n": 1 - bit}[letter] for letter, bit in zip(kind, drawn, strict=True))
        expected = [a & b, a ^ b, b if a else c, int(a + b + c >= 2)]
        assert [packed >> i & 1 for i in range(4)] == expected, kind


def test_additions_share_rows() -> None:
    def circuit(cs: Any) -> None:
        with MultiEq(cs) as equalities:
            words = [alloc_uint64(cs, cs.data())[:32] for _ in range(3)]
            total = add_many(cs, equalities, [*words, constant_uint(0xFFFFFFFF)])
            for _ in range(7):
                total = add_many(cs, equalities, [total, words[0]])
        pack_bits(cs, total).inputize(cs)

    values = [0xFFFFFFFF, 0x80000001, 12345]
    compiled, assignment = check_against_reference(circuit, values)
    assert fr.to_ints(assignment.inputs[1:]) == [(sum(values) + 0xFFFFFFFF + 7 * values[0]) % (1 << 32)]
    # 34 bits and seven times 33 are 265: more than one row holds, so that there are two.
    assert compiled.num_constraints == 3 * 64 + 34 + 7 * 33 + 2 + 2


def test_sums_of_constants_take_no_rows() -> None:
    def circuit(cs: Any) -> None:
        with MultiEq(cs) as equalities:
            total = add_many(cs, equalities, [constant_uint(0xFFFFFFFF), constant_uint(2)])
        assert sum(bit.negated << i for i, bit in enumerate(total)) == 1

    assert rows_of(circuit) == 0


@pytest.mark.parametrize("count", [1, 11])
def test_additions_refuse_other_numbers_of_operands(count: int) -> None:
    def circuit(cs: Any) -> None:
        with MultiEq(cs) as equalities:
            add_many(cs, equalities, [constant_uint(1)] * count)

    with pytest.raises(InputError, match=f"expected 2 to 10 operands, got {count}"):
        rows_of(circuit)


@pytest.mark.parametrize("value", [0, 1, fr.MODULUS - 1, 0x1234567890ABCDEF << 180])
def test_bits_of_numbers_and_arithmetic(value: int) -> None:
    def circuit(cs: Any) -> None:
        x, y = numbers(cs, 2)
        bits = x.product(cs, y).to_bits(cs)
        pack_bits(cs, bits[:254]).inputize(cs)
        add(cs, x, y).inputize(cs)
        select(cs, [x, y, x, y], bits[:2]).inputize(cs)

    _, assignment = check_against_reference(circuit, [value, 3])
    product = value * 3 % fr.MODULUS
    chosen = [value, 3][product & 1]
    assert fr.to_ints(assignment.inputs[1:]) == [product % (1 << 254), (value + 3) % fr.MODULUS, chosen]


def test_a_number_has_room_for_254_bits() -> None:
    with pytest.raises(InputError, match="expected at most 254 bits, got 255"):
        rows_of(lambda cs: pack_bits(cs, alloc_bits(cs, cs.data())))
