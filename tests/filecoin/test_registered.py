"""Registered proofs: numbers and names as the network has them."""

import pytest

from cuzk.errors import InputError
from cuzk.filecoin.registered import (
    POST_PROOFS,
    SEAL_PROOFS,
    UPDATE_PROOFS,
    Feature,
    post_proof,
    seal_proof,
    seal_proof_named,
    update_proof,
)
from cuzk.filecoin.versions import ApiVersion


def test_seal_proofs() -> None:
    assert seal_proof(8).name == "StackedDrg32GiBV1_1"
    assert seal_proof(8).version is ApiVersion.V1_1
    assert seal_proof(10).name == "StackedDrg2KiBV1_1_Feat_SyntheticPoRep"
    assert seal_proof(14).feature is Feature.SYNTHETIC
    assert seal_proof(19).name == "StackedDrg64GiBV1_2_Feat_NonInteractivePoRep"
    assert seal_proof(19).version is ApiVersion.V1_2
    assert seal_proof(5).porep_id == bytes([5]) + bytes(31)
    assert seal_proof_named("StackedDrg512MiBV1").number == 2
    assert {proof.circuit_id for proof in SEAL_PROOFS if proof.shape.slug == "32g"} == {"porep-32g"}


def test_post_proofs() -> None:
    assert post_proof("winning", 3).name == "StackedDrgWinning32GiBV1"
    assert post_proof("wpost", 5).name == "StackedDrgWindow2KiBV1"
    assert post_proof("wpost", 8).circuit_id == "wpost-32g"
    assert post_proof("wpost", 13).name == "StackedDrgWindow32GiBV1_2"
    assert post_proof("wpost", 13).version is ApiVersion.V1_2
    assert post_proof("wpost", 9).version is ApiVersion.V1_0
    assert post_proof("wpost", 14).config.sectors == 2300
    assert post_proof("winning", 1002).circuit_id == "winning-32k"


def test_update_proofs() -> None:
    assert update_proof(3).name == "StackedDrg32GiBV1"
    assert update_proof(4).circuit_id == "snap-64g"


def test_numbers_are_unique_and_complete() -> None:
    for proofs, count in ((SEAL_PROOFS, 20), (POST_PROOFS, 15), (UPDATE_PROOFS, 5)):
        assert [proof.number for proof in proofs] == [*range(count), *range(1000, 1000 + count)]
        assert len({proof.name for proof in proofs}) == len(proofs)


def test_numbers_of_other_kinds_are_refused() -> None:
    with pytest.raises(InputError, match=r"a WinningPoSt proof \(0 to 4\), got 5 \(StackedDrgWindow2KiBV1\)"):
        post_proof("winning", 5)
    with pytest.raises(InputError, match=r"a WindowPoSt proof \(5 to 14\), got 0 \(StackedDrgWinning2KiBV1\)"):
        post_proof("wpost", 0)
    with pytest.raises(InputError, match=r"a seal proof \(0 to 19\), got 20"):
        seal_proof(20)
    with pytest.raises(InputError, match=r"an update proof \(0 to 4\), got 5"):
        update_proof(5)
    with pytest.raises(InputError, match="got 'StackedDrg3KiBV1'"):
        seal_proof_named("StackedDrg3KiBV1")
