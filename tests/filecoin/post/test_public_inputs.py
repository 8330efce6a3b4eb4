"""Challenges and public inputs against those of Filecoin's own software."""

import numpy as np
import pytest

from cuzk.algebra import fr
from cuzk.errors import InputError
from cuzk.filecoin.post.challenges import leaf_challenges
from cuzk.filecoin.post.config import window_config, winning_config
from cuzk.filecoin.post.public_inputs import PublicSector, partition_public_inputs, winning_public_inputs
from cuzk.filecoin.sectors import shape_of_slug
from cuzk.filecoin.versions import ApiVersion
from tests.filecoin.post.fixtures import ALL, PostFixture


def public_sectors(case: PostFixture) -> list[PublicSector]:
    commitments = dict(zip(case.meta["sector_ids"], case.meta["comm_r"], strict=True))
    sectors = [PublicSector(number, bytes.fromhex(commitments[number])) for number in case.sectors]
    return sectors * case.config.sectors if case.config.kind == "winning" else sectors


@pytest.mark.parametrize("case", ALL, ids=str)
def test_public_inputs_equal_filecoins(case: PostFixture) -> None:
    sectors = public_sectors(case)
    inputs = partition_public_inputs(case.config, case.version, case.randomness, sectors, case.partition)
    assert inputs.shape == (case.config.public_inputs, 4)
    assert fr.to_ints(inputs) == case.public_inputs


@pytest.mark.parametrize("case", ALL, ids=str)
def test_challenges_equal_filecoins(case: PostFixture) -> None:
    entries = [entry["leaf_challenges"] if isinstance(entry, dict) else entry for entry in case.meta["challenges"]]
    of_sector = dict(zip(case.meta["sector_ids"], entries, strict=True))
    expected = [of_sector[number] for number in case.sectors]
    if case.config.kind == "winning":
        expected = [[leaf] for leaf in expected[0]]
    numbers = [sector.number for sector in public_sectors(case)]
    leaves = leaf_challenges(case.config, case.version, case.randomness, numbers, case.partition)
    assert leaves.tolist() == expected


def test_winning_inputs_of_one_sector() -> None:
    case = ALL[0]
    assert fr.to_ints(winning_public_inputs(case.config.shape, case.randomness, public_sectors(case)[0])) == (
        case.public_inputs
    )


def test_version_1_1_counts_challenges_through_the_partitions() -> None:
    config = window_config(shape_of_slug("8m"))
    first, second, third = (
        leaf_challenges(config, version, bytes(32), [5], partition=2)
        for version in (ApiVersion.V1_0, ApiVersion.V1_1, ApiVersion.V1_2)
    )
    assert first.tolist() == second.tolist() != third.tolist()
    assert third.tolist() == leaf_challenges(config, ApiVersion.V1_2, bytes(32), [5], partition=0).tolist()


def test_top_bits_of_randomness_do_not_matter() -> None:
    sector = PublicSector(7, bytes(32))
    low, high = (winning_public_inputs(shape_of_slug("2k"), bytes(31) + bytes([last]), sector) for last in (0x2A, 0xEA))
    assert np.array_equal(low, high)


@pytest.mark.parametrize(
    ("randomness", "sector", "sentence"),
    [
        (bytes(31), PublicSector(1, bytes(32)), "randomness: expected 32 bytes, got 31"),
        (bytes(32), PublicSector(1, bytes(31)), "comm_r of sector 1: expected 32 bytes, got 31"),
        (
            bytes(32),
            PublicSector(1, b"\xff" * 32),
            "comm_r of sector 1: expected a little-endian field element below r",
        ),
        (bytes(32), PublicSector(1 << 64, bytes(32)), "sector number: expected an unsigned 64-bit number"),
    ],
)
def test_bad_values_are_named(randomness: bytes, sector: PublicSector, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        winning_public_inputs(shape_of_slug("2k"), randomness, sector)


def test_partition_sizes_and_indices_are_checked() -> None:
    config, sector = window_config(shape_of_slug("2k")), PublicSector(1, bytes(32))
    with pytest.raises(InputError, match="at most 2 in a wpost-2k partition, got 3"):
        partition_public_inputs(config, ApiVersion.V1_2, bytes(32), [sector] * 3)
    with pytest.raises(InputError, match="at least one, got none"):
        partition_public_inputs(config, ApiVersion.V1_2, bytes(32), [])
    with pytest.raises(InputError, match="partition_index"):
        partition_public_inputs(config, ApiVersion.V1_2, bytes(32), [sector], partition=-1)


def test_sizes_of_the_network() -> None:
    assert winning_config(shape_of_slug("32g")).public_inputs == 132
    assert window_config(shape_of_slug("32g")).public_inputs == 2349 * 11
    assert window_config(shape_of_slug("64g")).sectors == 2300
