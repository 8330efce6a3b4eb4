import numpy as np
from numpy.typing import NDArray

def fr_mul(a: NDArray[np.uint64], b: NDArray[np.uint64], out: NDArray[np.uint64], threads: int) -> None: ...

class Poseidon:
    def __init__(
        self,
        width: int,
        full_rounds: int,
        partial_rounds: int,
        round_constants: NDArray[np.uint64],
        mds: NDArray[np.uint64],
        pre_sparse: NDArray[np.uint64],
        sparse: NDArray[np.uint64],
    ) -> None: ...
    def hash(
        self, domain_tag: NDArray[np.uint64], preimages: NDArray[np.uint64], out: NDArray[np.uint64], threads: int
    ) -> None: ...
