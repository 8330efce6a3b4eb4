"""The public inputs of an update circuit: partition and selector, then the three commitments.

Source: rust-fil-proofs, storage-proofs-update/src/circuit.rs (`PublicInputs::to_vec`).
"""

import numpy as np

from cuzk.filecoin.commitments import Fr, stack
from cuzk.filecoin.update.config import UpdateConfig
from cuzk.filecoin.update.statement import UpdateStatement


def partition_public_inputs(config: UpdateConfig, statement: UpdateStatement, partition: int) -> Fr:
    """Return the public inputs of one partition without the leading ONE, Fr[4]."""
    inputs = np.zeros((4, 4), dtype=np.uint64)
    inputs[0, 0] = partition | config.selector << config.partition_bits
    inputs[1:] = stack([statement.comm_r_old, statement.comm_d_new, statement.comm_r_new])
    return inputs
