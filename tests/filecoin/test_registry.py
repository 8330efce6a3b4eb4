"""From a request to a checked job, through the registry; every bad field is named."""

import base64
import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cuzk.algebra import fr
from cuzk.errors import InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.parameters.manifest import network_manifest
from cuzk.filecoin.registry import decode, entries, entry, entry_of
from cuzk.filecoin.request import parse_request
from tests.conftest import data_path
from tests.filecoin.post.fixtures import (
    ALL,
    WINDOW_2K,
    WINDOW_2K_PADDED,
    WINDOW_32K,
    WINNING_2K,
    PostFixture,
    request,
)


@pytest.mark.parametrize("case", ALL, ids=str)
def test_requests_decode_verify_and_state_their_public_inputs(case: PostFixture) -> None:
    job = decode(request(case))
    assert job.circuit_id == case.config.circuit_id
    assert job.partitions == 1
    job.verify_vanilla(threads=2)
    assert fr.to_ints(job.public_inputs(0)) == case.public_inputs


@pytest.mark.parametrize("folder", ["winning/s1", "window/a-v1_2-s1s2"])
def test_what_a_client_keeps_as_json_is_a_request(folder: str) -> None:
    """`vanilla-proofs.json` is a list of base64, as Go writes [][]byte; proto3 JSON takes it as it is."""
    meta = json.loads(data_path(f"{folder}/meta.json").read_text())
    text = json.dumps(
        {
            "proofKind": "WINNING_POST" if "winning" in folder else "WINDOW_POST_PARTITION",
            "registeredProof": meta["registered_proof_u64"],
            "vanillaProofs": json.loads(data_path(f"{folder}/vanilla-proofs.json").read_text()),
            "randomness": base64.b64encode(bytes.fromhex(meta["randomness"])).decode(),
            "minerId": str(meta["miner_id"]),
        }
    )
    decode(parse_request(text)).verify_vanilla()


def test_a_job_survives_pickling() -> None:
    job = decode(request(WINDOW_32K))
    copy = pickle.loads(pickle.dumps(job))
    copy.verify_vanilla()
    assert np.array_equal(copy.public_inputs(0), job.public_inputs(0))
    assert copy.nbytes == job.nbytes


BAD_FIELDS: list[tuple[PostFixture, dict[str, Any], str]] = [
    (WINNING_2K, {"registered_proof": 5}, r"^registered_proof: expected the number of a WinningPoSt proof"),
    (WINNING_2K, {"registered_proof": 99}, r"^registered_proof: .* got 99$"),
    (WINDOW_2K, {"registered_proof": 0}, r"^registered_proof: expected the number of a WindowPoSt proof"),
    (WINNING_2K, {"sector_size": 4096}, r"^sector_size: expected 2048 \(or 0\) for StackedDrgWinning2KiBV1, got 4096"),
    (WINNING_2K, {"randomness": bytes(31)}, r"^randomness: expected 32 bytes, got 31"),
    (WINNING_2K, {"randomness": b""}, r"^randomness: expected 32 bytes, got 0"),
    (WINNING_2K, {"vanilla_proofs": ()}, r"^vanilla_proofs: expected one for each sector, got none"),
    (WINNING_2K, {"vanilla_proofs": (b"",)}, r"^vanilla_proofs\[0\]: sector id: the bytes end here"),
    (WINDOW_2K, {"partition_index": 3000}, r"^partition_index: expected 0 to 2999, got 3000"),
    (WINDOW_2K, {"partition_index": 2**32 - 1}, r"^partition_index: expected 0 to 2999, got 4294967295"),
    (WINDOW_2K, {"registered_proof": 11}, r"number of steps: expected 6, got 2"),
]


@pytest.mark.parametrize(("case", "change", "sentence"), BAD_FIELDS)
def test_bad_fields_are_named(case: PostFixture, change: dict[str, Any], sentence: str) -> None:
    bad = replace(request(case), sector_size=0)
    with pytest.raises(InputError, match=sentence):
        decode(replace(bad, **change))


def test_another_partition_index_is_caught_by_verification() -> None:
    decode(replace(request(WINDOW_2K), partition_index=1)).verify_vanilla()  # V1.2: no effect on the challenges
    with pytest.raises(InputError, match="sector 3, challenge 0: index of the path"):
        decode(replace(request(WINDOW_2K_PADDED), partition_index=0)).verify_vanilla()


def test_every_post_circuit_has_an_entry() -> None:
    names = [one.circuit_id for one in entries() if one.kind in (Kind.WINNING, Kind.WINDOW)]
    sizes = ("2k", "4k", "16k", "32k", "8m", "16m", "512m", "1g", "32g", "64g")
    assert names == [f"{kind}-{size}" for kind in ("winning", "wpost") for size in sizes]
    for name in names:
        assert entry(name).circuit_id == name
    assert f"{entry('wpost-32g').parameter_stem}.params" in network_manifest()
    assert entry_of(request(WINDOW_32K)) is entry("wpost-32k")


@pytest.mark.parametrize("name", ["", "wpost", "wpost-3g", "winning-2K", "post-2k"])
def test_unknown_circuits_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="unknown circuit id: expected one of"):
        entry(name)


def test_an_entry_decodes_only_its_own_requests() -> None:
    with pytest.raises(InputError, match="registered_proof: expected one of winning-8m, got StackedDrgWinning2KiBV1"):
        entry("winning-8m").decode(request(WINNING_2K))


@pytest.mark.parametrize("circuit_id", ["winning-2k", "wpost-2k", "winning-4k", "wpost-16k", "wpost-32k"])
def test_development_requests_are_good_requests(circuit_id: str) -> None:
    sectors = (4, 9) if "wpost" in circuit_id else (4,)
    order = DevelopmentOrder(seed=b"seed", sectors=sectors, randomness=bytes(range(32)), partition_index=1)
    made = entry(circuit_id).development_request(order)
    assert parse_request(made.to_json()) == made
    job = decode(made)
    job.verify_vanilla()
    assert job.circuit_id == circuit_id
    assert [sector["number"] for sector in job.describe()["sectors"]] == list(sectors)


def test_a_development_request_may_be_of_an_older_proof() -> None:
    made = entry("wpost-2k").development_request(DevelopmentOrder(registered_proof=5, partition_index=2))
    assert decode(made).describe()["api_version"] == "1.0.0"
    decode(made).verify_vanilla()
    with pytest.raises(InputError, match="sectors: expected exactly one for winning-2k, got 2"):
        entry("winning-2k").development_request(DevelopmentOrder(sectors=(1, 2)))


def test_descriptions_name_sectors_commitments_and_leaves() -> None:
    (sector,) = decode(request(WINNING_2K)).describe()["sectors"]
    assert sector["comm_r"] == WINNING_2K.meta["comm_r"][0]
    assert sector["challenges"] == WINNING_2K.meta["challenges"][0]["leaf_challenges"]
    assert json.dumps(decode(request(WINDOW_2K)).describe())
