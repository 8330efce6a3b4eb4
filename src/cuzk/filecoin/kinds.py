"""The four kinds of proof and the words by which the world calls them."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class KindNames:
    """A kind's names: in circuit ids, for people (status, logs), as a metric label, and its number on the wire."""

    circuit: str
    display: str
    metric: str
    wire: int


class Kind(Enum):
    """A kind of proof."""

    POREP = KindNames("porep", "porep-c2", "porep_c2", 1)
    SNAP = KindNames("snap", "snap-update", "snap_update", 2)
    WINDOW = KindNames("wpost", "window-post", "window_post", 3)
    WINNING = KindNames("winning", "winning-post", "winning_post", 4)

    @property
    def circuit(self) -> str:
        """First part of the ids of its circuits, such as `wpost`."""
        return self.value.circuit

    @property
    def display(self) -> str:
        """The name in status and logs, such as `window-post`."""
        return self.value.display

    @property
    def metric(self) -> str:
        """The value of the `proof_kind` label of metrics, such as `window_post`."""
        return self.value.metric

    @property
    def wire(self) -> int:
        """The number of `cuzk.v1.ProofKind`."""
        return self.value.wire


KIND_BY_WIRE = {kind.wire: kind for kind in Kind}
KIND_BY_CIRCUIT = {kind.circuit: kind for kind in Kind}
