"""What the parts of the core share: settings, the world, the clock, and where events and instructions go."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from cuzk.engine.events import Event
from cuzk.engine.instructions import Instruction
from cuzk.engine.kinds import Needs
from cuzk.engine.world import World

log = structlog.get_logger("cuzk.engine")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the core is told; sizes in bytes, times in seconds."""

    memory_total: int
    threads_total: int
    synthesis_slots: int
    """Synthesis processes at most."""
    max_attempts: int = 3
    overlap: bool = True
    """False: one partition at a time, from synthesis to verification."""
    queue_target: int = 0
    """Partitions kept synthesized before the device; 0: as many as there are lanes."""
    synthesis_threads: int = 0
    """Threads of one synthesis at most; 0: all."""
    device_threads: int = 0
    """CPU threads of one partition on a device at most; 0: all."""
    eviction_min_idle: float = 300.0
    sort_by_type: bool = True
    max_batch_size: int = 1
    max_batch_wait: float = 10.0
    keep_done: float = 30.0
    keep_failed: float = 300.0
    restart_delay: float = 0.2
    restart_delay_max: float = 60.0
    fault_limit: int = 3
    probation: float = 30.0
    probation_max: float = 600.0
    freeze_timeout: float = 120.0
    """A process without a sign of life for so long is killed, and so is one that takes longer for its work than the
    next ones allow; 0: never."""
    check_timeout: float = 900.0
    synthesis_timeout: float = 3600.0
    proof_timeout: float = 86400.0
    load_timeout: float = 7200.0
    validate: bool = False


class CircuitFacts(Protocol):
    """What the core knows of a circuit; a `CircuitSpec` is one."""

    @property
    def needs(self) -> Needs:
        """How much memory its partitions take."""
        ...

    @property
    def critical(self) -> bool:
        """Its kind's own priority is CRITICAL."""
        ...


@dataclass
class Context:
    """Shared by the parts of one core."""

    settings: Settings
    circuits: Mapping[str, CircuitFacts]
    clock: Callable[[], float]
    world: World
    listeners: list[Callable[[Event], None]] = field(default_factory=list)
    instructions: list[Instruction] = field(default_factory=list)

    def emit(self, event: Event) -> None:
        """Let something be a fact."""
        self.world.apply(event)
        for listener in self.listeners:
            try:
                listener(event)
            except Exception:  # who looks on must not stop what happens
                log.exception("a subscriber failed", of=type(event).__name__)

    def instruct(self, instruction: Instruction) -> None:
        """Have the shell do something, after this stimulus."""
        self.instructions.append(instruction)

    def drain(self) -> list[Instruction]:
        """Return and forget the instructions so far."""
        instructions, self.instructions = self.instructions, []
        return instructions
