"""The names of parameter files.

`v28-<circuit>-<tree>[-sha256_hasher]-<hex SHA-256 of the public parameters' identifier>.{params,vk,meta}`.
The identifier strings are those of rust-fil-proofs (`ParameterSetMetadata::identifier` and `cache_prefix` of each
compound proof, storage-proofs-core/src/parameter_cache.rs); every byte of them counts.
"""

import functools
import hashlib
from collections.abc import Mapping

from cuzk.filecoin.porep.config import BASE_DEGREE, EXPANSION_DEGREE, PorepConfig, porep_config
from cuzk.filecoin.post.config import PostConfig, window_config, winning_config
from cuzk.filecoin.sectors import SHAPES
from cuzk.filecoin.update.config import UpdateConfig, update_config

VERSION = 28

CircuitConfig = PorepConfig | PostConfig | UpdateConfig


def parameter_stem(config: CircuitConfig) -> str:
    """Return the file name of a circuit's parameters without its extension."""
    digest = hashlib.sha256(_identifier(config).encode()).hexdigest()
    return f"v{VERSION}-{_prefix(config)}-{digest}"


@functools.cache
def circuit_ids() -> Mapping[str, str]:
    """Return the circuit id of every stem that is the name of some circuit's parameters."""
    makers = (porep_config, update_config, window_config, winning_config)
    configs: list[CircuitConfig] = [make(shape) for shape in SHAPES for make in makers]
    return {parameter_stem(config): config.circuit_id for config in configs}


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
