"""The four numbers that make a PoSt circuit, for each kind and sector size.

Source: rust-fil-proofs, filecoin-proofs/src/constants.rs (WINNING_POST_*, WINDOW_POST_*) and parameters.rs
(winning_post_setup_params turns 66 challenges of one sector into 66 "sectors" of one challenge each).
"""

from dataclasses import dataclass
from typing import Literal

from cuzk.filecoin.sectors import SectorShape
from cuzk.filecoin.versions import ApiVersion

PostKind = Literal["winning", "wpost"]

WINNING_CHALLENGES = 66
WINDOW_CHALLENGES = 10
_WINDOW_SECTORS_SMALL = 2
_WINDOW_SECTORS = {1 << 35: 2349, 1 << 36: 2300}


@dataclass(frozen=True)
class PostConfig:
    """A PoSt circuit: `sectors` sectors of `challenges` challenges each, over trees of one shape."""

    kind: PostKind
    shape: SectorShape
    sectors: int
    challenges: int

    @property
    def circuit_id(self) -> str:
        """The circuit's id, such as `wpost-32g`."""
        return f"{self.kind}-{self.shape.slug}"

    @property
    def public_inputs(self) -> int:
        """Number of public inputs without ONE: comm_r and one path for each challenge, for each sector."""
        return self.sectors * (1 + self.challenges)


def winning_config(shape: SectorShape) -> PostConfig:
    """Return the WinningPoSt circuit of a sector size."""
    return PostConfig("winning", shape, sectors=WINNING_CHALLENGES, challenges=1)


def window_config(shape: SectorShape, sectors: int | None = None) -> PostConfig:
    """Return the WindowPoSt circuit of a sector size; `sectors` (default: the network's) shrinks it for studies."""
    count = _WINDOW_SECTORS.get(shape.size, _WINDOW_SECTORS_SMALL) if sectors is None else sectors
    return PostConfig("wpost", shape, sectors=count, challenges=WINDOW_CHALLENGES)


def challenge_rule(kind: PostKind, version: ApiVersion) -> ApiVersion:
    """Return the version whose challenge rule holds: WinningPoSt kept that of V1.0 for good."""
    return ApiVersion.V1_0 if kind == "winning" else version
