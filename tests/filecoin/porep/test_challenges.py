"""Challenges and replica ids against Filecoin's, and against a plain reading of the rules."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.porep.challenges import porep_challenges, synthetic_challenges
from cuzk.filecoin.porep.statement import PorepStatement, prover_id, replica_id
from cuzk.filecoin.registered import seal_proof
from tests.conftest import data_path
from tests.filecoin.porep.fixtures import ALL, NON_INTERACTIVE_2K, S1, SYNTHETIC_2K, PorepFixture


@pytest.mark.parametrize("case", ALL, ids=str)
def test_interactive_challenges_equal_filecoins(case: PorepFixture) -> None:
    public = case.public_inputs[:, 0].tolist()  # replica_id, comm_d, comm_r, then 18 paths a challenge
    assert porep_challenges(case.proof, case.statement).tolist() == [public[3::18]]


def test_the_first_fixtures_challenges() -> None:
    known = json.loads(data_path("porep/s1/challenges.json").read_text())["challenges_partition0"]
    assert porep_challenges(S1.proof, S1.statement).tolist() == [known]


def test_synthetic_challenges_equal_filecoins_own_test() -> None:
    """rust-fil-proofs, stacked/vanilla/challenges.rs, test_synth_challenges_against_hardcoded."""
    statement = PorepStatement(
        comm_d=(1).to_bytes(32, "little"),
        comm_r=(101).to_bytes(32, "little"),
        replica_id=(55).to_bytes(32, "little"),
        seed=b"\1" * 32,
        ticket=bytes(32),
    )
    known = [176, 781, 801, 986, 290, 211, 692, 856, 986, 332]
    assert list(synthetic_challenges(1 << 10, 21, 10, statement)) == known
    # More challenges begin with the same ones: the partitions' challenges are parts of one sequence.
    assert list(synthetic_challenges(1 << 10, 21, 40, statement))[:10] == known


def test_synthetic_and_non_interactive_challenges_depend_on_what_they_should() -> None:
    statement = S1.statement
    other_seed = replace(statement, seed=bytes(31) + b"\1")
    other_comm_r = replace(statement, comm_r=bytes(31) + b"\1")

    def differ(number: int, other: PorepStatement) -> bool:
        proof = seal_proof(number)
        return not np.array_equal(porep_challenges(proof, statement), porep_challenges(proof, other))

    interactive, synthetic, non_interactive = 8, 13, 18
    assert [differ(number, other_seed) for number in (interactive, synthetic, non_interactive)] == [True, True, False]
    assert [differ(number, other_comm_r) for number in (interactive, synthetic, non_interactive)] == [False, True, True]


def test_numbers_of_partitions_and_challenges() -> None:
    shapes = {
        number: porep_challenges(seal_proof(number), S1.statement).shape for number in (0, 5, 10, 15, 3, 8, 13, 18)
    }
    assert shapes == {
        **dict.fromkeys((0, 5, 10), (1, 2)),
        15: (13, 2),
        **dict.fromkeys((3, 8, 13), (10, 18)),
        18: (126, 18),
    }
    for proof in (SYNTHETIC_2K, NON_INTERACTIVE_2K):
        challenges = porep_challenges(proof, S1.statement)
        assert challenges.min() >= 1
        assert challenges.max() < 64


def test_non_interactive_challenges_by_the_rule() -> None:
    tag = b"filecoin.io|PoRep|1|NonInteractive|1"
    drawn = [
        hashlib.sha256(tag + S1.statement.replica_id + S1.statement.comm_r + j.to_bytes(4, "little")).digest()
        for j in range(26)
    ]
    expected = [int.from_bytes(digest, "little") % 63 + 1 for digest in drawn]
    assert porep_challenges(NON_INTERACTIVE_2K, S1.statement).reshape(-1).tolist() == expected


@pytest.mark.parametrize("case", ALL, ids=str)
def test_replica_ids_equal_filecoins(case: PorepFixture) -> None:
    meta, statement = case.meta, case.statement
    assert prover_id(meta["miner_id"]).hex() == meta["prover_id"]
    made = replica_id(meta["miner_id"], meta["sector_id"], statement.ticket, statement.comm_d, case.proof.porep_id)
    assert made == statement.replica_id


@pytest.mark.parametrize(
    ("miner", "encoded"), [(0, "00"), (127, "7f"), (128, "8001"), (1000, "e807"), (2**64 - 1, "ff" * 9 + "01")]
)
def test_prover_ids(miner: int, encoded: str) -> None:
    assert prover_id(miner) == bytes.fromhex(encoded).ljust(32, b"\0")


def test_bad_values_are_named() -> None:
    with pytest.raises(InputError, match="miner_id: expected an unsigned 64-bit number, got -1"):
        prover_id(-1)
    with pytest.raises(InputError, match="sector_number: expected an unsigned 64-bit number, got 18446744073709551616"):
        replica_id(1, 1 << 64, bytes(32), bytes(32), bytes(32))
    with pytest.raises(InputError, match="ticket: expected 32 bytes, got 31"):
        replica_id(1, 1, bytes(31), bytes(32), bytes(32))
    for name, value, sentence in (
        ("comm_d", bytes(32), "comm_d: expected a commitment, got 32 zero bytes"),
        ("comm_r", b"\xff" * 32, "comm_r: expected a little-endian field element below r, got ffff"),
        ("seed", b"", "seed: expected 32 bytes, got 0"),
        ("replica_id", b"\xff" * 32, "replica_id: expected a little-endian field element"),
    ):
        with pytest.raises(InputError, match=sentence):
            replace(S1.statement, **{name: value})
