"""Why partitions wait: one sentence a circuit for synthesis, one for the device; an event when either changes."""

from collections.abc import Mapping

from cuzk.engine.context import Context
from cuzk.engine.events import Waiting
from cuzk.engine.scheduler import StageQueue
from cuzk.engine.work import Work

_MIB = 1 << 20
_GIB = 1 << 30


def mib(size: int) -> str:
    """Write a size as people read it."""
    return f"{size / _GIB:.1f} GiB" if size >= _GIB else f"{size / _MIB:.1f} MiB"


class Explanations:
    """Finds and publishes the reasons."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def update(self, works: Mapping[str, Work], pending: StageQueue, ready: StageQueue, waiting: str | None) -> None:
        """Look at every circuit with partitions in line; `waiting` holds up synthesis of all of them."""
        in_pending = {entry.circuit_id for entry in pending.entries}
        in_ready = {entry.circuit_id for entry in ready.entries}
        for circuit_id in {work.circuit_id for work in works.values()} | self._explained():
            synthesis = self._synthesis(circuit_id, waiting) if circuit_id in in_pending else None
            device = self._device(circuit_id) if circuit_id in in_ready else None
            circuit = self._context.world.circuit(circuit_id)
            if (circuit.waits_synthesis, circuit.waits_device) != (synthesis, device):
                self._context.emit(
                    Waiting(at=self._context.clock(), circuit_id=circuit_id, synthesis=synthesis, device=device)
                )

    def _explained(self) -> set[str]:
        circuits = self._context.world.circuits.values()
        return {circuit.circuit_id for circuit in circuits if circuit.waits_synthesis or circuit.waits_device}

    def _synthesis(self, circuit_id: str, waiting: str | None) -> str:
        if self._context.world.circuit(circuit_id).file == "checking":
            return f"parameters: the file of {circuit_id} is being checked"
        return waiting or self._no_device() or "synthesis: its turn is next"

    def _device(self, circuit_id: str) -> str:
        if (reason := self._no_device()) is not None:
            return reason
        circuit = self._context.world.circuit(circuit_id)
        states = {srs.state for srs in circuit.srs.values()}
        if "hot" not in states:
            return f"parameters: {circuit_id} is being loaded" if "loading" in states else "parameters: not loaded yet"
        if self._context.world.ledger.threads_used >= self._context.settings.threads_total:
            return f"threads: all {self._context.settings.threads_total} are in use"
        return "device: all lanes are busy"

    def _no_device(self) -> str | None:
        world = self._context.world
        if any(world.processes[device].state == "up" for device in world.devices if device in world.processes):
            return None
        states = [f"{name} is {world.processes[name].state}" for name in world.devices if name in world.processes]
        return f"device: none is ready ({', '.join(states) or 'none found'})"
