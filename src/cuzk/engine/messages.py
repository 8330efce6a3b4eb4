"""What the engine and its worker processes say to each other: short messages, big data by descriptor beside them.

A channel is a pair of Unix sockets that keeps message boundaries (SOCK_SEQPACKET); descriptors travel with SCM_RIGHTS.
When either side is gone the other reads the end: a worker then exits at once, whatever it does.
"""

import array
import socket
from collections.abc import Sequence

import msgspec

from cuzk.errors import CuzkError

MAX_MESSAGE = 1 << 16
MAX_TEXT = 4000
_MAX_DESCRIPTORS = 4


class CheckRequest(msgspec.Struct, frozen=True, tag=True):
    """To a checking process, with [request]: decode and check it; answer Checked with [job], Refused or Broken."""

    number: int


class SynthesizeTask(msgspec.Struct, frozen=True, tag=True):
    """To a synthesis process, with [job, segment]: write an assignment; answer Synthesized or Failed."""

    lease: int
    circuit_id: str
    partition: int
    threads: int


class ProveTask(msgspec.Struct, frozen=True, tag=True):
    """To a device process, with [job, segment]: prove; answer Started, then Proved, or Failed."""

    lease: int
    circuit_id: str
    partition: int
    threads: int


class CancelTask(msgspec.Struct, frozen=True, tag=True):
    """To a worker: the result of this lease is not wanted."""

    lease: int


class LoadTask(msgspec.Struct, frozen=True, tag=True):
    """To a device process: load parameters; answer Loaded or NotLoaded."""

    circuit_id: str


class UnloadTask(msgspec.Struct, frozen=True, tag=True):
    """To a synthesis or device process: forget a compiled circuit, or parameters."""

    circuit_id: str


class Alive(msgspec.Struct, frozen=True, tag=True):
    """From a worker, every second from its beginning to its end: it is not frozen."""


class Ready(msgspec.Struct, frozen=True, tag=True):
    """From a worker: it can take tasks."""


class Checked(msgspec.Struct, frozen=True, tag=True):
    """From a checking process, with [job]."""

    number: int
    circuit_id: str
    partitions: int
    size: int


class Refused(msgspec.Struct, frozen=True, tag=True):
    """From a checking process: the request is wrong."""

    number: int
    error: str


class Broken(msgspec.Struct, frozen=True, tag=True):
    """From a checking process: it could not be checked."""

    number: int
    error: str


class Synthesized(msgspec.Struct, frozen=True, tag=True):
    """From a synthesis process."""

    lease: int


class Started(msgspec.Struct, frozen=True, tag=True):
    """From a device process: `prove_start` returned."""

    lease: int


class Proved(msgspec.Struct, frozen=True, tag=True):
    """From a device process: a proof that has verified."""

    lease: int
    proof: bytes


class Failed(msgspec.Struct, frozen=True, tag=True):
    """From a worker: no result for this lease."""

    lease: int
    error: str
    permanent: bool = False
    unverified: bool = False


class Loaded(msgspec.Struct, frozen=True, tag=True):
    """From a device process: parameters are ready and take so much memory."""

    circuit_id: str
    size: int
    load_ms: int


class NotLoaded(msgspec.Struct, frozen=True, tag=True):
    """From a device process: parameters could not be loaded."""

    circuit_id: str
    error: str


class Sampled(msgspec.Struct, frozen=True, tag=True):
    """From a device process: what its device is and does."""

    name: str
    kind: str
    memory_total: int | None
    memory_free: int | None
    temperature_c: float | None
    utilisation: float | None
    unknown: dict[str, str]


class Logged(msgspec.Struct, frozen=True, tag=True):
    """From a worker: what one of its libraries logged, for the engine's log."""

    logger: str
    level: int
    text: str


ToWorker = CheckRequest | SynthesizeTask | ProveTask | CancelTask | LoadTask | UnloadTask
FromWorker = (
    Alive
    | Ready
    | Checked
    | Refused
    | Broken
    | Synthesized
    | Started
    | Proved
    | Failed
    | Loaded
    | NotLoaded
    | Sampled
    | Logged
)

encoder = msgspec.msgpack.Encoder()
to_worker = msgspec.msgpack.Decoder(ToWorker)
from_worker = msgspec.msgpack.Decoder(FromWorker)


def channel() -> tuple[socket.socket, socket.socket]:
    """Return the two ends of a channel."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    return ours, theirs


def send(end: socket.socket, message: ToWorker | FromWorker, descriptors: Sequence[int] = ()) -> None:
    """Send a message; OSError if the other side is gone, BlockingIOError if it does not read."""
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    end.sendmsg([encoder.encode(message)], rights, socket.MSG_NOSIGNAL)


def receive(end: socket.socket) -> tuple[bytes, list[int]]:
    """Receive one message and its descriptors; no bytes at the end."""
    space = socket.CMSG_LEN(_MAX_DESCRIPTORS * array.array("i").itemsize)
    data, ancillary, _, _ = end.recvmsg(MAX_MESSAGE, space, socket.MSG_CMSG_CLOEXEC)
    descriptors = array.array("i")
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
    return data, descriptors.tolist()


def text_of(error: BaseException) -> str:
    """Return an error as one sentence of bounded length."""
    return (str(error) or type(error).__name__)[:MAX_TEXT]


def reason_of(error: BaseException) -> str:
    """Return an error as text, with its type unless it was raised on purpose or by the system."""
    expected = isinstance(error, (CuzkError, OSError))
    return text_of(error) if expected else f"{type(error).__name__}: {text_of(error)}"
