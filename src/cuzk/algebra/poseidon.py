"""Poseidon over Fr as Filecoin uses it: neptune's constants, derived here, and the hash in native code.

Sources: the Poseidon paper (https://eprint.iacr.org/2019/458) and argumentcomputer/neptune: `src/round_numbers.rs`,
`round_constants.rs` (Grain LFSR), `mds.rs` (Cauchy matrix, sparse factors), `preprocessing.rs` (compressed constants).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cuzk import _native
from cuzk.algebra import fr
from cuzk.algebra.arguments import require
from cuzk.algebra.arrays import check_threads
from cuzk.algebra.fr import MODULUS
from cuzk.errors import InputError

__all__ = ["Constants", "SparseMatrix", "constants", "custom_domain_tag", "hash", "merkle_domain_tag"]

Matrix: TypeAlias = tuple[tuple[int, ...], ...]

MAX_ARITY = 36  # what neptune has constants for


@dataclass(frozen=True)
class SparseMatrix:
    """A matrix that is the identity but for its first column (`w_hat`) and the rest of its first row (`v_rest`)."""

    w_hat: tuple[int, ...]
    v_rest: tuple[int, ...]


@dataclass(frozen=True)
class Constants:
    """The constants of one arity. States are row vectors of `arity + 1` elements, multiplied by matrices on the right.

    `round_constants` are those of the paper; `compressed` are neptune's, in the order of use: added before the first
    S-boxes (`width`), then after the S-boxes of each full round but the last (`width`) or partial round (1).
    """

    arity: int
    full_rounds: int
    partial_rounds: int
    round_constants: tuple[int, ...]
    compressed: tuple[int, ...]
    mds: Matrix
    pre_sparse: Matrix  # used by the last full round before the partial ones
    sparse: tuple[SparseMatrix, ...]  # one for each partial round, in the order of use

    @property
    def width(self) -> int:
        """Number of elements of the state."""
        return self.arity + 1


def merkle_domain_tag(arity: int) -> int:
    """Return the first element of the state when a full node of a Merkle tree is hashed (HashType::MerkleTree)."""
    return (1 << arity) - 1


def custom_domain_tag(identifier: int) -> int:
    """Return the first element of the state for neptune's HashType::Custom(CType::Arbitrary(identifier))."""
    if not 1 <= identifier <= 256:
        raise InputError(f"a custom Poseidon domain is in 1..256, not {identifier}")
    return identifier << 40


def hash(  # noqa: A001
    preimages: NDArray[np.uint64], threads: int = 1, domain: int | None = None
) -> NDArray[np.uint64]:
    """Hash n preimages, Fr[n, arity], to Fr[n].

    `domain` is the domain tag, by default that of a Merkle tree of this arity. Raises InputError if an element is not
    below the modulus or the arity is not in 1..36.
    """
    check_threads(threads)
    require("preimages", preimages, np.ndarray, "fr.from_ints(ints).reshape(n, arity, 4) makes them")
    if preimages.ndim != 3 or preimages.shape[2] != 4 or preimages.dtype != np.uint64:
        raise InputError(f"preimages are uint64[n, arity, 4], not {preimages.dtype}{list(preimages.shape)}")
    arity = preimages.shape[1]
    tag = merkle_domain_tag(arity) if domain is None else domain
    digests = np.empty((len(preimages), 4), dtype=np.uint64)
    _kernel(arity).hash(fr.from_ints([tag]), np.ascontiguousarray(preimages), digests, threads)
    return digests


@cache
def _kernel(arity: int) -> _native.Poseidon:
    c = constants(arity)

    def flat(rows: Sequence[Sequence[int]]) -> NDArray[np.uint64]:
        return fr.from_ints([entry for row in rows for entry in row])

    sparse = [[*matrix.w_hat, *matrix.v_rest] for matrix in c.sparse]
    return _native.Poseidon(
        width=c.width,
        full_rounds=c.full_rounds,
        partial_rounds=c.partial_rounds,
        round_constants=fr.from_ints(c.compressed),
        mds=flat(c.mds),
        pre_sparse=flat(c.pre_sparse),
        sparse=flat(sparse),
    )


@cache
def constants(arity: int) -> Constants:
    """Derive the constants for preimages of `arity` elements (1 to 36), at neptune's Strength::Standard."""
    if not 1 <= arity <= MAX_ARITY:
        raise InputError(f"the arity of Poseidon is in 1..{MAX_ARITY}, not {arity}")
    width = arity + 1
    full_rounds, partial_rounds = _round_numbers(width)
    round_constants = _grain_constants(width, full_rounds, partial_rounds)
    mds = [[pow(i + width + j, -1, MODULUS) for j in range(width)] for i in range(width)]  # Cauchy: 1 / (x_i + y_j)
    pre_sparse, sparse = _factor_to_sparse(mds, partial_rounds)
    return Constants(
        arity=arity,
        full_rounds=full_rounds,
        partial_rounds=partial_rounds,
        round_constants=tuple(round_constants),
        compressed=tuple(_compress(round_constants, mds, full_rounds, partial_rounds)),
        mds=_frozen(mds),
        pre_sparse=_frozen(pre_sparse),
        sparse=tuple(sparse),
    )


def _round_numbers(width: int) -> tuple[int, int]:
    """Return the full and partial rounds with the fewest S-boxes that resist the paper's attacks, plus a margin.

    Statistical, interpolation and two Groebner-basis attacks for 128 bits of security over a 256-bit field bound the
    rounds; the margin is two full rounds and 7.5 % more partial ones (round_numbers.rs).
    """
    field_bits, security = 256, 128
    candidates = []
    for full in range(6, 100, 2):
        partial = max(
            4,
            math.ceil(0.43 * security + math.log2(width) - full),
            math.ceil(0.21 * field_bits - full),
            math.ceil(0.14 * field_bits - 1 - full * (width - 1)),
        )
        padded = (full + 2, math.ceil(1.075 * partial))
        candidates.append((width * padded[0] + padded[1], *padded))
    _, full_rounds, partial_rounds = min(candidates)
    return full_rounds, partial_rounds


def _grain_constants(width: int, full_rounds: int, partial_rounds: int) -> list[int]:
    """Draw (full + partial) * width field elements from the self-shrinking Grain LFSR of the paper (appendix E).

    The register starts from the field kind (prime, 1), the S-box (1), the field size, the width, the rounds and thirty
    ones; its first 160 bits are dropped; of each later pair of bits the second counts if the first is 1; 255 of those
    make an integer, most significant first, that counts if it is below the modulus.
    """
    field_size = 255
    seed = f"{1:02b}{1:04b}{field_size:012b}{width:012b}{full_rounds:010b}{partial_rounds:010b}" + 30 * "1"
    needed = (full_rounds + partial_rounds) * width
    length = 240 + needed * field_size * 5  # about 4.4 bits a bit; lengthened below should that be too few
    while True:
        bits = _lfsr([int(bit) for bit in seed], length)[240:]
        first, second = bits[0::2], bits[1::2]
        kept = second[: len(first)][first[: len(second)] == 1]
        rows = kept[: len(kept) // field_size * field_size].reshape(-1, field_size)
        padded = np.pad(rows, ((0, 0), (1, 0)))  # 256 bits: whole bytes
        drawn = [int.from_bytes(row.tobytes(), "big") for row in np.packbits(padded, axis=1)]
        accepted = [value for value in drawn if value < MODULUS]
        if len(accepted) >= needed:
            return accepted[:needed]
        length *= 2


def _lfsr(seed: Sequence[int], length: int) -> NDArray[np.uint8]:
    """Return the first bits of b[i + 80] = b[i + 62] ^ b[i + 51] ^ b[i + 38] ^ b[i + 23] ^ b[i + 13] ^ b[i].

    Squaring the recurrence's polynomial over GF(2) doubles every offset, so once 80 * 2^k bits are known, 18 * 2^k new
    ones come from one vector operation.
    """
    bits = np.zeros(length, dtype=np.uint8)
    bits[:80] = seed
    known, stride = 80, 1
    while known < length:
        while 160 * stride <= known:
            stride *= 2
        start = known - 80 * stride
        count = min(18 * stride, length - known)
        for tap in (62, 51, 38, 23, 13, 0):
            bits[known : known + count] ^= bits[start + tap * stride : start + tap * stride + count]
        known += count
    return bits


def _factor_to_sparse(mds: list[list[int]], partial_rounds: int) -> tuple[list[list[int]], list[SparseMatrix]]:
    """Write the matrices of the partial rounds as one dense matrix before them and a sparse one in each.

    From the last round back: M = M' M'' with M' = diag(1, m) and M'' sparse, m being M without its first row and
    column; M' commutes with the S-box of the first element, so it joins the round before (mds.rs).
    """
    width = len(mds)
    current, sparse = mds, []
    for _ in range(partial_rounds):
        minor = [row[1:] for row in current[1:]]
        w_hat = _solve(minor, [row[0] for row in current[1:]])
        sparse.append(SparseMatrix(w_hat=(current[0][0], *w_hat), v_rest=tuple(current[0][1:])))
        columns = list(zip(*minor, strict=True))
        current = [[row[0], *(_dot(row[1:], columns[j]) for j in range(width - 1))] for row in mds]
    return current, sparse[::-1]


def _compress(round_constants: list[int], mds: list[list[int]], full_rounds: int, partial_rounds: int) -> list[int]:
    """Push round constants back through the matrices, to be added right after S-boxes (preprocessing.rs).

    A full round's constants k become M^-1 k after the S-boxes of the round before. In the partial rounds only the
    first element passes an S-box, so all others move further back, to the last full round before them.
    """
    width, half = len(mds), full_rounds // 2
    inverse = _inverse(mds)

    def key(round_index: int) -> list[int]:
        return round_constants[round_index * width : (round_index + 1) * width]

    def pushed_back(vector: Sequence[int]) -> list[int]:
        return [_dot(row, vector) for row in inverse]

    accumulated = key(half + partial_rounds)
    partial_keys = []
    for round_index in reversed(range(half, half + partial_rounds)):
        first, *others = pushed_back(accumulated)
        partial_keys.append(first)
        accumulated = [(a + b) % MODULUS for a, b in zip(key(round_index), [0, *others], strict=True)]

    compressed = key(0)
    for round_index in range(1, half):
        compressed += pushed_back(key(round_index))
    compressed += pushed_back(accumulated)
    compressed += partial_keys[::-1]
    for round_index in range(half + partial_rounds + 1, full_rounds + partial_rounds):
        compressed += pushed_back(key(round_index))
    return compressed


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True)) % MODULUS


def _solve(matrix: Sequence[Sequence[int]], right: Sequence[int]) -> list[int]:
    """Return x with matrix * x = right, the matrix being invertible."""
    return [row[0] for row in _eliminate(matrix, [[value] for value in right])]


def _inverse(matrix: Sequence[Sequence[int]]) -> list[list[int]]:
    identity = [[int(i == j) for j in range(len(matrix))] for i in range(len(matrix))]
    return _eliminate(matrix, identity)


def _eliminate(matrix: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return matrix^-1 * right by Gauss-Jordan elimination; the matrix is invertible."""
    size, modulus = len(matrix), MODULUS
    rows = [[*left, *beside] for left, beside in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = next(i for i in range(column, size) if rows[i][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = pow(rows[column][column], -1, modulus)
        pivot_row = rows[column] = [value * scale % modulus for value in rows[column]]
        for i in range(size):
            factor = rows[i][column]
            if i != column and factor:
                rows[i] = [(a - factor * b) % modulus for a, b in zip(rows[i], pivot_row, strict=True)]
    return [row[size:] for row in rows]


def _frozen(matrix: list[list[int]]) -> Matrix:
    return tuple(tuple(row) for row in matrix)
