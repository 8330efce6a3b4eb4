"""Vanilla verification: the fixtures hold, and any changed byte is refused with its place."""

import random
from dataclasses import replace

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.post.challenges import leaf_challenges
from cuzk.filecoin.post.codec import decode
from cuzk.filecoin.post.vanilla import VanillaPost
from cuzk.filecoin.post.verify import verify_vanilla
from tests.filecoin.post.fixtures import ALL, WINDOW_2K, WINDOW_2K_PADDED, WINDOW_32K, WINNING_2K, PostFixture


def verify(case: PostFixture, payloads: list[bytes], threads: int = 1) -> VanillaPost:
    proofs = decode(case.config, payloads)
    numbers = [int(number) for number in proofs.numbers]
    verify_vanilla(
        proofs, leaf_challenges(case.config, case.version, case.randomness, numbers, case.partition), threads
    )
    return proofs


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("case", ALL, ids=str)
def test_the_fixtures_hold(case: PostFixture, threads: int) -> None:
    proofs = verify(case, case.payloads, threads)
    assert proofs.sectors == (66 if case.config.kind == "winning" else len(case.sectors))


def flipped(payload: bytes, offset: int) -> bytes:
    return payload[:offset] + bytes([payload[offset] ^ 1]) + payload[offset + 1 :]


# Offsets in a 2 KiB payload (see formats of the codec) and what must be said of a bit flipped there.
PLACES = [
    (0, "sector 0, challenge 0: index of the path: expected leaf"),
    (8, "sector 1: comm_r is not the hash of comm_c and comm_r_last"),
    (39, "sector 1: comm_r is not the hash of comm_c and comm_r_last"),
    (60, "sector 1, challenge 0: root of the path: expected comm_r_last"),
    (92, "sector 1, challenge 0: the path from leaf .* does not lead to comm_r_last"),
    (140, "sector 1, challenge 0: the path from leaf .* does not lead to comm_r_last"),
    (140 + 224, "sector 1, challenge 0: index of the path: expected leaf 50 by the randomness, got leaf 51"),
    (-1, "sector 1: comm_r_last .* is the root of none of its paths"),
    (-33, "sector 1: comm_r is not the hash of comm_c and comm_r_last"),
]


@pytest.mark.parametrize(("offset", "sentence"), PLACES)
def test_a_changed_bit_is_named(offset: int, sentence: str) -> None:
    first, second = WINDOW_2K.payloads
    with pytest.raises(InputError, match=sentence):
        verify(WINDOW_2K, [flipped(first, offset % len(first)), second])
    assert verify(WINDOW_2K, [first, second]).sectors == 2


def test_the_second_sector_is_named_too() -> None:
    first, second = WINDOW_2K.payloads
    size = (len(second) - 56 - 64) // 10
    with pytest.raises(InputError, match="sector 2, challenge 7: the path from leaf"):
        verify(WINDOW_2K, [first, flipped(second, 56 + 7 * size + 92 - 56)])


@pytest.mark.parametrize("case", [WINNING_2K, WINDOW_32K, WINDOW_2K_PADDED], ids=str)
def test_any_changed_byte_is_refused(case: PostFixture) -> None:
    payloads = case.payloads
    chosen = random.Random(1).sample(range(len(payloads[0])), 150)
    for offset in chosen:
        with pytest.raises(InputError, match=r"sector \d+|vanilla_proofs\[0\]"):
            verify(case, [flipped(payloads[0], offset), *payloads[1:]])


@pytest.mark.full
@pytest.mark.parametrize("case", [WINDOW_2K, WINDOW_32K], ids=str)
def test_every_changed_byte_is_refused(case: PostFixture) -> None:
    payloads = case.payloads
    for offset in range(len(payloads[0])):
        with pytest.raises(InputError, match=r"sector \d+|vanilla_proofs\[0\]"):
            verify(case, [flipped(payloads[0], offset), *payloads[1:]])


def test_another_partition_or_randomness_is_refused() -> None:
    case = WINDOW_2K_PADDED
    proofs = decode(case.config, case.payloads)
    for randomness, partition in ((case.randomness, 0), (bytes(32), case.partition)):
        challenges = leaf_challenges(case.config, case.version, randomness, [3], partition)
        with pytest.raises(InputError, match="sector 3, challenge 0: index of the path"):
            verify_vanilla(proofs, challenges)


def test_arity_two_steps() -> None:
    proofs = decode(WINDOW_32K.config, WINDOW_32K.payloads)
    challenges = leaf_challenges(WINDOW_32K.config, WINDOW_32K.version, WINDOW_32K.randomness, [1, 2])
    verify_vanilla(proofs, challenges)
    assert proofs.siblings[-1].shape[2] == 1
    changed = proofs.siblings[-1].copy()
    changed[1, 9, 0, 0] ^= np.uint64(1)
    with pytest.raises(InputError, match="sector 2, challenge 9: the path"):
        verify_vanilla(replace(proofs, siblings=(*proofs.siblings[:-1], changed)), challenges)


def test_a_winning_proof_is_judged_as_one_sector() -> None:
    (payload,) = WINNING_2K.payloads
    with pytest.raises(InputError, match=r"^sector 1: comm_r_last .* is the root of none of its paths"):
        verify(WINNING_2K, [flipped(payload, len(payload) - 1)])
    with pytest.raises(InputError, match=r"^sector 1, challenge 0: root of the path: expected comm_r_last"):
        verify(WINNING_2K, [flipped(payload, 60)])
    with pytest.raises(InputError, match=r"^sector 1, challenge 65: the path from leaf"):
        verify(WINNING_2K, [flipped(payload, len(payload) - 64 - 20)])
    with pytest.raises(InputError, match=r"^sector 1: comm_r is not the hash"):
        verify(WINNING_2K, [flipped(payload, 8)])
