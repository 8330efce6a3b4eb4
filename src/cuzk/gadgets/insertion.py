"""Insert a number into a list at a position given by bits.

Source: rust-fil-proofs, storage-proofs-core/src/gadgets/insertion.rs. Sizes 2, 4 and 8, which are all that Filecoin's
trees have, are written out there by hand to need fewer rows: 2, 8 and 22.
"""

from collections.abc import Sequence

from cuzk.algebra.arguments import require, require_each
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.number import AllocatedNum, pick
from cuzk.r1cs import ConstraintSystem

__all__ = ["insert"]


def insert(
    cs: ConstraintSystem, element: AllocatedNum, bits: Sequence[Boolean], others: Sequence[AllocatedNum]
) -> list[AllocatedNum]:
    """Return `others` with `element` before number n of them, n being the bits' value, least significant first."""
    require("insert: element", element, AllocatedNum)
    require_each("insert: bits", bits, Boolean)
    require_each("insert: others", others, AllocatedNum)
    match len(bits), len(others):
        case 1, 1:
            return _insert_2(cs, element, bits[0], others[0])
        case 2, 3:
            return _insert_4(cs, element, bits, others)
        case 3, 7:
            return _insert_8(cs, element, bits, others)
        case positions, numbers:
            raise InputError(f"insertion: expected 1, 2 or 3 bits and 2^bits - 1 numbers, got {positions}, {numbers}")


def _pick(cs: ConstraintSystem, name: str, condition: Boolean, a: AllocatedNum, b: AllocatedNum) -> AllocatedNum:
    with cs.namespace(name):
        return pick(cs, condition, a, b)


def _insert_2(cs: ConstraintSystem, a: AllocatedNum, bit: Boolean, b: AllocatedNum) -> list[AllocatedNum]:
    return [_pick(cs, "binary insert 0", bit, b, a), _pick(cs, "binary insert 1", bit, a, b)]


def _insert_4(
    cs: ConstraintSystem, a: AllocatedNum, bits: Sequence[Boolean], others: Sequence[AllocatedNum]
) -> list[AllocatedNum]:
    """Each row is one choice; pN_x0 is position N while b0 is open and b1 is 0.

    n: 0   1   2   3
       a   b   b   b    p0
       b   a   c   c    p1
       c   c   a   d    p2
       d   d   d   a    p3
    """
    b0, b1 = bits
    b, c, d = others
    p0_x0 = _pick(cs, "p0_x0", b0, b, a)
    p0 = _pick(cs, "p0", b1, b, p0_x0)
    p1_x0 = _pick(cs, "p1_x0", b0, a, b)
    p1 = _pick(cs, "p1", b1, c, p1_x0)
    p2_x1 = _pick(cs, "p2_x1", b0, d, a)
    p2 = _pick(cs, "p2", b1, p2_x1, c)
    p3_x1 = _pick(cs, "p3_x1", b0, a, d)
    p3 = _pick(cs, "p3", b1, p3_x1, d)
    return [p0, p1, p2, p3]


def _insert_8(
    cs: ConstraintSystem, a: AllocatedNum, bits: Sequence[Boolean], others: Sequence[AllocatedNum]
) -> list[AllocatedNum]:
    """Each row is one choice; pN_xy1 is position N while b0 = x and b1 = y are open and b2 is 1."""
    b0, b1, b2 = bits
    b, c, d, e, f, g, h = others
    with cs.namespace("b0 nor b1"):
        b0_nor_b1 = Boolean.conjunction(cs, b0.negation(), b1.negation())
    with cs.namespace("b0 and b1"):
        b0_and_b1 = Boolean.conjunction(cs, b0, b1)

    p0_xx0 = _pick(cs, "p0_xx0", b0_nor_b1, a, b)
    p0 = _pick(cs, "p0", b2, b, p0_xx0)

    p1_x00 = _pick(cs, "p1_x00", b0, a, b)
    p1_xx0 = _pick(cs, "p1_xx0", b1, c, p1_x00)
    p1 = _pick(cs, "p1", b2, c, p1_xx0)

    p2_x10 = _pick(cs, "p2_x10", b0, d, a)
    p2_xx0 = _pick(cs, "p2_xx0", b1, p2_x10, c)
    p2 = _pick(cs, "p2", b2, d, p2_xx0)

    p3_xx0 = _pick(cs, "p3_xx0", b0_and_b1, a, d)
    p3 = _pick(cs, "p3", b2, e, p3_xx0)

    p4_xx1 = _pick(cs, "p4_xx1", b0_nor_b1, a, f)
    p4 = _pick(cs, "p4", b2, p4_xx1, e)

    p5_x01 = _pick(cs, "p5_x01", b0, a, f)
    p5_xx1 = _pick(cs, "p5_xx1", b1, g, p5_x01)
    p5 = _pick(cs, "p5", b2, p5_xx1, f)

    p6_x11 = _pick(cs, "p6_x11", b0, h, a)
    p6_xx1 = _pick(cs, "p6_xx1", b1, p6_x11, g)
    p6 = _pick(cs, "p6", b2, p6_xx1, g)

    p7_xx1 = _pick(cs, "p7_xx1", b0_and_b1, a, h)
    p7 = _pick(cs, "p7", b2, p7_xx1, h)
    return [p0, p1, p2, p3, p4, p5, p6, p7]
