"""`cuzk preload`: load a circuit's parameters before a job needs them."""

import typer

from cuzk.cli.connection import Certificate, ClientCertificate, Server, Token
from cuzk.cli.output import CircuitId, Json, answer
from cuzk.cli.words import duration
from cuzk.client import DEFAULT_ADDRESS, Client

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: cuzk preload winning-32g")
def command(
    circuit_id: CircuitId,
    server: Server = DEFAULT_ADDRESS,
    token: Token = None,
    ca: Certificate = None,
    cert: ClientCertificate = None,
    json: Json = False,
) -> None:
    """Load a circuit's parameters into a daemon's memory, and return when they are there."""
    with Client(server, token=token, ca_certificate=ca, certificate=cert) as client:
        already_loaded, load_ms = client.preload(circuit_id)
    text = f"{circuit_id}: {'was loaded already' if already_loaded else f'loaded in {duration(load_ms)}'}"
    answer({"circuit_id": circuit_id, "already_loaded": already_loaded, "load_time_ms": load_ms}, text, as_json=json)
