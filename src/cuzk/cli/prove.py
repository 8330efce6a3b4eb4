"""`cuzk prove`: a proof for a request, made here or by a daemon."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from cuzk.cli.connection import Certificate, ClientCertificate, Token, answer_result
from cuzk.cli.output import Json, Threads, answer, print_table
from cuzk.cli.parse import BlindingScalar, parse_blinding
from cuzk.cli.proving import DevParams, RequestFile, find_prover_parameters
from cuzk.client import Client
from cuzk.devices.cpu import CpuDevice, available_threads
from cuzk.errors import InputError
from cuzk.filecoin.local import LocalProver, StageTimes, checked_job
from cuzk.filecoin.registry import entry_of
from cuzk.filecoin.request import read_request
from cuzk.files import replacing
from cuzk.groth16.proof import join_proofs
from cuzk.r1cs.synthesis import Synthesizer

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: cuzk prove request.json --params circuit.params --out proof.bin")
def command(
    request_file: RequestFile,
    out: Annotated[Path, typer.Option(help="Where to write the proof: 192 bytes a partition.", metavar="FILE")],
    params: Annotated[
        Path | None, typer.Option(help="Parameter file; that of the parameter folder unless given.", metavar="FILE")
    ] = None,
    dev_params: DevParams = False,
    r: BlindingScalar = None,
    s: BlindingScalar = None,
    repeat: Annotated[int, typer.Option(help="Prove so many times, and show each.", min=1, metavar="N")] = 1,
    server: Annotated[
        str | None,
        typer.Option("--server", help="Ask the daemon at HOST:PORT or unix:///PATH instead.", metavar="ADDR"),
    ] = None,
    token: Token = None,
    ca: Certificate = None,
    cert: ClientCertificate = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Check a request's vanilla proofs, prove it and verify the proof; show how long each stage took.

    With --server a daemon does it, with its own parameters.

    Exit code 0: the proof was written and verifies. 1: it does not verify. 2: bad input; the sentence says what.
    """
    if server is not None:
        if params is not None or dev_params or r is not None or s is not None or repeat > 1 or threads is not None:
            raise InputError("--server: the daemon has parameters, threads and randomness of its own")
        request = read_request(request_file)
        with Client(server, token=token, ca_certificate=ca, certificate=cert) as client:
            answer_result(lambda: client.prove(request), out, as_json=json)
        return
    blinding = parse_blinding(r, s)
    workers = threads or available_threads()
    setup = StageTimes()
    with setup.stage("read request"):
        request = read_request(request_file)
        entry = entry_of(request)
    times = StageTimes()
    job = checked_job(entry, request, times, workers)  # before parameters are looked for: what is wrong comes first
    with setup.stage("open parameters"):
        parameters = find_prover_parameters(entry, params, dev_params, workers)
    with setup.stage("compile circuit"):
        synthesizer = Synthesizer(entry.circuit())
    prover = LocalProver(synthesizer, parameters, CpuDevice(workers), workers)
    runs = []
    with replacing(out) as file:  # before the work, which must not be lost to a name that cannot be written
        for run in range(repeat):
            if run:
                times = StageTimes()
                job = checked_job(entry, request, times, workers)
            proofs = prover.prove(job, times, **blinding)
            runs.append(times)
        data = join_proofs(proofs)
        file.write(data)
    result: dict[str, Any] = {
        "circuit": entry.circuit_id,
        "partitions": len(proofs),
        "proof": str(out),
        "bytes": len(data),
        "valid": True,
        "threads": workers,
        "setup_ms": _milliseconds(setup),
        "runs": [{**_milliseconds(times), "total": round(times.total * 1e3, 3)} for times in runs],
    }
    if json:
        answer(result, "", as_json=True)
    else:
        _show(result)


def _milliseconds(times: StageTimes) -> dict[str, float]:
    return {name.replace(" ", "_"): round(seconds * 1e3, 3) for name, seconds in times.seconds.items()}


def _show(result: dict[str, Any]) -> None:
    table = Table("stage", *(f"run {number}" for number in range(1, len(result["runs"]) + 1)))
    for column in table.columns[1:]:
        column.justify = "right"
    for name, milliseconds in result["setup_ms"].items():
        table.add_row(name.replace("_", " "), _time(milliseconds))
    table.add_section()
    for name in result["runs"][0]:
        table.add_row(name.replace("_", " "), *(_time(run[name]) for run in result["runs"]))
    print_table(table, columns=80)
    print(f"{result['proof']}: {result['bytes']} bytes, valid for {result['circuit']}")


def _time(milliseconds: float) -> str:
    return f"{milliseconds:,.1f} ms" if milliseconds < 1000 else f"{milliseconds / 1e3:,.2f} s"
