"""The ChaCha block function on many keys at once: the generator behind parent graphs and synthetic challenges.

Source: D. J. Bernstein, ChaCha, a variant of Salsa20 (2008); RFC 8439 for the twenty-round form.
"""

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

_CONSTANTS = np.frombuffer(b"expand 32-byte k", dtype="<u4")
_COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
_DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def blocks(keys: Words, counters: Words, rounds: int) -> Words:
    """Return n blocks of key stream, uint32[n, 16].

    `keys`: uint32[n, 8]. `counters`: uint32[n, 4], the last four words of the state: block counter and nonce (the
    original has 64 bits of each, RFC 8439 has 32 and 96).
    """
    constants = np.broadcast_to(_CONSTANTS.astype(np.uint32), (len(keys), 4))
    start = np.concatenate([constants, keys, counters], axis=1).T
    state = [row.copy() for row in start]
    for _ in range(rounds // 2):
        for quarter in (*_COLUMNS, *_DIAGONALS):
            _quarter_round(state, *quarter)
    return np.ascontiguousarray((np.stack(state) + start).T)


def _quarter_round(state: list[Words], a: int, b: int, c: int, d: int) -> None:
    for target, source, mixed, count in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[target] += state[source]
        state[mixed] ^= state[target]
        state[mixed] = state[mixed] << np.uint32(count) | state[mixed] >> np.uint32(32 - count)
