"""Makes Groth16 parameters from toxic waste, byte for byte as bellperson's generator does (groth16/generator.rs).

With u_i, v_i, w_i the polynomials of variable i in A, B, C (columns interpolated over the 2^k-th roots of unity, row j
at ω^j), evaluated at τ:

    h[i] = τ^i·(τ^n − 1)/δ        l[i] = (β·u_i + α·v_i + w_i)/δ  (aux)        ic[i] = the same over γ  (inputs)
    a[i] = u_i                    b[i] = v_i

u(τ) = Aᵀ·L with L_j the Lagrange polynomials at τ, so rows may come in blocks and no matrix has to exist as a whole.
Points are made and written in blocks too: memory is five scalars a variable, not the file.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import bitmap, fr
from cuzk.algebra.arguments import require
from cuzk.algebra.domain import ntt
from cuzk.algebra.fr import FrArray
from cuzk.algebra.group import G1, G2, Group, Points
from cuzk.algebra.sparse import accumulate_transposed
from cuzk.errors import InputError
from cuzk.groth16.circuit import Circuit, require_circuit
from cuzk.groth16.parameters import Parameters
from cuzk.groth16.points import Check, encode_count
from cuzk.groth16.toxic_waste import ToxicWaste
from cuzk.groth16.unsafe_manifest import DigestingWriter, check_may_write, publishing
from cuzk.groth16.verifying_key import VerifyingKey

Progress = Callable[[int, int], None]

_BLOCK = 1 << 18


def setup(
    circuit: Circuit,
    path: Path | str,
    *,
    toxic_waste: ToxicWaste | None = None,
    sector_size: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Parameters:
    """Write the parameters of a circuit to `path` (`.params`) and its verifying key beside it (`.vk`); return them.

    Without `toxic_waste` it is drawn from the operating system and forgotten. Either way this process held it: the
    files are for development and are marked unsafe in their folder's manifest (with `sector_size`, in bytes, if any).
    `progress` is called with the points written and their total. Raises InputError for a variable that no row
    constrains.
    """
    require_circuit(circuit)
    path = Path(path)
    check_may_write(path)
    waste = ToxicWaste.draw() if toxic_waste is None else toxic_waste
    require("toxic_waste", waste, ToxicWaste)
    names = (path.name, path.with_suffix(".vk").name)
    # Opened before the work, which must not be lost to a name that cannot be written.
    with publishing(path.parent, names, sector_size) as (output, key_output):
        columns = _Columns.at_tau(circuit, waste.tau, threads)
        key = _verifying_key(columns, waste, threads)
        output.write(key.to_bytes())
        _write_vectors(output, columns, waste, threads, progress)
        columns.wipe()
        key_output.write(key.to_bytes())
    return Parameters.open(path, check=Check.STRUCTURE)


@dataclass(frozen=True)
class _Columns:
    """u, v, w of all variables at τ: Fr[inputs + aux] each."""

    circuit: Circuit
    u: FrArray
    v: FrArray
    w: FrArray

    @classmethod
    def at_tau(cls, circuit: Circuit, tau: int, threads: int) -> "_Columns":
        lagrange = _lagrange(circuit.domain, tau, threads)
        u, v, w = (np.zeros((circuit.num_inputs + circuit.num_aux, 4), dtype=np.uint64) for _ in range(3))
        for block in circuit.row_blocks():
            weights = lagrange[block.start : block.start + len(block.a.row_ptr) - 1]
            for rows, column in ((block.a, u), (block.b, v), (block.c, w)):
                accumulate_transposed(rows, weights, column, threads=threads)
        input_rows = lagrange[circuit.num_constraints : circuit.num_constraints + circuit.num_inputs]
        u[: circuit.num_inputs] = fr.add(u[: circuit.num_inputs], input_rows, threads)
        lagrange.fill(0)
        columns = cls(circuit, u, v, w)
        columns._check_density("A", u[circuit.num_inputs :], circuit.density.a_aux)
        columns._check_density("B", v[: circuit.num_inputs], circuit.density.b_inputs)
        columns._check_density("B", v[circuit.num_inputs :], circuit.density.b_aux)
        return columns

    @staticmethod
    def _check_density(matrix: str, values: FrArray, density: NDArray[np.uint64]) -> None:
        """Refuse a density that is not that of the rows: a variable vanishes at τ exactly if it is not in it."""
        if not np.array_equal(values.any(axis=1), bitmap.unpack(density, len(values))):
            raise InputError(f"the densities of this circuit do not agree with its rows in {matrix} (or τ is no good)")

    def combined(self, variables: slice, waste: ToxicWaste, divisor: int, threads: int) -> FrArray:
        """Return (β·u + α·v + w) / divisor for a run of variables."""
        inverse = pow(divisor, -1, fr.MODULUS)
        terms = (
            _scaled(self.u[variables], waste.beta * inverse, threads),
            _scaled(self.v[variables], waste.alpha * inverse, threads),
            _scaled(self.w[variables], inverse, threads),
        )
        return fr.add(fr.add(terms[0], terms[1], threads), terms[2], threads)

    def wipe(self) -> None:
        """Overwrite what would tell τ."""
        for column in (self.u, self.v, self.w):
            column.fill(0)


def _write_vectors(
    output: DigestingWriter, columns: _Columns, waste: ToxicWaste, threads: int, progress: Progress | None
) -> None:
    circuit, density = columns.circuit, columns.circuit.density
    in_a = np.concatenate([np.ones(circuit.num_inputs, np.bool_), bitmap.unpack(density.a_aux, circuit.num_aux)])
    in_b = np.concatenate(
        [bitmap.unpack(density.b_inputs, circuit.num_inputs), bitmap.unpack(density.b_aux, circuit.num_aux)]
    )
    count_a, count_b = int(in_a.sum()), int(in_b.sum())
    vectors: list[tuple[Group, Points, int, Iterator[FrArray]]] = [
        (G1, waste.g1, circuit.domain - 1, _h_scalars(circuit.domain, waste, threads)),
        (G1, waste.g1, circuit.num_aux, _l_scalars(columns, waste, threads)),
        (G1, waste.g1, count_a, _selected(columns.u, in_a)),
        (G1, waste.g1, count_b, _selected(columns.v, in_b)),
        (G2, waste.g2, count_b, _selected(columns.v, in_b)),
    ]
    done, total = 0, sum(count for _, _, count, _ in vectors)
    for group, base, count, blocks in vectors:
        output.write(encode_count(count))
        for scalars in blocks:
            output.write(group.fixed_base(base, scalars, threads).reshape(-1).data)
            done += len(scalars)
            if progress is not None:
                progress(done, total)


def _h_scalars(domain: int, waste: ToxicWaste, threads: int) -> Iterator[FrArray]:
    """Yield τ^i·(τ^n − 1)/δ for i < n − 1."""
    vanishing = pow(waste.tau, domain, fr.MODULUS) - 1
    factor = vanishing * pow(waste.delta, -1, fr.MODULUS)
    count = domain - 1
    first = _powers(waste.tau, min(_BLOCK, domain), threads)
    for start in range(0, count, _BLOCK):
        block = first[: min(_BLOCK, count - start)]
        yield _scaled(block, factor * pow(waste.tau, start, fr.MODULUS), threads)


def _l_scalars(columns: _Columns, waste: ToxicWaste, threads: int) -> Iterator[FrArray]:
    first, end = columns.circuit.num_inputs, len(columns.u)
    for start in range(first, end, _BLOCK):
        scalars = columns.combined(slice(start, min(start + _BLOCK, end)), waste, waste.delta, threads)
        constrained = scalars.any(axis=1)
        if not constrained.all():
            raise InputError(f"aux {start - first + int(constrained.argmin())} is in no row of the circuit")
        yield scalars


def _selected(values: FrArray, chosen: NDArray[np.bool_]) -> Iterator[FrArray]:
    """Yield the chosen rows in blocks."""
    places = np.flatnonzero(chosen)
    for start in range(0, len(places), _BLOCK):
        yield values[places[start : start + _BLOCK]]


def _verifying_key(columns: _Columns, waste: ToxicWaste, threads: int) -> VerifyingKey:
    ic = columns.combined(slice(0, columns.circuit.num_inputs), waste, waste.gamma, threads)
    if not ic.any(axis=1).all():
        raise InputError(f"input {int(ic.any(axis=1).argmin())} vanishes at τ: draw another")
    in_g1 = G1.fixed_base(waste.g1, fr.from_ints([waste.alpha, waste.beta, waste.delta]))
    in_g2 = G2.fixed_base(waste.g2, fr.from_ints([waste.beta, waste.gamma, waste.delta]))
    return VerifyingKey(
        alpha_g1=in_g1[0],
        beta_g1=in_g1[1],
        beta_g2=in_g2[0],
        gamma_g2=in_g2[1],
        delta_g1=in_g1[2],
        delta_g2=in_g2[2],
        ic=G1.fixed_base(waste.g1, ic, threads),
    )


def _lagrange(domain: int, tau: int, threads: int) -> FrArray:
    """Return the Lagrange polynomials of the domain at τ, Fr[n]: L_j(τ) = (1/n)·Σ_i τ^i·ω^(−ij).

    That is the inverse transform of the powers of τ.
    """
    if pow(tau, domain, fr.MODULUS) == 1:
        raise InputError("toxic waste: τ is a root of unity of the circuit's domain")
    values = _powers(tau, domain, threads)
    ntt(values, inverse=True, threads=threads)
    return values


def _powers(base: int, count: int, threads: int) -> FrArray:
    """Return base^0 … base^(count − 1), by doubling the part that is there."""
    powers = np.zeros((count, 4), dtype=np.uint64)
    powers[0, 0] = 1
    known = 1
    while known < count:
        more = min(known, count - known)
        powers[known : known + more] = _scaled(powers[:more], pow(base, known, fr.MODULUS), threads)
        known += more
    return powers


def _scaled(values: FrArray, factor: int, threads: int) -> FrArray:
    constant = fr.from_ints([factor % fr.MODULUS])
    return fr.mul(values, np.ascontiguousarray(np.broadcast_to(constant, values.shape)), threads)
