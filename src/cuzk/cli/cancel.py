"""`cuzk cancel`: cancel a job."""

import typer

from cuzk.cli.connection import Certificate, ClientCertificate, JobId, Server, Token
from cuzk.cli.output import Json, answer
from cuzk.client import DEFAULT_ADDRESS, Client

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: cuzk cancel porep-1000-42")
def command(
    job: JobId,
    server: Server = DEFAULT_ADDRESS,
    token: Token = None,
    ca: Certificate = None,
    cert: ClientCertificate = None,
    json: Json = False,
) -> None:
    """Cancel a job; work on it ends at the next stage boundary.

    Exit code 0: it was unfinished and is cancelled. 1: it had ended. 2: there is no such job.
    """
    with Client(server, token=token, ca_certificate=ca, certificate=cert) as client:
        was_running = client.cancel(job)
    text = f"{job}: {'cancelled' if was_running else 'had ended already'}"
    answer({"job_id": job, "was_running": was_running}, text, as_json=json, yes=was_running)
