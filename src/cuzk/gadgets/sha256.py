"""SHA-256 as a circuit.

Source: argumentcomputer/bellpepper, bellpepper/src/gadgets/sha256.rs; rust-fil-proofs, filecoin-hashers/src/sha256.rs
for hashes that are field elements. Constants (the initial state, the padding, parts of the message) fold: each
compression is a template of its own for each pattern of constants.
"""

from collections.abc import Sequence

from cuzk.algebra.arguments import require_each
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.multieq import MultiEq
from cuzk.gadgets.multipack import CAPACITY, pack_bits
from cuzk.gadgets.number import AllocatedNum
from cuzk.gadgets.uint import Bits, add_many, bitwise, constant_uint, rotate_right, shift_right
from cuzk.r1cs import ConstraintSystem, template

__all__ = ["reverse_bytes", "sha256", "sha256_hash_numbers", "sha256_number"]

# FIPS 180-4, §4.2.2 and §5.3.3: the fractional parts of cube and square roots of primes.
_PRIMES = [p for p in range(2, 312) if all(p % q for q in range(2, p))]


def _fraction_of_root(n: int, power: int) -> int:
    """Return the first 32 bits of the fractional part of the power-th root of n."""
    scaled, root = n << (32 * power), 0
    for bit in reversed(range(36)):
        if (root | 1 << bit) ** power <= scaled:
            root |= 1 << bit
    return root % (1 << 32)


_ROUND_CONSTANTS = [_fraction_of_root(prime, 3) for prime in _PRIMES]
_INITIAL_STATE = [_fraction_of_root(prime, 2) for prime in _PRIMES[:8]]

_BLOCK_BITS, _LENGTH_BITS, _WORD = 512, 64, 32


def sha256(cs: ConstraintSystem, message: Bits) -> Bits:
    """Return the digest of whole bytes. Here, bits are in the order of SHA-256: most significant of a byte first."""
    require_each("sha256", message, Boolean)
    if len(message) % 8:
        raise InputError(f"sha256: expected whole bytes, got {len(message)} bits")
    padding = [Boolean.constant(True), *[Boolean.constant(False)] * (-(len(message) + 1 + _LENGTH_BITS) % _BLOCK_BITS)]
    length = constant_uint(len(message), _LENGTH_BITS)[::-1]
    padded = [*message, *padding, *length]
    state: Sequence[Bits] = [constant_uint(word) for word in _INITIAL_STATE]
    for number, begin in enumerate(range(0, len(padded), _BLOCK_BITS)):
        with cs.namespace(f"block {number}"):
            state = _compression(cs, padded[begin : begin + _BLOCK_BITS], state)
    return [bit for word in state for bit in word[::-1]]


def reverse_bytes(bits: Bits) -> Bits:
    """Turn each byte's bits round, from the order of SHA-256 to that of integers or back; pad the last with zeros."""
    padded = [*bits, *[Boolean.constant(False)] * (-len(bits) % 8)]
    return [bit for begin in range(0, len(padded), 8) for bit in padded[begin : begin + 8][::-1]]


def sha256_number(cs: ConstraintSystem, message: Bits) -> AllocatedNum:
    """Return the digest's 254 low bits as a number (Sha256Function::hash_circuit)."""
    with cs.namespace("hash"):
        digest = sha256(cs, message)
    with cs.namespace("pack_le"):
        return pack_bits(cs, reverse_bytes(digest)[:CAPACITY])


def sha256_hash_numbers(cs: ConstraintSystem, numbers: Sequence[AllocatedNum], names: Sequence[str]) -> AllocatedNum:
    """Return the hash of numbers of 32 bytes each, whose bits are allocated in namespaces of these names."""
    require_each("sha256_hash_numbers", numbers, AllocatedNum)
    if len(names) != len(numbers):
        raise InputError(f"sha256_hash_numbers: expected a name for each of {len(numbers)} numbers, got {len(names)}")
    message: list[Boolean] = []
    for number, name in zip(numbers, names, strict=True):
        with cs.namespace(name):
            message += reverse_bytes(number.to_bits(cs))
    return sha256_number(cs, message)


@template
def _compression(cs: ConstraintSystem, block: Bits, state: Sequence[Bits]) -> Sequence[Bits]:
    """Return the state after a block of 512 bits; the additions' equalities are packed over the whole compression."""
    with MultiEq(cs) as equalities:
        schedule = _message_schedule(cs, equalities, block)
        return _rounds(cs, equalities, schedule, state)


def _message_schedule(cs: ConstraintSystem, equalities: MultiEq, block: Bits) -> list[Bits]:
    w: list[Bits] = [block[i : i + _WORD][::-1] for i in range(0, _BLOCK_BITS, _WORD)]
    for i in range(16, 64):
        with cs.namespace(f"w extension {i}"):
            x, y = w[i - 15], w[i - 2]
            s0 = _xor_3(cs, "s0", rotate_right(x, 7), rotate_right(x, 18), shift_right(x, 3))
            s1 = _xor_3(cs, "s1", rotate_right(y, 17), rotate_right(y, 19), shift_right(y, 10))
            with cs.namespace("computation of w[i]"):
                w.append(add_many(cs, equalities, [w[i - 16], s0, w[i - 7], s1]))
    return w


def _rounds(cs: ConstraintSystem, equalities: MultiEq, w: Sequence[Bits], state: Sequence[Bits]) -> list[Bits]:
    """Run the rounds and add the state of before.

    The sums that are the new a and e are written one round later than they arise, the last together with the state.
    """
    a, b, c, d, e, f, g, h = ([word] for word in state)
    for i in range(64):
        with cs.namespace(f"compression round {i}"):
            with cs.namespace("deferred e computation"):
                new_e = _added(cs, equalities, e)
            s1 = _xor_3(cs, "s1", *(rotate_right(new_e, count) for count in (6, 11, 25)))
            with cs.namespace("ch"):
                ch = bitwise(cs, "ch", Boolean.choice, new_e, f[0], g[0])
            first = [h[0], s1, ch, constant_uint(_ROUND_CONSTANTS[i]), w[i]]

            with cs.namespace("deferred a computation"):
                new_a = _added(cs, equalities, a)
            s0 = _xor_3(cs, "s0", *(rotate_right(new_a, count) for count in (2, 13, 22)))
            with cs.namespace("maj"):
                maj = bitwise(cs, "maj", Boolean.majority, new_a, b[0], c[0])

            h, g, f, e = g, f, [new_e], [*first, d[0]]
            d, c, b, a = c, b, [new_a], [*first, s0, maj]
    names = ("deferred h0 computation", "new h1", "new h2", "new h3", "deferred h4 computation", "new h5", "new h6")
    result = []
    for name, before, pending in zip((*names, "new h7"), state, (a, b, c, d, e, f, g, h), strict=True):
        operands = [*pending, before] if len(pending) > 1 else [before, *pending]
        with cs.namespace(name):
            result.append(add_many(cs, equalities, operands))
    return result


def _added(cs: ConstraintSystem, equalities: MultiEq, operands: Sequence[Bits]) -> Bits:
    return operands[0] if len(operands) == 1 else add_many(cs, equalities, operands)


def _xor_3(cs: ConstraintSystem, name: str, x: Bits, y: Bits, z: Bits) -> Bits:
    with cs.namespace(f"first xor for {name}"):
        both = bitwise(cs, "xor of bit", Boolean.exclusive_or, x, y)
    with cs.namespace(f"second xor for {name}"):
        return bitwise(cs, "xor of bit", Boolean.exclusive_or, both, z)
