"""`cuzk evict`: free a circuit's parameters."""

import typer

from cuzk.cli.connection import Certificate, ClientCertificate, Server, Token
from cuzk.cli.output import CircuitId, Json, answer
from cuzk.cli.words import size
from cuzk.client import DEFAULT_ADDRESS, Client

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: cuzk evict porep-32g")
def command(
    circuit_id: CircuitId,
    server: Server = DEFAULT_ADDRESS,
    token: Token = None,
    ca: Certificate = None,
    cert: ClientCertificate = None,
    json: Json = False,
) -> None:
    """Free the memory of a circuit's parameters in a daemon, unless a job uses them.

    Exit code 0: nothing of it is loaded now. 1: a job uses it.
    """
    with Client(server, token=token, ca_certificate=ca, certificate=cert) as client:
        was_loaded, freed = client.evict(circuit_id)
    gone = not was_loaded or freed > 0
    words = "was not loaded" if not was_loaded else f"{size(freed)} freed" if gone else "is in use"
    data = {"circuit_id": circuit_id, "was_loaded": was_loaded, "freed_bytes": freed}
    answer(data, f"{circuit_id}: {words}", as_json=json, yes=gone)
