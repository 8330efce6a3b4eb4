"""The network's registered proofs: their numbers, names and what each number means.

Numbers and names are those of filecoin-project/rust-filecoin-proofs-api, src/registry.rs, and of go-state-types, which
Curio's client sends. The network registers five sector sizes. The other five, which exist for tests, get the same
numbering plus 1000 here: that is an addition of ours, no network knows it.
"""

from dataclasses import dataclass
from enum import Enum

from cuzk.errors import InputError
from cuzk.filecoin.porep.config import PorepConfig, porep_config
from cuzk.filecoin.post.config import PostConfig, PostKind, window_config, winning_config
from cuzk.filecoin.sectors import SHAPES, SectorShape, shape_of_slug
from cuzk.filecoin.versions import ApiVersion

DEVELOPMENT_NUMBERS = 1000

_NETWORK_SHAPES = tuple(shape_of_slug(slug) for slug in ("2k", "8m", "512m", "32g", "64g"))
_DEVELOPMENT_SHAPES = tuple(shape for shape in SHAPES if shape not in _NETWORK_SHAPES)


class Feature(Enum):
    """An optional feature of a seal proof; the value is its name in the API."""

    SYNTHETIC = "synthetic-porep"
    NON_INTERACTIVE = "non-interactive-porep"


@dataclass(frozen=True)
class SealProof:
    """A registered seal proof (PoRep)."""

    number: int
    name: str
    shape: SectorShape
    version: ApiVersion
    feature: Feature | None

    @property
    def circuit_id(self) -> str:
        """The circuit's id; versions and features share one."""
        return f"porep-{self.shape.slug}"

    @property
    def config(self) -> PorepConfig:
        """The circuit that proves it."""
        return porep_config(self.shape)

    @property
    def partitions(self) -> int:
        """How many proofs it takes."""
        if self.feature is Feature.NON_INTERACTIVE:
            return self.config.non_interactive_partitions
        return self.config.partitions

    @property
    def porep_id(self) -> bytes:
        """The 32 bytes that enter replica ids and seeds: the number as u64, nonce 0."""
        return self.number.to_bytes(32, "little")


@dataclass(frozen=True)
class PostProof:
    """A registered proof of spacetime."""

    number: int
    name: str
    kind: PostKind
    shape: SectorShape
    version: ApiVersion

    @property
    def config(self) -> PostConfig:
        """The circuit that proves it."""
        return winning_config(self.shape) if self.kind == "winning" else window_config(self.shape)

    @property
    def circuit_id(self) -> str:
        """The circuit's id; versions share one."""
        return f"{self.kind}-{self.shape.slug}"


@dataclass(frozen=True)
class UpdateProof:
    """A registered update proof (SnapDeals); all are of API version 1.1."""

    number: int
    name: str
    shape: SectorShape

    @property
    def circuit_id(self) -> str:
        """The circuit's id."""
        return f"snap-{self.shape.slug}"


_SEAL_VERSIONS: tuple[tuple[str, ApiVersion, Feature | None], ...] = (
    ("V1", ApiVersion.V1_0, None),
    ("V1_1", ApiVersion.V1_1, None),
    # Published under this name although the feature came with API version 1.2.
    ("V1_1_Feat_SyntheticPoRep", ApiVersion.V1_2, Feature.SYNTHETIC),
    ("V1_2_Feat_NonInteractivePoRep", ApiVersion.V1_2, Feature.NON_INTERACTIVE),
)
_POST_VERSIONS: tuple[tuple[str, PostKind, str, ApiVersion], ...] = (
    ("Winning", "winning", "V1", ApiVersion.V1_0),
    ("Window", "wpost", "V1", ApiVersion.V1_0),
    # go-state-types calls this one V1_1.
    ("Window", "wpost", "V1_2", ApiVersion.V1_2),
)
_FIRST_NUMBERS = ((0, _NETWORK_SHAPES), (DEVELOPMENT_NUMBERS, _DEVELOPMENT_SHAPES))

SEAL_PROOFS: tuple[SealProof, ...] = tuple(
    SealProof(first + 5 * row + column, f"StackedDrg{shape.label}{suffix}", shape, version, feature)
    for first, shapes in _FIRST_NUMBERS
    for row, (suffix, version, feature) in enumerate(_SEAL_VERSIONS)
    for column, shape in enumerate(shapes)
)
POST_PROOFS: tuple[PostProof, ...] = tuple(
    PostProof(first + 5 * row + column, f"StackedDrg{word}{shape.label}{suffix}", kind, shape, version)
    for first, shapes in _FIRST_NUMBERS
    for row, (word, kind, suffix, version) in enumerate(_POST_VERSIONS)
    for column, shape in enumerate(shapes)
)
UPDATE_PROOFS: tuple[UpdateProof, ...] = tuple(
    UpdateProof(first + column, f"StackedDrg{shape.label}V1", shape)
    for first, shapes in _FIRST_NUMBERS
    for column, shape in enumerate(shapes)
)

_SEAL_BY_NUMBER = {proof.number: proof for proof in SEAL_PROOFS}
_SEAL_BY_NAME = {proof.name: proof for proof in SEAL_PROOFS}
_POST_BY_NUMBER = {proof.number: proof for proof in POST_PROOFS}
_UPDATE_BY_NUMBER = {proof.number: proof for proof in UPDATE_PROOFS}


def seal_proof(number: int) -> SealProof:
    """Return the seal proof with this number."""
    proof = _SEAL_BY_NUMBER.get(number)
    if proof is None:
        raise InputError(f"registered_proof: expected the number of a seal proof (0 to 19), got {number}")
    return proof


def seal_proof_named(name: str) -> SealProof:
    """Return the seal proof with this name, as it stands in the JSON of a C1 output."""
    proof = _SEAL_BY_NAME.get(name)
    if proof is None:
        raise InputError(f"registered_proof: expected the name of a seal proof (StackedDrg32GiBV1_1), got {name!r}")
    return proof


def post_proof(kind: PostKind, number: int) -> PostProof:
    """Return the PoSt proof with this number, which must be of this kind."""
    proof = _POST_BY_NUMBER.get(number)
    if proof is None or proof.kind != kind:
        numbers = "a WinningPoSt proof (0 to 4)" if kind == "winning" else "a WindowPoSt proof (5 to 14)"
        got = str(number) if proof is None else f"{number} ({proof.name})"
        raise InputError(f"registered_proof: expected the number of {numbers}, got {got}")
    return proof


def update_proof(number: int) -> UpdateProof:
    """Return the update proof with this number."""
    proof = _UPDATE_BY_NUMBER.get(number)
    if proof is None:
        raise InputError(f"registered_proof: expected the number of an update proof (0 to 4), got {number}")
    return proof
