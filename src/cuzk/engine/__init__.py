"""The engine: jobs, scheduling, memory, worker processes, a journal, and a status that is a fold over events."""

from cuzk.engine.config import Config, load_config
from cuzk.engine.engine import Engine
from cuzk.engine.errors import (
    CheckFailedError,
    DrainingError,
    EngineError,
    NeverFitsError,
    QueueFullError,
    StorageError,
    UnknownJobError,
)
from cuzk.engine.kinds import RegistrySource
from cuzk.engine.results import Evicted, Outcome, Preloaded, Receipt
from cuzk.engine.status import Status
from cuzk.filecoin.request import Priority, Request

__all__ = [
    "CheckFailedError",
    "Config",
    "DrainingError",
    "Engine",
    "EngineError",
    "Evicted",
    "NeverFitsError",
    "Outcome",
    "Preloaded",
    "Priority",
    "QueueFullError",
    "Receipt",
    "RegistrySource",
    "Request",
    "Status",
    "StorageError",
    "UnknownJobError",
    "load_config",
]
