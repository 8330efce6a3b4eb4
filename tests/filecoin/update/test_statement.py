"""Randomness of updates: challenges by the rule, the choice of rho, and the sizes of the network."""

import numpy as np
import pytest

from cuzk.algebra import fr, poseidon
from cuzk.errors import InputError
from cuzk.filecoin.commitments import stack
from cuzk.filecoin.sectors import SHAPES, shape_of_slug
from cuzk.filecoin.update.config import update_config
from cuzk.filecoin.update.statement import UpdateStatement, rho_numbers, rhos, update_challenges
from tests.filecoin.update.fixtures import ALL, S1, UpdateFixture

#: Poseidon's domain HashType::Custom(CType::Arbitrary(1)).
DOMAIN = 1 << 40


def digest_of(left: bytes, right: int) -> int:
    preimage = np.stack([stack([left])[0], fr.from_ints([right])[0]])[np.newaxis]
    return fr.to_ints(poseidon.hash(preimage, domain=DOMAIN))[0]


@pytest.mark.parametrize("slug", ["2k", "32k", "8m", "512m", "32g", "64g"])
def test_challenges_by_the_rule(slug: str) -> None:
    config, statement = update_config(shape_of_slug(slug)), S1.statement
    bits = config.node_bits - config.partition_bits
    per_digest = 254 // bits
    challenges = update_challenges(config, statement)
    assert challenges.shape == (config.partitions, config.challenges)
    digests = -(-config.challenges // per_digest)
    for partition in (0, config.partitions - 1):
        for i in (0, 1, per_digest - 1, min(per_digest, config.challenges - 1), config.challenges - 1):
            if i >= config.challenges:
                continue
            digest = digest_of(statement.comm_r_new, partition * digests + i // per_digest)
            low = digest >> bits * (i % per_digest) & ((1 << bits) - 1)
            assert challenges[partition, i] == partition << bits | low


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.slug)
def test_rhos_by_the_rule(shape) -> None:
    config, statement = update_config(shape), S1.statement
    values = rhos(config, statement.comm_d_new, statement.comm_r_old)
    assert len(values) == 2**config.high_bit_count
    phi = digest_of(statement.comm_d_new, int.from_bytes(statement.comm_r_old, "little"))
    last = len(values) - 1
    assert fr.to_ints(values)[last] == digest_of(phi.to_bytes(32, "little"), last)
    nodes = np.array([0, shape.nodes // 2 - 1, shape.nodes // 2, shape.nodes - 1])
    assert rho_numbers(config, nodes).tolist() == [0, (last + 1) // 2 - 1, (last + 1) // 2, last]


def test_sizes_of_the_network() -> None:
    config = update_config(shape_of_slug("32g"))
    assert (config.partitions, config.challenges, config.apex_leaves) == (16, 86, 128)
    assert (config.high_bit_count, config.selector) == (10, 8)
    assert (config.node_bits, config.partition_bits, config.apex_height) == (30, 4, 19)
    small = update_config(shape_of_slug("2k"))
    assert (small.high_bit_count, small.selector, small.partition_bits, small.apex_height) == (1, 1, 0, 3)


@pytest.mark.parametrize("case", ALL, ids=str)
def test_h_is_filecoins(case: UpdateFixture) -> None:
    assert case.config.high_bit_count == case.meta["h"]


def test_bad_values_are_named() -> None:
    with pytest.raises(InputError, match="comm_d_new: expected 32 bytes, got 31"):
        UpdateStatement(bytes(32), bytes(31), bytes(32))
    with pytest.raises(InputError, match="comm_r_new: expected a little-endian field element below r, got ffff"):
        UpdateStatement(bytes(32), bytes(32), b"\xff" * 32)
