"""Damaged copies of good inputs, as a hypothesis strategy."""

import struct

from hypothesis import strategies as st

_INTERESTING = (0, 1, 2, 7, 8, 31, 32, 33, 127, 128, 255, 256, 65535, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
_LARGE = (1 << 32, 1 << 33, 1 << 40, (1 << 59) + 1, 1 << 60, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


@st.composite
def mutated(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """Return one of the seeds after up to six edits: bits, counts, pieces cut, doubled, moved or made up."""
    data = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 6))):
        # Headers and counts are near the front more often than not.
        reach = draw(st.sampled_from([64, 4096, 1 << 30]))
        at = draw(st.integers(0, max(0, min(len(data), reach) - 1)))
        match draw(st.integers(0, 7)):
            case 0 if data:
                data[at] ^= 1 << draw(st.integers(0, 7))
            case 1:
                form = draw(st.sampled_from(["<I", ">I", "<H", "<B"]))
                data[at : at + struct.calcsize(form)] = _pack(form, draw(st.sampled_from(_INTERESTING)))
            case 2:
                data[at : at + 8] = struct.pack("<Q", draw(st.sampled_from(_INTERESTING + _LARGE)))
            case 3:
                del data[at : at + draw(st.integers(1, 300))]
            case 4:
                del data[at:]
            case 5:
                piece = data[at : at + draw(st.integers(1, 300))]
                to = draw(st.integers(0, len(data)))
                data[to:to] = piece
            case 6:
                data[at : at + draw(st.integers(0, 64))] = draw(st.binary(max_size=64))
            case _:
                data += draw(st.binary(min_size=1, max_size=64))
    return bytes(data)


def _pack(form: str, value: int) -> bytes:
    return struct.pack(form, value & ((1 << (8 * struct.calcsize(form))) - 1))
