"""Sealing and updating reproduce what Filecoin's own software made of the same inputs, byte for byte."""

import hashlib

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.porep.codec import encode, wrap
from cuzk.filecoin.porep.entry import porep_family
from cuzk.filecoin.porep.generate import generate_vanilla, statement_about
from cuzk.filecoin.registered import SEAL_PROOFS, seal_proof
from cuzk.filecoin.request import Request
from cuzk.filecoin.seal import fr32
from cuzk.filecoin.seal.sealed import SealedSector, seal
from cuzk.filecoin.seal.updated import update
from cuzk.filecoin.sectors import shape_of_slug
from cuzk.filecoin.update import codec as update_codec
from cuzk.filecoin.update.entry import update_family
from cuzk.filecoin.update.generate import generate_vanilla as generate_update
from tests.conftest import data_path
from tests.filecoin.porep.fixtures import S1, S5, PorepFixture
from tests.filecoin.update.fixtures import S1 as UPDATE_S1


def sealed_again(case: PorepFixture, threads: int = 1) -> SealedSector:
    meta = case.meta
    staged = fr32.stage(case.proof.shape, data_path(f"{case.folder}/piece.bin").read_bytes())
    return seal(case.proof, meta["miner_id"], meta["sector_id"], bytes.fromhex(meta["ticket"]), staged, threads)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("case", [S1, S5], ids=str)
def test_a_sealed_sector_is_filecoins(case: PorepFixture, threads: int) -> None:
    sealed = sealed_again(case, threads)
    assert sealed.data.nodes_at(0).tobytes() == data_path(f"{case.folder}/staged.bin").read_bytes()
    assert sealed.comm_d.tobytes().hex() == case.meta["comm_d"]
    assert sealed.replica_id.hex() == case.meta["replica_id"]
    assert sealed.sector.tree.nodes_at(0).tobytes() == data_path(f"{case.folder}/sealed.bin").read_bytes()
    assert sealed.comm_r.tobytes().hex() == case.meta["comm_r"]


@pytest.mark.parametrize("case", [S1, S5], ids=str)
def test_its_vanilla_proofs_are_filecoins(case: PorepFixture) -> None:
    sealed = sealed_again(case)
    statement = statement_about(sealed, bytes.fromhex(case.meta["seed"]))
    assert statement == case.statement
    assert encode(case.proof, statement, generate_vanilla(sealed, statement)) == case.phase1_out


def test_an_update_is_filecoins() -> None:
    """The fixture updates the sector of porep/s1."""
    staged = fr32.stage(shape_of_slug("2k"), data_path("update/s1/piece-new.bin").read_bytes())
    assert staged.tobytes() == data_path("update/s1/staged-new.bin").read_bytes()
    updated = update(sealed_again(S1).sector, staged)
    assert updated.statement == UPDATE_S1.statement
    assert updated.new.comm_r_last.tobytes().hex() == UPDATE_S1.meta["comm_r_last_new"]
    assert updated.new.tree.nodes_at(0).tobytes() == data_path("update/s1/replica-new.bin").read_bytes()
    assert update_codec.encode(generate_update(updated)) == UPDATE_S1.payloads


@pytest.mark.parametrize("slug", ["2k", "4k", "16k", "32k"])
@pytest.mark.parametrize("feature", range(4))
def test_every_registered_proof_of_small_sectors_seals_and_verifies(slug: str, feature: int) -> None:
    proof = [proof for proof in SEAL_PROOFS if proof.shape.slug == slug][feature]
    order = DevelopmentOrder(b"seed", sectors=(7,), randomness=bytes(range(32)), registered_proof=proof.number)
    family = porep_family()
    entry = family.entries[f"porep-{slug}"]
    request = entry.development_request(order, threads=2)
    assert request == entry.development_request(order)
    assert family.circuit_id(request) == entry.circuit_id
    job = entry.decode(request)
    job.verify_vanilla()
    assert job.proof == proof
    assert job.partitions == proof.partitions == job.vanilla.partitions
    assert job.public_inputs(job.partitions - 1).shape == (39, 4)
    inner = encode(job.proof, job.statement, job.vanilla)
    assert wrap(7, proof.shape.size, inner) == request.vanilla_proof


@pytest.mark.parametrize("slug", ["2k", "4k", "16k", "32k"])
def test_small_updates_verify(slug: str) -> None:
    family = update_family()
    entry = family.entries[f"snap-{slug}"]
    request = entry.development_request(DevelopmentOrder(b"seed", sectors=(7,)))
    assert family.circuit_id(request) == entry.circuit_id
    job = entry.decode(request)
    job.verify_vanilla(threads=2)
    assert job.describe()["comm_r_new"] == request.comm_r_new.hex()


def test_orders_that_cannot_be_filled_are_refused() -> None:
    porep, snap = porep_family().entries["porep-2k"], update_family().entries["snap-2k"]
    for entry, number, sentence in (
        (porep, 6, "registered_proof: expected one of porep-2k, got StackedDrg8MiBV1_1"),
        (porep, 99, "registered_proof: expected the number of a seal proof"),
        (snap, 1, "registered_proof: expected 0 for snap-2k, got 1"),
    ):
        with pytest.raises(InputError, match=sentence):
            entry.development_request(DevelopmentOrder(registered_proof=number))
        with pytest.raises(InputError, match="sectors: expected exactly one"):
            entry.development_request(DevelopmentOrder(sectors=(1, 2)))


def test_the_circuit_of_a_request_without_its_number_is_told_by_the_sector_size() -> None:
    family = porep_family()
    request = Request(family.kind, sector_size=1 << 35)
    assert family.circuit_id(request) == "porep-32g"
    with pytest.raises(
        InputError, match="vanilla_proof: Input data was truncated"
    ):  # the output has to tell, and is empty
        family.circuit_id(Request(family.kind))
    with pytest.raises(InputError, match="unknown sector size"):
        family.circuit_id(Request(family.kind, sector_size=3))


@pytest.mark.full
def test_eight_mebibytes() -> None:
    """A sector of 8 MiB seals, updates and verifies; its data's commitment is that of a plain tree of hashlib."""
    proof = seal_proof(6)
    staged = fr32.stage(proof.shape, hashlib.shake_256(b"data").digest(fr32.capacity(proof.shape)))
    sealed = seal(proof, 1000, 1, bytes(32), staged, threads=2)
    rows = [node.tobytes() for node in staged]
    while len(rows) > 1:
        digests = [hashlib.sha256(rows[i] + rows[i + 1]).digest() for i in range(0, len(rows), 2)]
        rows = [digest[:31] + bytes([digest[31] & 0x3F]) for digest in digests]
    assert sealed.comm_d.tobytes() == rows[0]
    statement = statement_about(sealed, b"\1" * 32)
    inner = encode(proof, statement, generate_vanilla(sealed, statement))
    request = Request(porep_family().kind, 6, vanilla_proof=wrap(1, 1 << 23, inner), sector_number=1, miner_id=1000)
    porep_family().entries["porep-8m"].decode(request).verify_vanilla(threads=2)
    updated = update(sealed.sector, staged[::-1].copy(), threads=2)
    payloads = update_codec.encode(generate_update(updated))
    entry = update_family().entries["snap-8m"]
    statement_fields = {name: getattr(updated.statement, name) for name in ("comm_r_old", "comm_d_new", "comm_r_new")}
    job = entry.decode(Request(entry.kind, 1, vanilla_proofs=tuple(payloads), **statement_fields))
    job.verify_vanilla(threads=2)
    assert job.partitions == 4
    assert not np.array_equal(updated.new.comm_r, updated.old.comm_r)


def test_large_sectors_are_not_sealed() -> None:
    with pytest.raises(InputError, match="at most 16 MiB are sealed, not 32GiB"):
        seal(seal_proof(3), 1000, 1, bytes(32), np.zeros((0, 4), dtype=np.uint64))
