"""Reads what people give on the command line: hexadecimal, scalars, proofs."""

from pathlib import Path
from typing import Annotated

import typer

from cuzk.algebra import fr
from cuzk.cli.output import warn
from cuzk.errors import InputError
from cuzk.files import read_bounded
from cuzk.groth16.proof import PROOF_SIZE

BlindingScalar = Annotated[
    str | None, typer.Option(help="Blinding scalar, little-endian, for tests.", metavar="HEX", show_default=False)
]

# A PoRep of 64 GiB has 16 partitions; leave room for batches.
_MAX_PROOFS = 4096


def parse_hex(option: str, text: str, size: int) -> bytes:
    """Return `size` bytes from hexadecimal, with or without 0x; InputError names the option."""
    try:
        data = bytes.fromhex(text.removeprefix("0x"))
    except ValueError as error:
        raise InputError(f"{option}: expected hexadecimal, got {_shown(text)}") from error
    if len(data) != size:
        raise InputError(f"{option}: expected {size} bytes ({2 * size} hex digits), got {len(data)}")
    return data


def parse_blinding(r: str | None, s: str | None) -> dict[str, int | None]:
    """Return the blinding scalars as the prover takes them, drawn by itself where None; warn if they are not."""
    if r is not None or s is not None:
        warn("r or s was given: the proof does not hide the witness")
    return {"r": _parse_scalar("--r", r), "s": _parse_scalar("--s", s)}


def _parse_scalar(option: str, text: str | None) -> int | None:
    """Return a scalar from hex of 32 little-endian bytes."""
    if text is None:
        return None
    value = int.from_bytes(parse_hex(option, text, 32), "little")
    if value >= fr.MODULUS:
        raise InputError(f"{option}: expected a scalar below the group order")
    return value


def read_proof_bytes(text: str) -> bytes:
    """Return the bytes of proofs from a file's name or from hexadecimal; a multiple of 192 bytes, at least one."""
    if _is_file(text):
        data = read_bounded(Path(text), _MAX_PROOFS * PROOF_SIZE)
    else:
        try:
            data = bytes.fromhex(text.removeprefix("0x"))
        except ValueError as error:
            raise InputError(f"--proof: neither a file nor hexadecimal: {_shown(text)}") from error
    if not data or len(data) % PROOF_SIZE:
        raise InputError(f"--proof: expected {PROOF_SIZE} bytes, or a multiple of them; got {len(data)}")
    return data


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # longer than a name can be: it is hexadecimal
        return False


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
