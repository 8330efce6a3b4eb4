"""`cuzk vanilla generate | inspect | verify`: request files and the vanilla proofs in them."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from cuzk.cli.output import CircuitId, Json, Threads, answer
from cuzk.cli.parse import parse_hex
from cuzk.cli.proving import RequestFile
from cuzk.devices.cpu import available_threads
from cuzk.errors import InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.registry import decode, entry
from cuzk.filecoin.request import read_request
from cuzk.files import replacing

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command("generate", epilog="Example: cuzk vanilla generate wpost-2k --sector 1 --sector 2 --out request.json")
def generate_command(
    circuit_id: CircuitId,
    sector: Annotated[list[int] | None, typer.Option(help="A sector number; may be repeated.", metavar="N")] = None,
    seed: Annotated[str, typer.Option(help="Sectors follow from it.", metavar="TEXT")] = "",
    miner: Annotated[int, typer.Option(help="The miner's id.", min=0, max=2**64 - 1, metavar="N")] = 1000,
    randomness: Annotated[
        str | None, typer.Option(help="32 bytes; drawn unless given.", metavar="HEX", show_default=False)
    ] = None,
    partition: Annotated[
        int, typer.Option(help="WindowPoSt's partition index.", min=0, max=2**32 - 1, metavar="N")
    ] = 0,
    registered_proof: Annotated[
        int | None, typer.Option(help="Its number; the newest of the circuit unless given.", metavar="N")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write; standard output unless given.")] = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Make development sectors and a request for a proof over them.

    Sectors of more than 16 MiB are pretended: only what the proof opens is computed.
    """
    drawn = secrets.token_bytes(31) + b"\0" if randomness is None else parse_hex("--randomness", randomness, 32)
    order = DevelopmentOrder(seed.encode(), miner, tuple(sector or (1,)), drawn, partition, registered_proof)
    circuit, workers = entry(circuit_id), threads or available_threads()
    if out is None:
        print(circuit.development_request(order, workers).to_json())
        return
    with replacing(out) as file:  # before the work, which must not be lost to a name that cannot be written
        request = circuit.development_request(order, workers)
        file.write(request.to_json().encode() + b"\n")
    result = {"file": str(out), "bytes": out.stat().st_size, **decode(request).describe()}
    answer(result, f"{out}: {result['bytes']:,} bytes, a request for {circuit_id}", as_json=json)


@app.command("inspect", epilog="Example: cuzk vanilla inspect request.json")
def inspect_command(file: RequestFile, json: Json = False) -> None:
    """Show what a request asks to be proved. Its bytes are checked, its vanilla proofs are not: see `verify`."""
    request = read_request(file)
    job = decode(request)
    description = job.describe()
    result = {
        "request_id": request.request_id,
        "kind": request.kind.display,
        "priority": request.priority.name,
        "miner_id": request.miner_id,
        "partitions": job.partitions,
        "public_inputs": [len(job.public_inputs(partition)) for partition in range(job.partitions)],
        **description,
    }
    lines = [f"{key.replace('_', ' '):16} {value}" for key, value in result.items() if key != "sectors"]
    for sector in description.get("sectors", ()):
        lines.append(f"sector {sector['number']}")
        lines += [f"  {key:14} {value}" for key, value in sector.items() if key != "number"]
    answer(result, "\n".join(lines), as_json=json)


@app.command("verify", epilog="Example: cuzk vanilla verify request.json")
def verify_command(file: RequestFile, threads: Threads = None, json: Json = False) -> None:
    """Check the vanilla proofs of a request, as is done before every proof.

    Exit code 0: they hold. 1: they do not, and the sentence names the place. 2: the request is malformed.
    """
    job = decode(read_request(file))
    reason = None
    try:
        job.verify_vanilla(threads or available_threads())
    except InputError as error:
        reason = str(error)
    result = {"valid": reason is None, "circuit": job.circuit_id, "reason": reason}
    answer(result, f"{file}: {reason or f'valid for {job.circuit_id}'}", as_json=json, yes=reason is None)
