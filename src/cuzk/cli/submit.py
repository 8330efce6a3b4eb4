"""`cuzk submit`: hand a request to a daemon and return."""

from pathlib import Path
from typing import Annotated

import typer

from cuzk.cli.connection import Certificate, ClientCertificate, Server, Token
from cuzk.cli.output import Json, answer
from cuzk.client import DEFAULT_ADDRESS, Client
from cuzk.filecoin.request import read_request

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: cuzk submit request.json --server 127.0.0.1:9820")
def command(
    file: Annotated[Path, typer.Argument(help="A request file.", metavar="REQUEST.json")],
    server: Server = DEFAULT_ADDRESS,
    token: Token = None,
    ca: Certificate = None,
    cert: ClientCertificate = None,
    json: Json = False,
) -> None:
    """Submit a proof job and print its id. The job is on the daemon's disk when this returns.

    The same request again finds the same job: running, or its stored proof.
    """
    request = read_request(file)
    with Client(server, token=token, ca_certificate=ca, certificate=cert) as client:
        job_id = client.submit(request)
    answer({"job_id": job_id}, job_id, as_json=json)
