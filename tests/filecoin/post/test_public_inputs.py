"""Challenges and public inputs against those of Filecoin's own software."""

import json
import struct

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.post.challenges import leaf_challenges
from cuzk.filecoin.post.config import PostConfig, window_config, winning_config
from cuzk.filecoin.post.public_inputs import PublicSector, partition_public_inputs, winning_public_inputs
from cuzk.filecoin.sectors import shape_of_slug
from cuzk.filecoin.versions import ApiVersion
from tests.conftest import data_path

CASES = [
    ("winning/s1", "2k", ApiVersion.V1_0),
    ("shapes/32k/winning", "32k", ApiVersion.V1_0),
    ("window/a-v1_2-s1s2", "2k", ApiVersion.V1_2),
    ("window/c-v1-s1s2s3", "2k", ApiVersion.V1_0),
    ("shapes/32k/window", "32k", ApiVersion.V1_2),
]


def expected_partitions(folder: str) -> list[list[int]]:
    """Read `public-inputs.bin`: per partition a count and the elements, without ONE."""
    data = data_path(f"{folder}/public-inputs.bin").read_bytes()
    partitions, offset = [], 0
    while offset < len(data):
        (count,) = struct.unpack_from("<I", data, offset)
        offset += 4
        partitions.append(
            [int.from_bytes(data[offset + 32 * i : offset + 32 * i + 32], "little") for i in range(count)]
        )
        offset += 32 * count
    return partitions


def config_of(folder: str, slug: str) -> PostConfig:
    return (winning_config if "winning" in folder else window_config)(shape_of_slug(slug))


def public_sectors(meta: dict, config: PostConfig) -> list[PublicSector]:
    sectors = [PublicSector(n, bytes.fromhex(c)) for n, c in zip(meta["sector_ids"], meta["comm_r"], strict=True)]
    return sectors * config.sectors if config.kind == "winning" else sectors


@pytest.mark.parametrize(("folder", "slug", "version"), CASES)
def test_public_inputs_equal_filecoins(folder: str, slug: str, version: ApiVersion) -> None:
    meta = json.loads(data_path(f"{folder}/meta.json").read_text())
    config = config_of(folder, slug)
    sectors = public_sectors(meta, config)
    expected = expected_partitions(folder)
    for partition, values in enumerate(expected):
        chunk = sectors[partition * config.sectors : (partition + 1) * config.sectors]
        inputs = partition_public_inputs(config, version, bytes.fromhex(meta["randomness"]), chunk, partition)
        assert inputs.shape == (config.public_inputs, 4)
        assert [int.from_bytes(row.tobytes(), "little") for row in inputs] == values
    assert len(expected) == -(-len(sectors) // config.sectors)


@pytest.mark.parametrize(("folder", "slug", "version"), CASES)
def test_challenges_equal_filecoins(folder: str, slug: str, version: ApiVersion) -> None:
    meta = json.loads(data_path(f"{folder}/meta.json").read_text())
    expected = [entry["leaf_challenges"] if isinstance(entry, dict) else entry for entry in meta["challenges"]]
    config = config_of(folder, slug)
    if config.kind == "winning":
        expected = [[leaf] for leaf in expected[0]]
    numbers = [sector.number for sector in public_sectors(meta, config)]
    for partition in range(-(-len(numbers) // config.sectors)):
        chunk = slice(partition * config.sectors, (partition + 1) * config.sectors)
        leaves = leaf_challenges(config, version, bytes.fromhex(meta["randomness"]), numbers[chunk], partition)
        assert leaves.tolist() == expected[chunk]


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
