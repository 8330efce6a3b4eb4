"""The PoSt requests made by Filecoin's own software, as configuration, payloads and facts."""

import json
from dataclasses import dataclass
from typing import Any

from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.post.config import PostConfig, window_config, winning_config
from cuzk.filecoin.registered import POST_PROOFS
from cuzk.filecoin.request import Request
from cuzk.filecoin.sectors import shape_of_slug
from cuzk.filecoin.versions import ApiVersion
from tests.conftest import data_path


@dataclass(frozen=True)
class PostFixture:
    """One folder of the fixtures; a partition of it where it has several."""

    folder: str
    config: PostConfig
    version: ApiVersion
    sectors: tuple[int, ...]
    partition: int = 0

    @property
    def payloads(self) -> list[bytes]:
        return [data_path(f"{self.folder}/vanilla-s{number}.bincode").read_bytes() for number in self.sectors]

    @property
    def meta(self) -> dict[str, Any]:
        return json.loads(data_path(f"{self.folder}/meta.json").read_text())

    @property
    def randomness(self) -> bytes:
        return bytes.fromhex(self.meta["randomness"])

    @property
    def public_inputs(self) -> list[int]:
        """Read this partition's part of `public-inputs.bin`: per partition u32 n, then n elements."""
        data = data_path(f"{self.folder}/public-inputs.bin").read_bytes()
        size = 4 + 32 * self.config.public_inputs
        part = data[self.partition * size : (self.partition + 1) * size]
        assert int.from_bytes(part[:4], "little") == self.config.public_inputs
        return [int.from_bytes(part[at : at + 32], "little") for at in range(4, size, 32)]

    def __str__(self) -> str:
        return f"{self.folder}[{self.partition}]"


WINNING_2K = PostFixture("winning/s1", winning_config(shape_of_slug("2k")), ApiVersion.V1_0, (1,))
WINNING_32K = PostFixture("shapes/32k/winning", winning_config(shape_of_slug("32k")), ApiVersion.V1_0, (1,))
WINDOW_2K = PostFixture("window/a-v1_2-s1s2", window_config(shape_of_slug("2k")), ApiVersion.V1_2, (1, 2))
WINDOW_2K_V1 = PostFixture("window/c-v1-s1s2s3", window_config(shape_of_slug("2k")), ApiVersion.V1_0, (1, 2))
WINDOW_2K_PADDED = PostFixture("window/c-v1-s1s2s3", window_config(shape_of_slug("2k")), ApiVersion.V1_0, (3,), 1)
WINDOW_32K = PostFixture("shapes/32k/window", window_config(shape_of_slug("32k")), ApiVersion.V1_2, (1, 2))

ALL = (WINNING_2K, WINNING_32K, WINDOW_2K, WINDOW_2K_V1, WINDOW_2K_PADDED, WINDOW_32K)


def request(case: PostFixture) -> Request:
    """Return the request that a client would send for a fixture."""
    winning = case.config.kind == "winning"
    (number,) = (proof.number for proof in POST_PROOFS if proof.config == case.config and proof.version is case.version)
    return Request(
        kind=Kind.WINNING if winning else Kind.WINDOW,
        request_id=str(case),
        registered_proof=number,
        sector_size=case.config.shape.size,
        vanilla_proofs=tuple(case.payloads),
        miner_id=1000,
        randomness=case.randomness,
        partition_index=case.partition,
    )
