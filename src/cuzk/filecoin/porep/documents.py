"""The JSON of a PoRep request: the client's wrapper, and in it Filecoin's SealCommitPhase1Output.

Fields stand in the order in which Rust writes them; readers take any order (Go sorts them by name) and skip what they
do not know. A node is an array of 32 numbers. Source: rust-filecoin-proofs-api src/seal.rs; rust-fil-proofs
storage-proofs-porep/src/stacked/vanilla/{params,column,column_proof,labeling_proof}.rs and
storage-proofs-core/src/merkle/proof.rs; Curio lib/ffi/cuzk_funcs.go and lib/proof/.
"""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

Byte = Annotated[int, Meta(ge=0, le=255)]
# Whatever can be repeated has a least size, so that a document cannot claim much memory with few bytes.
Node = Annotated[list[Byte], Meta(min_length=32, max_length=32)]
Nodes = Annotated[list[Node], Meta(min_length=1)]
U32 = Annotated[int, Meta(ge=0, lt=1 << 32)]
#: A u64 in Rust; what it may be is smaller everywhere, and is checked where it is used.
Number = Annotated[int, Meta(ge=0)]


class PathElement(Struct):
    """One step of an inclusion path."""

    hashes: Nodes
    index: Number


class InclusionPath(Struct):
    """A path, or one part of it."""

    path: list[PathElement]


class SingleProof(Struct):
    """An inclusion proof in a tree of one part."""

    root: Node
    leaf: Node
    path: InclusionPath

    def parts(self) -> tuple[InclusionPath, ...]:
        """Return the path's parts from the leaf up."""
        return (self.path,)


class SubProof(Struct):
    """An inclusion proof in a tree of base trees."""

    base_proof: InclusionPath
    sub_proof: InclusionPath
    root: Node
    leaf: Node

    def parts(self) -> tuple[InclusionPath, ...]:
        """Return the path's parts from the leaf up."""
        return (self.base_proof, self.sub_proof)


class TopProof(Struct):
    """An inclusion proof in a tree of trees of base trees."""

    base_proof: InclusionPath
    sub_proof: InclusionPath
    top_proof: InclusionPath
    root: Node
    leaf: Node

    def parts(self) -> tuple[InclusionPath, ...]:
        """Return the path's parts from the leaf up."""
        return (self.base_proof, self.sub_proof, self.top_proof)


class ProofData(Struct, omit_defaults=True):
    """One of the three."""

    Single: SingleProof | None = None
    Sub: SubProof | None = None
    Top: TopProof | None = None

    def given(self) -> dict[str, SingleProof | SubProof | TopProof]:
        """Return those that are there, by name."""
        variants = {"Single": self.Single, "Sub": self.Sub, "Top": self.Top}
        return {name: proof for name, proof in variants.items() if proof is not None}


class MerkleProof(Struct):
    """An inclusion proof."""

    data: ProofData


class Column(Struct):
    """The labels of a node."""

    index: U32
    rows: Nodes
    marker: None = field(default=None, name="_h")


class ColumnProof(Struct):
    """A column and the path from its hash to the root of tree C."""

    column: Column
    inclusion_proof: MerkleProof


class ReplicaColumnProof(Struct):
    """The columns that a challenge opens."""

    c_x: ColumnProof
    drg_parents: list[ColumnProof]
    exp_parents: list[ColumnProof]

    def columns(self) -> list[ColumnProof]:
        """Return all of them in order."""
        return [self.c_x, *self.drg_parents, *self.exp_parents]


class LabelProof(Struct):
    """What a label is computed from (LabelingProof and EncodingProof)."""

    parents: Nodes
    layer_index: U32
    node: Number


class ChallengeProof(Struct):
    """The vanilla proof of one challenge."""

    comm_d_proofs: MerkleProof
    comm_r_last_proof: MerkleProof
    replica_column_proofs: ReplicaColumnProof
    labeling_proofs: list[LabelProof]
    encoding_proof: LabelProof


#: By partition, then by challenge.
VanillaProofs = Annotated[
    list[Annotated[list[ChallengeProof], Meta(min_length=1)]],
    Meta(min_length=1),
]


class Phase1Output(Struct, kw_only=True):
    """SealCommitPhase1Output.

    That of rust-filecoin-proofs-api has a registered proof, and vanilla proofs by the name of its first version; that
    of filecoin-proofs, which it wraps, has neither name.
    """

    registered_proof: str | UnsetType = UNSET
    vanilla_proofs: dict[str, VanillaProofs] | VanillaProofs
    comm_r: Node
    comm_d: Node
    replica_id: Node
    seed: Node
    ticket: Node


class ProofName(Struct):
    """What a SealCommitPhase1Output says it is, and nothing else of it."""

    registered_proof: str | UnsetType = UNSET


class Wrapper(Struct, rename="pascal"):
    """What a client sends: the output of phase 1 in base64, as Go writes []byte."""

    sector_num: Number
    phase1_out: bytes
    sector_size: Number
