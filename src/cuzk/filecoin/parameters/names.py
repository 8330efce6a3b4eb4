"""The names of parameter files.

`v28-<circuit>-<tree>[-sha256_hasher]-<hex SHA-256 of the public parameters' identifier>.{params,vk,meta}`.
The identifier strings are those of rust-fil-proofs (`ParameterSetMetadata::identifier` and `cache_prefix` of each
compound proof, storage-proofs-core/src/parameter_cache.rs); every byte of them counts.
"""

import hashlib

from cuzk.filecoin.porep.config import BASE_DEGREE, EXPANSION_DEGREE, PorepConfig
from cuzk.filecoin.post.config import PostConfig
from cuzk.filecoin.update.config import UpdateConfig

VERSION = 28

CircuitConfig = PorepConfig | PostConfig | UpdateConfig


def parameter_stem(config: CircuitConfig) -> str:
    """Return the file name of a circuit's parameters without its extension."""
    digest = hashlib.sha256(_identifier(config).encode()).hexdigest()
    return f"v{VERSION}-{_prefix(config)}-{digest}"


def _prefix(config: CircuitConfig) -> str:
    tree = config.shape.tree_name
    match config:
        case PorepConfig():
            return f"stacked-proof-of-replication-{tree}-sha256_hasher"
        case PostConfig():
            return f"proof-of-spacetime-fallback-{tree}"
        case UpdateConfig():
            return f"empty-sector-update-{tree}"


def _identifier(config: CircuitConfig) -> str:
    shape = config.shape
    match config:
        case PorepConfig():
            graph = (
                f"stacked_graph::StackedGraph{{expansion_degree: {EXPANSION_DEGREE} base_graph: "
                f"drgraph::BucketGraph{{size: {shape.nodes}; degree: {BASE_DEGREE}; hasher: poseidon_hasher}} }}"
            )
            challenges = f"LayerChallenges {{ layers: {config.layers}, max_count: {config.challenges} }}"
            return (
                f"layered_drgporep::PublicParams{{ graph: {graph}, challenges: {challenges}, tree: {shape.tree_name} }}"
            )
        case PostConfig():
            return (
                f"FallbackPoSt::PublicParams{{sector_size: {shape.size}, "
                f"challenge_count: {config.challenges}, sector_count: {config.sectors}}}"
            )
        case UpdateConfig():
            return f"empty_sector_update::PublicParams{{ sector_nodes: {shape.nodes} }}"
