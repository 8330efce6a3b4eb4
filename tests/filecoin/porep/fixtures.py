"""The PoReps made by Filecoin's own software."""

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cuzk.filecoin.porep.codec import decode, read_payload
from cuzk.filecoin.porep.job import PorepJob
from cuzk.filecoin.porep.statement import PorepStatement
from cuzk.filecoin.registered import SealProof, seal_proof, seal_proof_named
from tests.conftest import data_path


@dataclass(frozen=True)
class PorepFixture:
    """One folder of the fixtures."""

    folder: str
    proof: SealProof
    inner: str = "c1-phase1out.json"

    @property
    def phase1_out(self) -> bytes:
        return data_path(f"{self.folder}/{self.inner}").read_bytes()

    @property
    def meta(self) -> dict[str, Any]:
        return json.loads(data_path(f"{self.folder}/meta.json").read_text())

    @property
    def statement(self) -> PorepStatement:
        names = ("comm_d", "comm_r", "replica_id", "seed", "ticket")
        return PorepStatement(**{name: bytes.fromhex(self.meta[name]) for name in names})

    @property
    def public_inputs(self) -> np.ndarray:
        """Read `public-inputs.bin`: u32 n, then n elements of the one partition."""
        data = data_path(f"{self.folder}/public-inputs.bin").read_bytes()
        assert int.from_bytes(data[:4], "little") == (len(data) - 4) // 32
        return np.frombuffer(data[4:], dtype="<u8").reshape(-1, 4)

    def __str__(self) -> str:
        return self.folder


S1 = PorepFixture("porep/s1", seal_proof_named("StackedDrg2KiBV1_1"))
S5 = PorepFixture("porep/s5", seal_proof_named("StackedDrg2KiBV1"))
#: These two were sealed under a porep_id of their own, 200.
_PROOF_32K = replace(seal_proof_named("StackedDrg32KiBV1_1"), number=200)
SHAPES_S1 = PorepFixture("shapes/32k/porep-s1", _PROOF_32K, "c1-raw.json")
SHAPES_S2 = PorepFixture("shapes/32k/porep-s2", _PROOF_32K, "c1-raw.json")

ALL = (S1, S5, SHAPES_S1, SHAPES_S2)

SYNTHETIC_2K, NON_INTERACTIVE_2K = seal_proof(10), seal_proof(15)


def job_of(fixture: PorepFixture) -> PorepJob:
    """Decode a fixture without a request: two have a porep_id that no registered proof has."""
    _, document = read_payload(fixture.phase1_out)
    return PorepJob(fixture.proof, fixture.statement, decode(fixture.proof, document), 0, 0)
