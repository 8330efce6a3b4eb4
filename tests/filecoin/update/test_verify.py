"""Vanilla verification of updates: the fixtures hold, and any changed byte is refused with its place."""

import pickle
import random
from dataclasses import replace

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.update.entry import update_family
from cuzk.filecoin.update.job import UpdateJob
from tests.filecoin.update.fixtures import ALL, S1, SHAPES_S1, UpdateFixture
from tests.filecoin.update.test_codec import D_NEW, D_SIZE, R_OLD


def job_of(case: UpdateFixture, **fields) -> UpdateJob:
    return update_family().entries[case.config.circuit_id].decode(case.request(**fields))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("case", ALL, ids=str)
def test_the_fixtures_hold_and_state_their_public_inputs(case: UpdateFixture, threads: int) -> None:
    job = job_of(case)
    job.verify_vanilla(threads)
    assert (job.circuit_id, job.partitions) == (case.config.circuit_id, case.config.partitions)
    for partition, expected in enumerate(case.public_inputs):
        assert np.array_equal(job.public_inputs(partition), expected)
    pickle.loads(pickle.dumps(job)).verify_vanilla(threads)
    with pytest.raises(InputError, match=f"partition: expected 0 to {job.partitions - 1}, got {job.partitions}"):
        job.public_inputs(job.partitions)


def flipped(payload: bytes, offset: int, bit: int = 1) -> bytes:
    return payload[:offset] + bytes([payload[offset] ^ bit]) + payload[offset + 1 :]


HERE = "^partition 0, challenge 0: "
PLACES = [
    (0, r"^partition 0: comm_r_old is not the hash of comm_c and the root of proof_r_old"),
    (40, r"^partition 0: the apex leaves do not hash to the node at height 6 above challenge 0"),
    (40 + 255, r"^partition 0: the apex leaves do not hash to the node at height 6 above challenge 0"),
    (R_OLD + 4, HERE + "proof_r_old: the path from leaf .* does not lead to its root"),
    (R_OLD + 36, HERE + "proof_r_old: the path from leaf"),
    (R_OLD + 4 + 64 + 16, HERE + "proof_r_old: the path from leaf"),
    (D_NEW + 4, HERE + "proof_d_new: the path from leaf"),
    (D_NEW + 36, HERE + "proof_d_new: the path from leaf"),
    (D_NEW + D_SIZE - 9, HERE + "proof_d_new: the path from leaf"),
    (D_NEW + D_SIZE + 36, HERE + "proof_r_new: the path from leaf"),
]


@pytest.mark.parametrize(("offset", "sentence"), PLACES)
def test_a_changed_bit_is_named(offset: int, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        job_of(S1, vanilla_proofs=(flipped(S1.payloads[0], offset),)).verify_vanilla()


COMMITMENTS = [
    ("comm_r_old", "^partition 0: comm_r_old is not the hash of comm_c and the root of proof_r_old"),
    ("comm_r_new", "^partition 0: comm_r_new is not the hash of comm_c and the root of proof_r_new"),
    ("comm_d_new", "^partition 0, challenge 0: proof_d_new: root is not comm_d_new"),
]


@pytest.mark.parametrize(("name", "sentence"), COMMITMENTS)
@pytest.mark.parametrize("case", ALL, ids=str)
def test_a_changed_commitment_is_named(case: UpdateFixture, name: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        job_of(case, **{name: flipped(getattr(case.statement, name), 7)}).verify_vanilla()


@pytest.mark.parametrize("case", ALL, ids=str)
def test_any_changed_byte_is_refused(case: UpdateFixture) -> None:
    dice = random.Random(1)
    for _ in range(120):
        payloads = case.payloads
        which = dice.randrange(len(payloads))
        payloads[which] = flipped(payloads[which], dice.randrange(len(payloads[which])), 1 << dice.randrange(8))
        with pytest.raises(InputError, match=rf"partition {which}|vanilla_proofs\[{which}\]"):
            job_of(case, vanilla_proofs=tuple(payloads)).verify_vanilla()


@pytest.mark.full
def test_every_changed_byte_is_refused() -> None:
    (payload,) = S1.payloads
    for offset in range(len(payload)):
        with pytest.raises(InputError, match=r"^partition 0|^vanilla_proofs\[0\]"):
            job_of(S1, vanilla_proofs=(flipped(payload, offset),)).verify_vanilla()


def test_partitions_in_another_order_are_refused() -> None:
    with pytest.raises(InputError, match=r"^partition 0: the apex leaves|^partition 0, challenge 0: proof"):
        job_of(SHAPES_S1, vanilla_proofs=tuple(SHAPES_S1.payloads[::-1])).verify_vanilla()


def test_what_hangs_together_must_still_be_the_right_thing() -> None:
    """Each check that a changed byte cannot reach, since the paths fail first."""
    job = job_of(SHAPES_S1)

    def swapped(name: str) -> UpdateJob:
        paths = getattr(job.vanilla, name)
        order = [1, 0, *range(2, 10)]
        moved = replace(
            paths,
            roots=paths.roots,
            leaves=paths.leaves[:, order],
            siblings=tuple(siblings[:, order] for siblings in paths.siblings),
            positions=paths.positions[:, order],
        )
        return replace(job, vanilla=replace(job.vanilla, **{name: moved}))

    for name, sentence in (
        ("old", "partition 0, challenge 0: proof_r_old: leaf index of the path: expected"),
        ("new", "partition 0, challenge 0: proof_r_new: leaf index of the path: expected"),
        ("data", "partition 0, challenge 0: proof_d_new: (the path does not pass apex leaf|leaf index)"),
    ):
        with pytest.raises(InputError, match=sentence):
            swapped(name).verify_vanilla()


def test_the_encoding_is_computed() -> None:
    from cuzk.filecoin.update.verify import _check_encoding

    job = job_of(S1)
    other = replace(job.statement, comm_r_old=job.statement.comm_r_new)
    with pytest.raises(InputError, match="partition 0, challenge 0: the new replica's node is not the old"):
        _check_encoding(job.vanilla, other, job._challenges)


BAD_FIELDS = [
    ({"registered_proof": 5}, r"^registered_proof: expected the number of an update proof \(0 to 4\), got 5"),
    ({"registered_proof": 1}, r"^registered_proof: expected that of snap-2k, got StackedDrg8MiBV1"),
    ({"sector_size": 4096}, r"^sector_size: expected 2048 \(or 0\) for StackedDrg2KiBV1, got 4096"),
    ({"comm_r_old": b""}, r"^comm_r_old: expected 32 bytes, got 0"),
    ({"comm_d_new": b"\xff" * 32}, r"^comm_d_new: expected a little-endian field element below r"),
    ({"vanilla_proofs": ()}, r"^vanilla_proofs: expected 1, one for each partition of snap-2k, got 0"),
]


@pytest.mark.parametrize(("fields", "sentence"), BAD_FIELDS)
def test_bad_fields_are_named(fields, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        job_of(S1, **fields)
