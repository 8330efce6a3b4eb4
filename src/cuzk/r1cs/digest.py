"""The canonical digest of a constraint system, streamed.

SHA-256 over the rows in order; for each of A, B, C: u32 number of terms, then for each term u8 kind (0 input, 1 aux),
u64 index, Fr[32]; terms merged, without zeros, sorted by (kind, index).
"""

import hashlib
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from cuzk import _native
from cuzk.algebra import fr
from cuzk.algebra.sparse import SparseRows
from cuzk.groth16.circuit import Circuit, RowBlock

__all__ = ["encode_rows", "input_rows", "r1cs_digests"]

_COUNT_SIZE = 4
_TERM_SIZE = 1 + 8 + 32


def r1cs_digests(circuit: Circuit) -> tuple[str, str]:
    """Return the digests of the circuit's own rows and of these with the input rows, in hex."""
    own = hashlib.sha256()
    # One block is hashed while the next is made: either takes about half of the time.
    with ThreadPoolExecutor(max_workers=1) as hasher:
        hashed: Future[None] | None = None
        for block in circuit.row_blocks():
            encoded = encode_rows(circuit, block)
            if hashed is not None:
                hashed.result()  # so that no more than one block waits
            hashed = hasher.submit(own.update, encoded)
    both = own.copy()
    both.update(encode_rows(circuit, input_rows(circuit)))
    return own.hexdigest(), both.hexdigest()


def encode_rows(circuit: Circuit, block: RowBlock, begin: int = 0, end: int | None = None) -> memoryview:
    """Return the canonical bytes of rows `begin` to `end` of a block."""
    end = len(block.a) if end is None else end
    matrices = (block.a, block.b, block.c)
    entries = sum(int(rows.row_ptr[end] - rows.row_ptr[begin]) for rows in matrices)
    out = np.empty(_COUNT_SIZE * len(matrices) * (end - begin) + _TERM_SIZE * entries, dtype=np.uint8)
    a, b, c = ((rows.row_ptr, rows.cols, rows.coeff) for rows in matrices)
    _native.encode_rows(a, b, c, block.a.table, circuit.num_inputs, begin, end, out)
    return out.data


def input_rows(circuit: Circuit) -> RowBlock:
    """Return the rows A = input_i, B = 0, C = 0 that generator and prover append."""
    count, one = circuit.num_inputs, fr.from_ints([1])
    identity = SparseRows(
        np.arange(count + 1, dtype=np.uint64), np.arange(count, dtype=np.uint32), np.zeros(count, dtype=np.uint32), one
    )
    nothing = np.zeros(0, dtype=np.uint32)
    empty = SparseRows(np.zeros(count + 1, dtype=np.uint64), nothing, nothing, one)
    return RowBlock(circuit.num_constraints, identity, empty, empty)
