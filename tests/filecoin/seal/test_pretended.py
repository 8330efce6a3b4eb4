"""Requests of the network's full size, over sectors that nobody has sealed."""

from dataclasses import replace

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.porep.entry import porep_family
from cuzk.filecoin.porep.generate import generate_vanilla, statement_about
from cuzk.filecoin.porep.job import PorepJob
from cuzk.filecoin.registered import seal_proof, update_proof
from cuzk.filecoin.seal.pretended import pretend_to_seal, pretend_to_update
from cuzk.filecoin.sectors import shape_of_slug
from cuzk.filecoin.update.entry import update_family
from cuzk.filecoin.update.generate import generate_vanilla as generate_update
from cuzk.filecoin.update.job import UpdateJob

TICKET, SEED = b"\1" * 32, b"\2" * 32


@pytest.mark.parametrize("number", [0, 5, 2, 7])
def test_a_pretended_sector_holds(number: int) -> None:
    proof = seal_proof(number)
    sealed = pretend_to_seal(proof, 1000, 7, TICKET, SEED, b"seed")
    statement = statement_about(sealed, SEED)
    job = PorepJob(proof, statement, generate_vanilla(sealed, statement), 7, 1000)
    job.verify_vanilla()
    with pytest.raises(InputError, match="partition 0, challenge 0"):
        replace(job, statement=replace(statement, seed=TICKET)).verify_vanilla()


def test_challenged_nodes_that_are_parents_of_others_hold_too() -> None:
    """Of 64 nodes many challenges are each other's parents; every seed must do."""
    proof = seal_proof(5)
    for seed in range(1, 21):
        challenge_seed = bytes([seed]) * 32
        sealed = pretend_to_seal(proof, 1000, 7, TICKET, challenge_seed, b"seed")
        statement = statement_about(sealed, challenge_seed)
        PorepJob(proof, statement, generate_vanilla(sealed, statement), 7, 1000).verify_vanilla()


@pytest.mark.parametrize("slug", ["2k", "32k", "512m"])
def test_a_pretended_update_holds(slug: str) -> None:
    shape = shape_of_slug(slug)
    updated = pretend_to_update(shape, 7, b"seed")
    job = UpdateJob(update_proof(0), updated.statement, generate_update(updated))
    job.verify_vanilla()
    assert not np.array_equal(updated.new.comm_r, updated.old.comm_r)


def test_only_interactive_poreps_can_be_pretended() -> None:
    for number in (12, 17):
        with pytest.raises(InputError, match="512MiB sector is too large to seal here, and only an interactive PoRep"):
            pretend_to_seal(seal_proof(number), 1000, 7, TICKET, SEED, b"")


@pytest.mark.full
@pytest.mark.parametrize("slug", ["32g", "64g"])
def test_requests_of_the_networks_size(slug: str) -> None:
    """As sent by a client: encoded, decoded and checked."""
    order = DevelopmentOrder(b"seed", sectors=(7,), randomness=SEED)
    for family, circuit_id, partitions, inputs in (
        (porep_family(), f"porep-{slug}", 10, 327),
        (update_family(), f"snap-{slug}", 16, 4),
    ):
        entry = family.entries[circuit_id]
        request = entry.development_request(order, threads=2)
        assert family.circuit_id(request) == circuit_id
        job = entry.decode(request)
        job.verify_vanilla(threads=2)
        assert job.partitions == partitions
        assert job.public_inputs(partitions - 1).shape == (inputs, 4)
