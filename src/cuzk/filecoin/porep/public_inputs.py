"""The public inputs of a PoRep circuit.

For a partition: replica_id, comm_d, comm_r; then for each challenge the leaf index of every inclusion path: of the
data, of the six base and eight expander parents' columns, then the challenge itself, then of the replica and of the
challenged node's column. Source: rust-fil-proofs, storage-proofs-porep/src/stacked/circuit/proof.rs
(`generate_public_inputs`).
"""

import numpy as np
from numpy.typing import NDArray

from cuzk.filecoin.commitments import Fr, stack
from cuzk.filecoin.porep.challenges import Challenges
from cuzk.filecoin.porep.statement import PorepStatement


def partition_public_inputs(statement: PorepStatement, challenges: Challenges, parents: NDArray[np.uint32]) -> Fr:
    """Return the public inputs of one partition without the leading ONE, Fr[3 + 18 c].

    `challenges`: int64[c], the partition's. `parents`: uint32[c, 14], the challenged nodes' parents.
    """
    own = challenges[:, np.newaxis]
    indices = np.concatenate([own, parents, own, own, own], axis=1)
    inputs = np.zeros((3 + indices.size, 4), dtype=np.uint64)
    inputs[:3] = stack([statement.replica_id, statement.comm_d, statement.comm_r])
    inputs[3:, 0] = indices.reshape(-1)
    return inputs
