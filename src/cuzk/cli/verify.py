"""`cuzk verify`: whether a Filecoin proof is valid."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from cuzk.cli.output import Json, answer
from cuzk.cli.parse import parse_hex, read_proof_bytes
from cuzk.cli.proving import DevParams, find_parameters
from cuzk.errors import FormatError, InputError
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.post.public_inputs import PublicSector, winning_public_inputs
from cuzk.filecoin.registry import entry_of
from cuzk.filecoin.request import read_request
from cuzk.filecoin.sectors import parse_size
from cuzk.groth16.proof import PROOF_SIZE, Proof, split_proofs
from cuzk.groth16.verifier import verify
from cuzk.groth16.verifying_key import VerifyingKey

app = typer.Typer(add_completion=False)

_EXAMPLE = """
Examples:

cuzk verify request.json --proof proof.bin --vk circuit.vk

cuzk verify --kind winning-post --vk winning_2kib.vk --proof proof.bin --randomness 2a07…00 --sector-number 7
--comm-r 4ae5…9512 --sector-size 2KiB
"""


class ProofKind(StrEnum):
    """Kinds of proof whose public inputs this command computes without a request."""

    WINNING_POST = "winning-post"


@app.command(epilog=_EXAMPLE)
def command(
    proof: Annotated[str, typer.Option(help="The proof: a file, or hexadecimal.", metavar="FILE|HEX")],
    request_file: Annotated[
        Path | None, typer.Argument(help="The request that was proved.", metavar="[REQUEST.json]", show_default=False)
    ] = None,
    vk: Annotated[
        Path | None, typer.Option(help="Verifying key; if missing, the head of the .params file beside it.")
    ] = None,
    dev_params: DevParams = False,
    kind: Annotated[ProofKind | None, typer.Option(help="What was proved, where there is no request.")] = None,
    randomness: Annotated[str | None, typer.Option(help="The chain's randomness, 32 bytes.", metavar="HEX")] = None,
    sector_number: Annotated[int | None, typer.Option(help="The challenged sector.", min=0, max=2**64 - 1)] = None,
    comm_r: Annotated[str | None, typer.Option(help="The replica commitment, 32 bytes.", metavar="HEX")] = None,
    sector_size: Annotated[str | None, typer.Option(help="Such as 2KiB or 32GiB.", metavar="SIZE")] = None,
    json: Json = False,
) -> None:
    """Verify a Filecoin proof; the challenges and public inputs are computed here.

    Exit code 0: the proof is valid. 1: it is not. 2: the input could not be read.
    """
    facts = {
        "--kind": kind,
        "--vk": vk,
        "--randomness": randomness,
        "--sector-number": sector_number,
        "--comm-r": comm_r,
        "--sector-size": sector_size,
    }
    data = read_proof_bytes(proof)
    statement = _of_facts(facts) if request_file is None else _of_request(request_file, facts, dev_params)
    _answer(statement, data, json)


@dataclass(frozen=True)
class _Statement:
    """What a proof is of: the public inputs of each partition, and how to find the key that judges it."""

    kind: str
    find_key: Callable[[], Path]
    public_inputs: Sequence[Fr]


def _of_request(file: Path, facts: dict[str, Any], dev_params: bool) -> _Statement:
    doubled = [option for option, value in facts.items() if value is not None and option != "--vk"]
    if doubled:
        raise InputError(f"{', '.join(doubled)}: the request says so already; give one or the other")
    request = read_request(file)
    entry = entry_of(request)
    job = entry.decode(request)
    return _Statement(
        request.kind.display,
        lambda: facts["--vk"] or _find_key(entry.parameter_stem, dev_params),
        [job.public_inputs(number) for number in range(job.partitions)],
    )


def _of_facts(facts: dict[str, Any]) -> _Statement:
    missing = [option for option, value in facts.items() if value is None]
    if missing:
        raise InputError(f"expected a request file, or also {', '.join(missing)}")
    sector = PublicSector(facts["--sector-number"], parse_hex("--comm-r", facts["--comm-r"], 32))
    randomness = parse_hex("--randomness", facts["--randomness"], 32)
    public_inputs = winning_public_inputs(parse_size(facts["--sector-size"]), randomness, sector)
    return _Statement(facts["--kind"].value, lambda: facts["--vk"], [public_inputs])


def _find_key(stem: str, dev_params: bool) -> Path:
    """Return the verifying key in the parameter folder; where only the .params is there, its head serves."""
    try:
        return find_parameters(stem, "vk", None, dev_params)
    except InputError:
        return find_parameters(stem, "params", None, dev_params).with_suffix(".vk")


def _answer(statement: _Statement, data: bytes, json: bool) -> None:
    partitions = len(statement.public_inputs)
    if len(data) != PROOF_SIZE * partitions:
        of = f" of {partitions} partitions" if partitions > 1 else ""
        raise InputError(
            f"--proof: a {statement.kind} proof{of} has {PROOF_SIZE * partitions} bytes, this has {len(data)}"
        )
    key = VerifyingKey.open(statement.find_key())
    reason = None
    for partition, (public_inputs, part) in enumerate(zip(statement.public_inputs, split_proofs(data), strict=True)):
        of_partition = f"partition {partition}: " if partitions > 1 else ""
        try:
            if not verify(key, public_inputs, Proof.parse(part)):
                reason = f"{of_partition}the pairing equation does not hold"
        except FormatError as error:  # 192 bytes that are no points cannot be a valid proof
            reason = f"{of_partition}{error}"
        if reason:
            break
    result = {
        "valid": reason is None,
        "kind": statement.kind,
        "public_inputs": sum(len(public_inputs) for public_inputs in statement.public_inputs),
        "reason": reason,
    }
    answer(result, "valid" if reason is None else f"not valid: {reason}", as_json=json, yes=reason is None)
