"""G1 and G2 of BLS12-381 in affine coordinates with Python integers: the textbook formulas, one inversion each.

A coordinate of G1 is an int mod P; one of G2 is a pair (c0, c1) standing for c0 + c1 u, u^2 = -1. Infinity is None.
"""

from __future__ import annotations

P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001


class Fp:
    """An element of Fp."""

    SIZE = 48

    def __init__(self, value: int) -> None:
        self.value = value % P

    def __add__(self, other: Fp) -> Fp:
        return Fp(self.value + other.value)

    def __sub__(self, other: Fp) -> Fp:
        return Fp(self.value - other.value)

    def __mul__(self, other: Fp) -> Fp:
        return Fp(self.value * other.value)

    def __neg__(self) -> Fp:
        return Fp(-self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fp) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def inverse(self) -> Fp:
        return Fp(pow(self.value, -1, P))

    def to_bytes(self) -> bytes:
        return self.value.to_bytes(48, "big")

    @staticmethod
    def from_bytes(data: bytes) -> Fp:
        return Fp(int.from_bytes(data, "big"))

    def is_larger(self) -> bool:
        return self.value > (P - 1) // 2


class Fp2:
    """An element c0 + c1 u of Fp2."""

    SIZE = 96

    def __init__(self, c0: Fp, c1: Fp) -> None:
        self.c0, self.c1 = c0, c1

    def __add__(self, other: Fp2) -> Fp2:
        return Fp2(self.c0 + other.c0, self.c1 + other.c1)

    def __sub__(self, other: Fp2) -> Fp2:
        return Fp2(self.c0 - other.c0, self.c1 - other.c1)

    def __mul__(self, other: Fp2) -> Fp2:
        return Fp2(self.c0 * other.c0 - self.c1 * other.c1, self.c0 * other.c1 + self.c1 * other.c0)

    def __neg__(self) -> Fp2:
        return Fp2(-self.c0, -self.c1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fp2) and (self.c0, self.c1) == (other.c0, other.c1)

    def __hash__(self) -> int:
        return hash((self.c0, self.c1))

    def inverse(self) -> Fp2:
        norm = (self.c0 * self.c0 + self.c1 * self.c1).inverse()
        return Fp2(self.c0 * norm, -self.c1 * norm)

    def to_bytes(self) -> bytes:
        return self.c1.to_bytes() + self.c0.to_bytes()

    @staticmethod
    def from_bytes(data: bytes) -> Fp2:
        return Fp2(Fp.from_bytes(data[48:]), Fp.from_bytes(data[:48]))

    def is_larger(self) -> bool:
        return self.c1.is_larger() if self.c1 != Fp(0) else self.c0.is_larger()


Element = Fp | Fp2
Point = tuple[Element, Element] | None


def add(p: Point, q: Point) -> Point:
    """Chord and tangent."""
    if p is None or q is None:
        return p if q is None else q
    (x1, y1), (x2, y2) = p, q
    if x1 == x2 and y1 == -y2:
        return None
    slope = (x1 * x1 + x1 * x1 + x1 * x1) * (y1 + y1).inverse() if p == q else (y2 - y1) * (x2 - x1).inverse()
    x3 = slope * slope - x1 - x2
    return x3, slope * (x1 - x3) - y1


def neg(p: Point) -> Point:
    return p if p is None else (p[0], -p[1])


def mul(scalar: int, p: Point) -> Point:
    """Double and add, for any integer (not reduced mod R)."""
    if scalar < 0:
        return mul(-scalar, neg(p))
    total: Point = None
    for bit in bin(scalar)[2:]:
        total = add(total, total)
        if bit == "1":
            total = add(total, p)
    return total


def msm(scalars: list[int], points: list[Point]) -> Point:
    total: Point = None
    for scalar, point in zip(scalars, points, strict=True):
        total = add(total, mul(scalar, point))
    return total


def encode(p: Point, size: int) -> bytes:
    """Uncompressed bytes; `size` tells what infinity looks like (96 or 192)."""
    return bytes([0x40]) + bytes(size - 1) if p is None else p[0].to_bytes() + p[1].to_bytes()


def decode(data: bytes) -> Point:
    if data[0] & 0x40:
        return None
    field: type[Fp] | type[Fp2] = Fp if len(data) == 96 else Fp2
    return field.from_bytes(data[: field.SIZE]), field.from_bytes(data[field.SIZE :])


def compress(p: Point, size: int) -> bytes:
    if p is None:
        return bytes([0xC0]) + bytes(size // 2 - 1)
    data = bytearray(p[0].to_bytes())
    data[0] |= 0xA0 if p[1].is_larger() else 0x80
    return bytes(data)


def is_on_curve(p: Point) -> bool:
    if p is None:
        return True
    x, y = p
    b = Fp(4) if isinstance(x, Fp) else Fp2(Fp(4), Fp(4))
    return y * y == x * x * x + b  # type: ignore[operator]


def is_in_subgroup(p: Point) -> bool:
    return mul(R, p) is None
