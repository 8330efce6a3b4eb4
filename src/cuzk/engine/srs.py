"""The SRS of each circuit on each device: checked once, loaded once whoever wants it, evicted when memory is short.

Tiers: HOT is loaded on a device; WARM was found to be what its manifest says; COLD was not looked at yet. A file is
checked again before it is loaded again, which is quick unless it changed. A bad file fails its own circuit's jobs only.
"""

from functools import partial

from cuzk.engine.context import Context
from cuzk.engine.events import FileMoved, Owner, SrsMoved
from cuzk.engine.instructions import CheckFile, LoadSrs, UnloadSrs
from cuzk.engine.kinds import Needs
from cuzk.engine.memory import Claim, Memory, Source
from cuzk.engine.processes import Processes
from cuzk.engine.states import FileState, SrsState
from cuzk.engine.world import Circuit

MAX_LOAD_DEATHS = 3


class SrsManager:
    """Decides about parameters; memory is taken by who calls, together with what else they need."""

    def __init__(self, context: Context, memory: Memory, processes: Processes) -> None:
        self._context = context
        self._memory = memory
        self._processes = processes
        self._fresh: set[str] = set()
        """Circuits whose file was found good and not yet loaded since."""
        self._load_deaths: dict[str, int] = {}

    def circuit(self, circuit_id: str) -> Circuit:
        """Return what is known of a circuit."""
        return self._context.world.circuit(circuit_id)

    def devices_in(self, circuit_id: str, *states: SrsState) -> list[str]:
        """Return the devices on which a circuit's SRS is in one of these states."""
        return [device for device, srs in self.circuit(circuit_id).srs.items() if srs.state in states]

    def file_ready(self, circuit_id: str) -> bool:
        """Say whether the parameters may be loaded (or are); if not, have the file checked."""
        if circuit_id in self._fresh or self.devices_in(circuit_id, "loading", "hot"):
            return True
        if self.circuit(circuit_id).file != "checking":
            self._context.emit(FileMoved(at=self._context.clock(), circuit_id=circuit_id, state="checking"))
            self._context.instruct(CheckFile(circuit_id))
        return False

    def file_checked(self, circuit_id: str, error: str | None) -> None:
        """Take note of what a check found."""
        state: FileState = "good" if error is None else "bad"
        self._context.emit(FileMoved(at=self._context.clock(), circuit_id=circuit_id, state=state, error=error))
        if error is None:
            self._fresh.add(circuit_id)

    def claims(self, circuit_id: str) -> list[Claim] | None:
        """Return what must be claimed before anything is synthesized for a circuit; None if no device could take it.

        Nothing, if a device has the SRS, loads it, or has memory reserved for it.
        """
        if self.devices_in(circuit_id, "loading", "hot") or self._reserved_devices(circuit_id):
            return []
        device = next(filter(self._processes.up, self._context.world.devices), None)
        return None if device is None else self.claims_on(circuit_id, device)

    def claims_on(self, circuit_id: str, device: str) -> list[Claim]:
        """Return what one device needs for a circuit: the parameters, and room for the work on all its lanes."""
        wanted = [
            (_owner(circuit_id, device), self._needs(circuit_id).parameters),
            (_work(circuit_id, device), self._work_size(circuit_id, device)),
        ]
        missing = [(owner, size - self._memory.held(owner)) for owner, size in wanted]
        return [(owner, size) for owner, size in missing if size > 0]

    def least_size(self, circuit_id: str) -> int:
        """Return what a circuit needs on the device where it needs least."""
        work = (self._work_size(circuit_id, device) for device in self._context.world.devices)
        return self._needs(circuit_id).parameters + min(work, default=0)

    def load_reserved(self, circuit_id: str) -> None:
        """Load a circuit on the devices that have memory reserved for it and are up."""
        for device in self._reserved_devices(circuit_id):
            if self._processes.up(device) and device not in self.devices_in(circuit_id, "loading", "hot"):
                self._move(circuit_id, device, "loading")
                self._context.instruct(LoadSrs(circuit_id, device))

    def loaded(self, circuit_id: str, device: str, size: int, load_ms: int) -> None:
        """Take note that a device loaded a circuit, and how much memory it truly takes."""
        if device not in self.devices_in(circuit_id, "loading"):
            return
        self._fresh.discard(circuit_id)
        self._load_deaths.pop(circuit_id, None)
        self._move(circuit_id, device, "hot", load_ms)
        self._memory.hold(_owner(circuit_id, device), size)

    def load_failed(self, circuit_id: str, device: str, error: str) -> bool:
        """Take note that a device could not load a circuit; True if no device has it, so that it counts as bad."""
        if device not in self.devices_in(circuit_id, "loading"):
            return False
        self._give_back(circuit_id, device)
        if self.devices_in(circuit_id, "loading", "hot"):
            return False
        self._fresh.discard(circuit_id)
        self._context.emit(FileMoved(at=self._context.clock(), circuit_id=circuit_id, state="bad", error=error))
        return True

    def device_gone(self, device: str, reason: str) -> list[str]:
        """Take note that a device process is gone; return the circuits that cannot be loaded, having killed it often.

        Memory stays reserved for what partitions in flight use: it is loaded again when the process is back.
        """
        bad = []
        for circuit in self._context.world.circuits.values():
            srs = circuit.srs.get(device)
            if srs is None or srs.state == "cold":
                continue
            if srs.state == "loading":
                deaths = self._load_deaths[circuit.circuit_id] = self._load_deaths.get(circuit.circuit_id, 0) + 1
                if deaths >= MAX_LOAD_DEATHS:
                    self._load_deaths.pop(circuit.circuit_id)
                    if self.load_failed(
                        circuit.circuit_id, device, f"loading it killed {device} {deaths} times: {reason}"
                    ):
                        bad.append(circuit.circuit_id)
                    continue
            self._move(circuit.circuit_id, device, "cold")
            if not circuit.refs:
                self._release(circuit.circuit_id, device)
        return bad

    def unused(self, circuit_id: str) -> None:
        """Give back what is reserved for a circuit that nobody uses any more and no device has loaded."""
        for device in self._reserved_devices(circuit_id):
            if device not in self.devices_in(circuit_id, "loading", "hot"):
                self._release(circuit_id, device)

    def evict(self, circuit_id: str) -> tuple[bool, int]:
        """Give a circuit's SRS back, unless in use; return whether it was loaded, and how many bytes that freed."""
        devices = self.devices_in(circuit_id, "hot")
        if not devices or self.circuit(circuit_id).refs:
            return bool(devices), 0
        return True, sum(self._evict(circuit_id, device) for device in devices)

    def sources(self, idle_since: float, keep: str | None) -> list[Source]:
        """Return the SRS that nobody has used since then, the least recently used first.

        The last copy of a circuit counts only if no partition holds memory for it, and it is not the one to `keep`.
        """
        sources = []
        for circuit in self._context.world.circuits.values():
            copies = [(srs.last_used, device) for device, srs in circuit.srs.items() if srs.state == "hot"]
            copies.sort()
            if circuit.refs or circuit.circuit_id == keep:
                copies = copies[:-1]
            for last_used, device in copies:
                if circuit.srs[device].leases == 0 and last_used <= idle_since:
                    owners = _owner(circuit.circuit_id, device), _work(circuit.circuit_id, device)
                    claims = [(owner, self._memory.held(owner)) for owner in owners]
                    sources.append(Source(claims, last_used, partial(self._unload, circuit.circuit_id, device)))
        return sources

    def _evict(self, circuit_id: str, device: str) -> int:
        size = sum(self._memory.held(owner(circuit_id, device)) for owner in (_owner, _work))
        self._give_back(circuit_id, device)
        self._context.instruct(UnloadSrs(circuit_id, device))
        return size

    def _unload(self, circuit_id: str, device: str) -> None:
        self._move(circuit_id, device, "cold")
        self._context.instruct(UnloadSrs(circuit_id, device))

    def _give_back(self, circuit_id: str, device: str) -> None:
        self._move(circuit_id, device, "cold")
        self._release(circuit_id, device)

    def _release(self, circuit_id: str, device: str) -> None:
        self._memory.release(_owner(circuit_id, device))
        self._memory.release(_work(circuit_id, device))

    def _reserved_devices(self, circuit_id: str) -> list[str]:
        return [device for device in self._context.world.devices if self._memory.held(_owner(circuit_id, device))]

    def _needs(self, circuit_id: str) -> Needs:
        return self._context.circuits[circuit_id].needs

    def _work_size(self, circuit_id: str, device: str) -> int:
        """Return what the work of all leases takes that a device can have: each lane two, and each lease a thread."""
        lanes = len(self._context.world.devices[device].lanes)
        leases = min(2 * lanes, self._context.settings.threads_total) if self._context.settings.overlap else 1
        return leases * self._needs(circuit_id).work

    def _move(self, circuit_id: str, device: str, state: SrsState, load_ms: int | None = None) -> None:
        at = self._context.clock()
        self._context.emit(SrsMoved(at=at, circuit_id=circuit_id, device=device, state=state, load_ms=load_ms))


def _owner(circuit_id: str, device: str) -> Owner:
    return Owner("srs", circuit_id, device)


def _work(circuit_id: str, device: str) -> Owner:
    return Owner("work", circuit_id, device)
