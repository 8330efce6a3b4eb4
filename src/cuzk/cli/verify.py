"""`cuzk verify`: whether a Filecoin proof is valid."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cuzk.cli.output import Json, answer
from cuzk.cli.parse import parse_hex, read_proof_bytes
from cuzk.errors import FormatError, InputError
from cuzk.filecoin.post.public_inputs import PublicSector, winning_public_inputs
from cuzk.filecoin.sectors import parse_size
from cuzk.groth16.proof import PROOF_SIZE, Proof
from cuzk.groth16.verifier import verify
from cuzk.groth16.verifying_key import VerifyingKey

app = typer.Typer(add_completion=False)

_EXAMPLE = """
Example:

cuzk verify --kind winning-post --vk winning_2kib.vk --proof proof.bin --randomness 2a07…00 --sector-number 7
--comm-r 4ae5…9512 --sector-size 2KiB
"""


class ProofKind(StrEnum):
    """Kinds of proof whose public inputs this command computes."""

    WINNING_POST = "winning-post"


@app.command(epilog=_EXAMPLE)
def command(
    kind: Annotated[ProofKind, typer.Option(help="What was proved.")],
    vk: Annotated[Path, typer.Option(help="Verifying key; if missing, the head of the .params file beside it.")],
    proof: Annotated[str, typer.Option(help="The proof: a file, or hexadecimal.", metavar="FILE|HEX")],
    randomness: Annotated[str, typer.Option(help="The chain's randomness, 32 bytes.", metavar="HEX")],
    sector_number: Annotated[int, typer.Option(help="The challenged sector.", min=0, max=2**64 - 1)],
    comm_r: Annotated[str, typer.Option(help="The sector's replica commitment, 32 bytes.", metavar="HEX")],
    sector_size: Annotated[str, typer.Option(help="Such as 2KiB or 32GiB.", metavar="SIZE")],
    json: Json = False,
) -> None:
    """Verify a Filecoin proof; the challenges and public inputs are computed here.

    Exit code 0: the proof is valid. 1: it is not. 2: the input could not be read.
    """
    sector = PublicSector(sector_number, parse_hex("--comm-r", comm_r, 32))
    public_inputs = winning_public_inputs(parse_size(sector_size), parse_hex("--randomness", randomness, 32), sector)
    data = read_proof_bytes(proof)
    if len(data) != PROOF_SIZE:
        raise InputError(f"--proof: a {kind} proof has {PROOF_SIZE} bytes, this has {len(data)}")
    key = VerifyingKey.open(vk)
    reason = None
    try:
        if not verify(key, public_inputs, Proof.parse(data)):
            reason = "the pairing equation does not hold"
    except FormatError as error:  # 192 bytes that are no points cannot be a valid proof
        reason = str(error)
    result = {"valid": reason is None, "kind": kind.value, "public_inputs": len(public_inputs), "reason": reason}
    answer(result, "valid" if reason is None else f"not valid: {reason}", as_json=json, yes=reason is None)
