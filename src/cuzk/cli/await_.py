"""`cuzk await`: wait for a job."""

from typing import Annotated

import typer

from cuzk.cli.connection import Certificate, ClientCertificate, JobId, ProofFile, Server, Token, answer_result
from cuzk.cli.output import Json
from cuzk.client import DEFAULT_ADDRESS, Client

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: cuzk await winpost-1000-7 --timeout 60 --out proof.bin")
def command(
    job: JobId,
    timeout: Annotated[
        float | None, typer.Option(help="Give up after so many seconds; the job goes on.", min=0.001, metavar="SECONDS")
    ] = None,
    out: ProofFile = None,
    server: Server = DEFAULT_ADDRESS,
    token: Token = None,
    ca: Certificate = None,
    cert: ClientCertificate = None,
    json: Json = False,
) -> None:
    """Wait for a job to end and print its proof.

    Exit code 0: completed. 1: failed, cancelled, or not yet.
    """
    with Client(server, token=token, ca_certificate=ca, certificate=cert) as client:
        answer_result(lambda: client.wait(job, timeout=timeout), out, as_json=json)
