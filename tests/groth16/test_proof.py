"""The proof codec: 192 canonical bytes, or a sentence."""

import numpy as np
import pytest

from cuzk.algebra.group import G1, G2
from cuzk.errors import FormatError
from cuzk.groth16 import Proof, join_proofs, split_proofs
from tests.groth16.fixtures import NAMES, fixture

PROOF = bytes(fixture("quirk").bytes("proof-1.bin"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_points_equal_bellpersons(name: str, number: int) -> None:
    proof = Proof.parse(fixture(name).bytes(f"proof-{number}.bin"))
    meta = fixture(name).meta["proofs"][number]
    assert [point.tobytes().hex() for point in (proof.a, proof.b, proof.c)] == [
        meta[f"{point}_uncompressed"] for point in "abc"
    ]
    assert proof.to_bytes().hex() == meta["proof_hex"]


@pytest.mark.parametrize("size", [0, 1, 191, 193, 384])
def test_another_length_is_refused(size: int) -> None:
    with pytest.raises(FormatError, match=f"a proof has 192 bytes, this has {size}"):
        Proof.parse((PROOF * 2)[:size])


def compressed_infinity(group: type) -> bytes:
    return b"\xc0" + bytes(group.compressed_size - 1)


@pytest.mark.parametrize(("start", "group", "name"), [(0, G1, "A"), (48, G2, "B"), (144, G1, "C")])
def test_infinity_and_non_canonical_points_are_refused(start: int, group: type, name: str) -> None:
    size = group.compressed_size
    flags_off = bytes([PROOF[start] & 0x1F]) + PROOF[start + 1 : start + size]
    above_p = b"\x9f" + b"\xff" * (size - 1)
    for bad in (compressed_infinity(group), flags_off, above_p, b"\xc0" + b"\x01" * (size - 1)):
        with pytest.raises(FormatError, match=f"the proof's {name}"):
            Proof.parse(PROOF[:start] + bad + PROOF[start + size :])


def test_points_outside_the_subgroup_are_refused() -> None:
    on_curve = 0
    for x in range(1, 40):
        data = bytes([0x80]) + x.to_bytes(47, "big")
        try:
            G1.decompress(np.frombuffer(data, dtype=np.uint8)[np.newaxis], subgroup=False)
        except ValueError:
            continue
        on_curve += 1
        with pytest.raises(FormatError, match=r"the proof's A: .*subgroup"):
            Proof.parse(data + PROOF[48:])
    assert on_curve > 5


def test_a_jobs_proofs_are_joined_and_split() -> None:
    parts = [fixture("quirk").bytes(f"proof-{number}.bin") for number in range(3)]
    joined = join_proofs([Proof.parse(part) for part in parts])
    assert joined == b"".join(parts)
    assert split_proofs(joined) == parts
    for bad in (b"", joined[:-1]):
        with pytest.raises(FormatError, match="a multiple of 192 bytes"):
            split_proofs(bad)
