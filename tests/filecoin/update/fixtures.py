"""The sector updates made by Filecoin's own software."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.registered import UPDATE_PROOFS, UpdateProof
from cuzk.filecoin.request import Request
from cuzk.filecoin.update.config import UpdateConfig, update_config
from cuzk.filecoin.update.statement import UpdateStatement
from tests.conftest import data_path


@dataclass(frozen=True)
class UpdateFixture:
    """One folder of the fixtures."""

    folder: str
    slug: str

    @property
    def proof(self) -> UpdateProof:
        return next(proof for proof in UPDATE_PROOFS if proof.shape.slug == self.slug)

    @property
    def config(self) -> UpdateConfig:
        return update_config(self.proof.shape)

    @property
    def payloads(self) -> list[bytes]:
        return [
            data_path(f"{self.folder}/vanilla-partition{partition}.bincode").read_bytes()
            for partition in range(self.config.partitions)
        ]

    @property
    def meta(self) -> dict[str, Any]:
        return json.loads(data_path(f"{self.folder}/meta.json").read_text())

    @property
    def statement(self) -> UpdateStatement:
        names = ("comm_r_old", "comm_d_new", "comm_r_new")
        return UpdateStatement(**{name: bytes.fromhex(self.meta[name]) for name in names})

    @property
    def public_inputs(self) -> list[np.ndarray]:
        """Read `public-inputs.bin`: per partition u32 n, then n elements."""
        data = data_path(f"{self.folder}/public-inputs.bin").read_bytes()
        parts = np.frombuffer(data, dtype=np.uint8).reshape(self.config.partitions, -1)
        assert (parts[:, :4].copy().view("<u4") == 4).all()
        return [part[4:].copy().view("<u8").reshape(4, 4) for part in parts]

    def request(self, **fields: Any) -> Request:
        statement = self.statement
        defaults = {
            "registered_proof": self.proof.number,
            "vanilla_proofs": tuple(self.payloads),
            "comm_r_old": statement.comm_r_old,
            "comm_d_new": statement.comm_d_new,
            "comm_r_new": statement.comm_r_new,
        }
        return Request(Kind.SNAP, **{**defaults, **fields})

    def __str__(self) -> str:
        return self.folder


S1 = UpdateFixture("update/s1", "2k")
SHAPES_S1 = UpdateFixture("shapes/32k/update-s1", "32k")
ALL = (S1, SHAPES_S1)
