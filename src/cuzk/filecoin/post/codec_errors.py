"""What exactly is wrong with the bincode of a PoSt vanilla proof: a slow reader that stops at the first fault."""

from cuzk.errors import FormatError
from cuzk.filecoin.post.config import PostConfig

_PROOF_KINDS = ("Single", "Sub", "Top")


class _MalformedError(Exception):
    """Carries one sentence out of the reader."""


class _Reader:
    """Reads integers and skips nodes; the place is a path of words that says where the next bytes belong."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.offset = 0

    def integer(self, what: str, width: int = 8) -> int:
        return int.from_bytes(self._take(what, width), "little")

    def expect(self, what: str, expected: int, width: int = 8) -> None:
        value = self.integer(what, width)
        if value != expected:
            raise _MalformedError(f"{what}: expected {expected}, got {value}")

    def nodes(self, what: str, count: int = 1) -> None:
        self._take(what, 32 * count)

    def _take(self, what: str, length: int) -> bytes:
        end = self.offset + length
        if end > len(self._data):
            raise _MalformedError(
                f"{what}: the bytes end here: expected {length} at offset {self.offset}, "
                f"got {len(self._data) - self.offset}"
            )
        taken, self.offset = self._data[self.offset : end], end
        return taken


def explain(config: PostConfig, challenges: int, index: int, payload: bytes) -> FormatError:
    """Return the error of the payload `vanilla_proofs[index]`, which is known to be malformed."""
    reader = _Reader(payload)
    place = f"vanilla_proofs[{index}]"
    try:
        number = reader.integer("sector id")
        place = f"{place} (sector {number})"
        _read_proof(reader, config, challenges)
    except _MalformedError as error:
        return FormatError(f"{place}: {error}")
    return FormatError(
        f"{place}: expected {reader.offset} bytes for {config.circuit_id}, got {len(payload)}: "
        f"{len(payload) - reader.offset} too many at the end"
    )


def _read_proof(reader: _Reader, config: PostConfig, challenges: int) -> None:
    reader.nodes("comm_r")
    reader.expect("number of sector proofs", 1)
    reader.expect("number of inclusion proofs", challenges)
    for challenge in range(challenges):
        _read_merkle_proof(reader, config, f"challenge {challenge}")
    reader.nodes("comm_c")
    reader.nodes("comm_r_last")


def _read_merkle_proof(reader: _Reader, config: PostConfig, place: str) -> None:
    shape = config.shape
    rows = [("base", shape.base_arity, shape.base_height), ("sub", shape.sub_arity, 1), ("top", shape.top_arity, 1)]
    rows = [row for row in rows if row[1]]
    kind, expected = reader.integer(f"{place}: kind of Merkle proof", 4), len(rows) - 1
    if kind != expected:
        name = f" ({_PROOF_KINDS[kind]})" if kind < len(_PROOF_KINDS) else ", which does not exist"
        raise _MalformedError(
            f"{place}: kind of Merkle proof: expected {expected} ({_PROOF_KINDS[expected]}) "
            f"for {shape.label} sectors, got {kind}{name}"
        )
    if len(rows) == 1:
        reader.nodes(f"{place}: root")
        reader.nodes(f"{place}: leaf")
    for name, arity, height in rows:
        reader.expect(f"{place}: {name} path: number of steps", height)
        for step in range(height):
            where = f"{place}: {name} path, step {step}"
            reader.expect(f"{where}: number of siblings", arity - 1)
            reader.nodes(f"{where}: siblings", arity - 1)
            position = reader.integer(f"{where}: index")
            if position >= arity:
                raise _MalformedError(f"{where}: index: expected less than {arity}, got {position}")
    if len(rows) > 1:
        reader.nodes(f"{place}: root")
        reader.nodes(f"{place}: leaf")
