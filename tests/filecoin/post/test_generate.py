"""Vanilla proofs made here: byte for byte Filecoin's own for its replica, and good for every small shape."""

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.post.challenges import leaf_challenges
from cuzk.filecoin.post.codec import decode, encode
from cuzk.filecoin.post.config import window_config, winning_config
from cuzk.filecoin.post.generate import generate_vanilla
from cuzk.filecoin.post.verify import verify_vanilla
from cuzk.filecoin.seal.sector import Sector, sector_from_seed
from cuzk.filecoin.seal.tree import replica_tree
from cuzk.filecoin.sectors import shape_of_slug
from cuzk.filecoin.versions import ApiVersion
from tests.conftest import data_path
from tests.filecoin.post.fixtures import WINDOW_2K, WINNING_2K


def sealed_sector() -> Sector:
    """Return sector 1 of the fixtures: its replica, and its comm_c out of a vanilla proof."""
    replica = np.frombuffer(data_path("porep/s1/sealed.bin").read_bytes(), dtype="<u8").reshape(-1, 4)
    shape = shape_of_slug("2k")
    comm_c = decode(WINNING_2K.config, WINNING_2K.payloads).comm_c[0]
    return Sector(shape, 1, comm_c, replica_tree(shape, replica.astype(np.uint64)))


def test_the_tree_of_a_sealed_replica_has_its_commitments() -> None:
    proofs = decode(WINNING_2K.config, WINNING_2K.payloads)
    sector = sealed_sector()
    assert np.array_equal(sector.comm_r_last, proofs.comm_r_last[0])
    assert np.array_equal(sector.comm_r, proofs.comm_r[0])


@pytest.mark.parametrize("case", [WINNING_2K, WINDOW_2K], ids=str)
def test_vanilla_proofs_of_a_sealed_replica_equal_filecoins(case) -> None:
    proofs = generate_vanilla(case.config, case.version, case.randomness, [sealed_sector()])
    assert encode(proofs) == case.payloads[:1]


@pytest.mark.parametrize("slug", ["2k", "4k", "16k", "32k"])
@pytest.mark.parametrize("config_of", [winning_config, window_config])
def test_development_sectors_prove_every_shape(config_of, slug: str) -> None:
    shape = shape_of_slug(slug)
    config, randomness = config_of(shape), bytes(range(32))
    sectors = [sector_from_seed(shape, number, b"seed") for number in ([5] if config.kind == "winning" else [5, 9])]
    payloads = encode(generate_vanilla(config, ApiVersion.V1_0, randomness, sectors, partition=2))
    proofs = decode(config, payloads)
    numbers = [int(number) for number in proofs.numbers]
    verify_vanilla(proofs, leaf_challenges(config, ApiVersion.V1_0, randomness, numbers, 2))
    assert len(payloads) == len(sectors)


def test_an_8_mib_sector() -> None:
    config = window_config(shape_of_slug("8m"))
    sector = sector_from_seed(config.shape, 3, b"", threads=2)
    proofs = decode(config, encode(generate_vanilla(config, ApiVersion.V1_2, bytes(32), [sector])))
    verify_vanilla(proofs, leaf_challenges(config, ApiVersion.V1_2, bytes(32), [3]))


def test_what_does_not_fit_is_refused() -> None:
    small, other = (sector_from_seed(shape_of_slug(slug), 1, b"") for slug in ("2k", "4k"))
    config = winning_config(shape_of_slug("2k"))
    for sectors in ([], [small, small]):
        with pytest.raises(InputError, match="expected exactly one for winning-2k"):
            generate_vanilla(config, ApiVersion.V1_0, bytes(32), sectors)
    with pytest.raises(InputError, match="expected sectors of 2KiB"):
        generate_vanilla(config, ApiVersion.V1_0, bytes(32), [other])
    with pytest.raises(InputError, match="at most 2 in a wpost-2k"):
        generate_vanilla(window_config(config.shape), ApiVersion.V1_2, bytes(32), [small] * 3)
