"""The PoSt codec: the fixtures' bytes, every malformation by its own sentence, hostile bytes."""

import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuzk.algebra.fr import MODULUS
from cuzk.errors import FormatError, InputError
from cuzk.filecoin.post.codec import decode, encode
from tests.filecoin.post import reference_codec
from tests.filecoin.post.fixtures import ALL, WINDOW_2K, WINDOW_32K, WINNING_2K, PostFixture

# Offsets in a 2 KiB payload: sector id 0, comm_r 8, proofs 40, inclusions 48, then Merkle proofs from 56.
MERKLE = 56
KIND, ROOT, LEAF, STEPS, SIBLINGS, HASH = MERKLE, MERKLE + 4, MERKLE + 36, MERKLE + 68, MERKLE + 76, MERKLE + 84
INDEX = HASH + 7 * 32


@pytest.mark.parametrize("case", ALL, ids=str)
def test_decodes_what_a_plain_reader_reads(case: PostFixture) -> None:
    proofs = decode(case.config, case.payloads)
    plain = [reference_codec.read(payload) for payload in case.payloads]
    if case.config.kind == "winning":
        rows = [(plain[0], [inclusion]) for inclusion in plain[0].inclusions]
    else:
        rows = [(proof, proof.inclusions) for proof in plain]
    assert proofs.numbers.tolist() == [proof.sector for proof, _ in rows]
    for name in ("comm_r", "comm_c", "comm_r_last"):
        assert getattr(proofs, name).tobytes() == b"".join(getattr(proof, name) for proof, _ in rows)
    inclusions = [inclusion for _, of_sector in rows for inclusion in of_sector]
    assert proofs.roots.tobytes() == b"".join(inclusion.root for inclusion in inclusions)
    assert proofs.leaves.tobytes() == b"".join(inclusion.leaf for inclusion in inclusions)
    for number, siblings in enumerate(proofs.siblings):
        assert siblings.tobytes() == b"".join(hash_ for proof in inclusions for hash_ in proof.steps[number][0])
    positions = [[position for _, position in inclusion.steps] for inclusion in inclusions]
    assert proofs.positions.reshape(len(inclusions), -1).tolist() == positions


@pytest.mark.parametrize("case", ALL, ids=str)
def test_encodes_to_the_same_bytes(case: PostFixture) -> None:
    assert encode(decode(case.config, case.payloads)) == case.payloads


def patched(offset: int, value: bytes) -> Callable[[bytes], bytes]:
    return lambda payload: payload[:offset] + value + payload[offset + len(value) :]


def u64(value: int) -> bytes:
    return struct.pack("<Q", value)


TOO_LARGE = MODULUS.to_bytes(32, "little")
MALFORMED = [
    (lambda p: b"", r"\[0\]: sector id: the bytes end here: expected 8 at offset 0, got 0"),
    (lambda p: p[:20], r"\[0\] \(sector 1\): comm_r: the bytes end here: expected 32 at offset 8, got 12"),
    (lambda p: p[:-1], r"comm_r_last: the bytes end here: expected 32 at offset \d+, got 31"),
    (lambda p: p + b"\0\0", r"expected \d+ bytes for winning-2k, got \d+: 2 too many at the end"),
    (patched(40, u64(0)), r"number of sector proofs: expected 1, got 0"),
    (patched(40, u64(2)), r"number of sector proofs: expected 1, got 2"),
    (patched(48, u64(65)), r"number of inclusion proofs: expected 66, got 65"),
    (patched(48, u64(1 << 63)), r"number of inclusion proofs: expected 66, got 9223372036854775808"),
    (patched(KIND, b"\1\0\0\0"), r"challenge 0: kind of Merkle proof: expected 0 \(Single\) for 2KiB .* got 1 \(Sub\)"),
    (patched(KIND, b"\3\0\0\0"), r"challenge 0: kind of Merkle proof: expected 0 .* got 3, which does not exist"),
    (patched(STEPS, u64(3)), r"challenge 0: base path: number of steps: expected 2, got 3"),
    (patched(SIBLINGS, u64(1 << 60)), r"base path, step 0: number of siblings: expected 7, got 1152921504606846976"),
    (patched(INDEX, u64(8)), r"challenge 0: base path, step 0: index: expected less than 8, got 8"),
    (patched(INDEX, u64(256)), r"challenge 0: base path, step 0: index: expected less than 8, got 256"),
    (
        patched(8, TOO_LARGE),
        r"^sector 1: comm_r: expected a little-endian field element below r, got 01000000f",
    ),
    (
        patched(ROOT, TOO_LARGE),
        r"^sector 1, challenge 0: root of the path: expected a little-endian field element below r",
    ),
    (
        patched(LEAF, b"\xff" * 32),
        r"^sector 1, challenge 0: leaf: expected a little-endian field element below r, got ffff",
    ),
    (patched(HASH + 32, TOO_LARGE), r"^sector 1, challenge 0: path step 0, sibling 1: expected a little-endian field"),
    (lambda p: p[:-32] + TOO_LARGE, r"comm_r_last: expected a little-endian field element below r"),
    (lambda p: p[:-64] + TOO_LARGE + p[-32:], r"comm_c: expected a little-endian field element below r"),
]


@pytest.mark.parametrize(("change", "sentence"), MALFORMED)
def test_each_malformation_has_its_sentence(change: Callable[[bytes], bytes], sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        decode(WINNING_2K.config, [change(WINNING_2K.payloads[0])])


def test_the_payload_at_fault_is_named() -> None:
    first, second = WINDOW_2K.payloads
    with pytest.raises(FormatError, match=r"vanilla_proofs\[1\] \(sector 2\): number of sector proofs"):
        decode(WINDOW_2K.config, [first, patched(40, u64(9))(second)])
    with pytest.raises(FormatError, match=r"sector 2, challenge 0: path step 0, sibling 0: expected a little-endian"):
        decode(WINDOW_2K.config, [first, patched(HASH, TOO_LARGE)(second)])
    with pytest.raises(FormatError, match="sector 2: comm_r: expected a little-endian"):
        decode(WINDOW_2K.config, [first, patched(8, TOO_LARGE)(second)])


def test_proofs_of_another_size_are_refused() -> None:
    with pytest.raises(FormatError, match=r"expected 0 \(Single\) for 2KiB sectors, got 2 \(Top\)"):
        decode(WINDOW_2K.config, WINDOW_32K.payloads)
    with pytest.raises(FormatError, match="number of inclusion proofs: expected 66, got 10"):
        decode(WINNING_2K.config, WINDOW_2K.payloads[:1])


def test_the_number_of_payloads_is_checked() -> None:
    with pytest.raises(InputError, match="vanilla_proofs: expected one for each sector, got none"):
        decode(WINDOW_2K.config, [])
    with pytest.raises(InputError, match="vanilla_proofs: expected at most 2 for wpost-2k, got 3"):
        decode(WINDOW_2K.config, WINDOW_2K.payloads[:1] * 3)
    with pytest.raises(InputError, match="vanilla_proofs: expected at most 1 for winning-2k, got 2"):
        decode(WINNING_2K.config, WINNING_2K.payloads * 2)


@pytest.mark.parametrize("case", [WINNING_2K, WINDOW_32K], ids=str)
def test_every_truncation_is_refused(case: PostFixture) -> None:
    payload = case.payloads[0]
    for length in range(0, len(payload), 7):
        with pytest.raises(FormatError, match="the bytes end here"):
            decode(case.config, [payload[:length]])


@settings(max_examples=150)
@given(st.binary(max_size=200), st.integers(0, 8000))
def test_hostile_bytes_never_do_anything_but_refuse(splice: bytes, offset: int) -> None:
    """Overwrite, insert and cut: either the bytes decode and encode to themselves, or a FormatError says why not."""
    payload = WINDOW_32K.payloads[0]
    for data in (patched(offset, splice)(payload), payload[:offset] + splice + payload[offset:], splice):
        try:
            proofs = decode(WINDOW_32K.config, [data])
        except FormatError:
            continue
        assert encode(proofs) == [data]


def test_a_full_partition_decodes_at_once() -> None:
    payload = WINDOW_2K.payloads[0]
    config = type(WINDOW_2K.config)("wpost", WINDOW_2K.config.shape, sectors=2349, challenges=10)
    proofs = decode(config, [payload] * 2349)
    assert proofs.sectors == 2349
    assert np.array_equal(proofs.leaves[0], proofs.leaves[2348])
    assert proofs.nbytes < 2349 * len(payload)
