"""The bincode of updates: Filecoin's own proofs read and written back, and what is refused."""

import base64
import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuzk.errors import FormatError, InputError
from cuzk.filecoin.update.codec import decode, encode
from tests.conftest import data_path
from tests.filecoin.update.fixtures import ALL, S1, SHAPES_S1, UpdateFixture

TOO_LARGE = (0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001).to_bytes(32, "little")


@pytest.mark.parametrize("case", ALL, ids=str)
def test_what_filecoin_wrote_is_written_back(case: UpdateFixture) -> None:
    vanilla = decode(case.config, case.payloads)
    assert encode(vanilla) == case.payloads
    assert vanilla.nbytes < sum(map(len, case.payloads))


def test_what_a_client_keeps_as_json() -> None:
    entries = json.loads(data_path("update/s1/vanilla-proofs.json").read_text())
    assert [base64.b64decode(entry) for entry in entries] == S1.payloads


def test_shapes_of_the_arrays() -> None:
    vanilla = decode(SHAPES_S1.config, SHAPES_S1.payloads)
    assert vanilla.comm_c.shape == (2, 4)
    assert vanilla.apex_leaves.shape == (2, 128, 4)
    assert [step.shape for step in vanilla.old.siblings] == [(2, 10, 7, 4)] * 3 + [(2, 10, 1, 4)]
    assert [step.shape for step in vanilla.data.siblings] == [(2, 10, 1, 4)] * 10
    assert vanilla.new.leaves.shape == (2, 10, 4)


def u64(value: int) -> bytes:
    return value.to_bytes(8, "little")


def patched(offset: int, value: bytes) -> Callable[[bytes], bytes]:
    return lambda payload: payload[:offset] + value + payload[offset + len(value) :]


# Offsets in a 2 KiB payload: comm_c, count, 8 apex leaves, count, then challenges of three Merkle proofs.
CHALLENGES = 32 + 8 + 8 * 32
R_OLD = CHALLENGES + 8
PATH_R = R_OLD + 4 + 64
R_SIZE = 4 + 64 + 8 + 2 * (8 + 7 * 32 + 8)
D_NEW = R_OLD + R_SIZE
PATH_D = D_NEW + 4 + 64
D_SIZE = 4 + 64 + 8 + 6 * (8 + 32 + 8)
HERE = r"^vanilla_proofs\[0\]: "

MALFORMED: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda p: b"", HERE + r"comm_c: the bytes end here: expected 32 at offset 0, got 0"),
    (lambda p: p[:-1], HERE + r"challenge 9: proof_r_new: base path, step 1: index: the bytes end here"),
    (lambda p: p + b"\0", HERE + r"expected 15064 bytes for snap-2k, got 15065: 1 too many at the end"),
    (patched(32, u64(7)), HERE + r"number of apex leaves: expected 8, got 7"),
    (patched(CHALLENGES, u64(1 << 63)), HERE + r"number of challenges: expected 10, got 9223372036854775808"),
    (patched(R_OLD, b"\1\0\0\0"), HERE + r"challenge 0: proof_r_old: kind of Merkle proof: expected 0 \(Single\)"),
    (patched(PATH_R, u64(3)), HERE + r"challenge 0: proof_r_old: base path: number of steps: expected 2, got 3"),
    (patched(PATH_R + 16 + 224, u64(8)), HERE + r"challenge 0: proof_r_old: base path, step 0: index: .* 8, got 8"),
    (patched(D_NEW, b"\2\0\0\0"), HERE + r"challenge 0: proof_d_new: kind .* for tree D of 2KiB, got 2 \(Top\)"),
    (patched(PATH_D, u64(5)), HERE + r"challenge 0: proof_d_new: base path: number of steps: expected 6, got 5"),
    (
        patched(PATH_D + 8, u64(7)),
        HERE + r"challenge 0: proof_d_new: base path, step 0: number of siblings: expected 1",
    ),
    (patched(PATH_D + 48, u64(2)), HERE + r"challenge 0: proof_d_new: base path, step 0: index: expected less than 2"),
    (patched(0, TOO_LARGE), r"^partition 0: comm_c: expected a little-endian field element below r, got 01000000f"),
    (patched(40 + 32, TOO_LARGE), r"^partition 0: apex leaf 1: expected a little-endian field element"),
    (patched(R_OLD + 4, TOO_LARGE), r"^partition 0, challenge 0: proof_r_old: root of the path: expected a little"),
    (patched(D_NEW + 36, TOO_LARGE), r"^partition 0, challenge 0: proof_d_new: leaf: expected a little-endian"),
    (
        patched(D_NEW + D_SIZE + 4 + 64 + 16, TOO_LARGE),
        r"^partition 0, challenge 0: proof_r_new: path step 0, sibling 0: expected a little-endian field element",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), MALFORMED)
def test_each_malformation_has_its_sentence(change: Callable[[bytes], bytes], sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        decode(S1.config, [change(S1.payloads[0])])


def test_the_partition_at_fault_is_named() -> None:
    first, second = SHAPES_S1.payloads
    with pytest.raises(FormatError, match=r"^vanilla_proofs\[1\]: number of apex leaves: expected 128, got 0"):
        decode(SHAPES_S1.config, [first, patched(32, u64(0))(second)])
    with pytest.raises(FormatError, match=r"^partition 1: apex leaf 127: expected"):
        decode(SHAPES_S1.config, [first, patched(40 + 127 * 32, TOO_LARGE)(second)])


def test_the_number_of_payloads_is_checked() -> None:
    for payloads, count in (([], 0), (S1.payloads * 2, 2)):
        with pytest.raises(
            InputError, match=f"vanilla_proofs: expected 1, one for each partition of snap-2k, got {count}"
        ):
            decode(S1.config, payloads)


def test_proofs_of_another_size_are_refused() -> None:
    with pytest.raises(FormatError, match="number of apex leaves: expected 8, got 128"):
        decode(S1.config, SHAPES_S1.payloads[:1])


@pytest.mark.parametrize("case", ALL, ids=str)
def test_every_truncation_is_refused(case: UpdateFixture) -> None:
    first, *others = case.payloads
    for length in range(0, len(first), 61):
        with pytest.raises(FormatError, match="the bytes end here"):
            decode(case.config, [first[:length], *others])


@settings(max_examples=100)
@given(st.binary(max_size=200), st.integers(0, 16000))
def test_hostile_bytes_never_do_anything_but_refuse(splice: bytes, offset: int) -> None:
    """Overwrite, insert and cut: either the bytes decode and encode to themselves, or a FormatError says why not."""
    payload = S1.payloads[0]
    for data in (patched(offset, splice)(payload), payload[:offset] + splice + payload[offset:], splice):
        try:
            vanilla = decode(S1.config, [data])
        except FormatError:
            continue
        assert encode(vanilla) == [data]
