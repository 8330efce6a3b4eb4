"""Why the engine refuses: each error is one clear answer to a caller, and maps to one gRPC status.

CuzkError
└── EngineError
    ├── QueueFullError     too much is unfinished; try again later
    ├── NeverFitsError     the job needs more memory than there will ever be
    ├── DrainingError      the engine accepts nothing any more
    ├── StorageError       the journal cannot be written, so nothing can be acknowledged
    ├── UnknownJobError    no job of this id
    └── CheckFailedError   the request could not be checked, through no fault that can be named
"""

from cuzk.errors import CuzkError


class EngineError(CuzkError):
    """Base of the engine's own errors."""


class QueueFullError(EngineError):
    """So much is unfinished, or in flight, that nothing more is accepted now."""


class NeverFitsError(EngineError):
    """The job's needs exceed what the memory budget can ever give it."""


class DrainingError(EngineError):
    """The engine is starting, draining or stopped, and accepts no jobs."""


class StorageError(EngineError):
    """The journal cannot be written (a full disk, most often), so no job can be acknowledged."""


class UnknownJobError(EngineError):
    """No job has this id."""


class CheckFailedError(EngineError):
    """The process that checked the request died or failed in a way that names no field."""
