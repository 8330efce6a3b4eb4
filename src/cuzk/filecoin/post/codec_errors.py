"""What exactly is wrong with the bincode of a PoSt vanilla proof: a slow reader that stops at the first fault."""

from cuzk.errors import FormatError
from cuzk.filecoin.bincode import MalformedError, Reader
from cuzk.filecoin.inclusion import replica_path
from cuzk.filecoin.post.config import PostConfig


def explain(config: PostConfig, challenges: int, index: int, payload: bytes) -> FormatError:
    """Return the error of the payload `vanilla_proofs[index]`, which is known to be malformed."""
    reader = Reader(payload)
    place = f"vanilla_proofs[{index}]"
    try:
        number = reader.integer("sector id")
        place = f"{place} (sector {number})"
        _read_proof(reader, config, challenges)
    except MalformedError as error:
        return FormatError(f"{place}: {error}")
    return FormatError(
        f"{place}: expected {reader.offset} bytes for {config.circuit_id}, got {len(payload)}: "
        f"{len(payload) - reader.offset} too many at the end"
    )


def _read_proof(reader: Reader, config: PostConfig, challenges: int) -> None:
    reader.nodes("comm_r")
    reader.expect("number of sector proofs", 1)
    reader.expect("number of inclusion proofs", challenges)
    path = replica_path(config.shape)
    for challenge in range(challenges):
        reader.merkle_proof(path, f"challenge {challenge}", f"{config.shape.label} sectors")
    reader.nodes("comm_c")
    reader.nodes("comm_r_last")
