"""`cuzk circuits`: what there is to prove, how large it is, and whether it is the trusted setup's circuit."""

from pathlib import Path
from typing import Annotated

import typer

from cuzk.algebra import bitmap
from cuzk.cli.output import CircuitId, Json, answer
from cuzk.errors import InputError
from cuzk.filecoin import registry
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.post.circuit import compiled_circuit
from cuzk.filecoin.post.config import window_config
from cuzk.r1cs import CompiledCircuit, storage
from cuzk.r1cs.bisect import Difference, first_difference, format_row, readable_rows
from cuzk.r1cs.digest import r1cs_digests

app = typer.Typer(no_args_is_help=True, add_completion=False)

Sectors = Annotated[
    int | None, typer.Option(min=1, max=1 << 16, help="Sectors of a wpost circuit, instead of its own.", metavar="N")
]


@app.callback()
def _group() -> None:
    """Show circuits: sizes, densities, digests."""


@app.command("list", epilog="Example: cuzk circuits list --json")
def list_command(json: Json = False) -> None:
    """List all circuits, with the names of their parameter files."""
    circuits = [
        {
            "id": entry.circuit_id,
            "kind": entry.kind.display,
            "sector_size": entry.shape.size,
            "parameters": entry.parameter_stem,
        }
        for entry in registry.entries()
    ]
    lines = [f"{circuit['id']:13} {circuit['kind']:13} {circuit['parameters']}" for circuit in circuits]
    answer({"circuits": circuits}, "\n".join(lines), as_json=json)


@app.command("show", epilog="Example: cuzk circuits show wpost-32g --sectors 2")
def show_command(circuit_id: CircuitId, sectors: Sectors = None, json: Json = False) -> None:
    """Show how large a circuit is. Densities count the input rows, non-zeros do not."""
    circuit = _circuit(circuit_id, sectors)
    density = circuit.density
    result = {
        "id": circuit_id,
        "inputs": circuit.num_inputs,
        "aux": circuit.num_aux,
        "constraints": circuit.num_constraints,
        "domain": circuit.domain,
        "density": {
            "a_aux": bitmap.popcount(density.a_aux),
            "b_inputs": bitmap.popcount(density.b_inputs),
            "b_aux": bitmap.popcount(density.b_aux),
        },
        "nonzeros": dict(zip("abc", circuit.nonzeros, strict=True)),
        "compiled_bytes": len(storage.to_bytes(circuit)),
    }
    answer(result, _table(result), as_json=json)


@app.command("digest", epilog="Example: cuzk circuits digest winning-2k --json")
def digest_command(circuit_id: CircuitId, sectors: Sectors = None, json: Json = False) -> None:
    """Compute the SHA-256 of a circuit's constraints, and of these with the input rows."""
    own, both = r1cs_digests(_circuit(circuit_id, sectors))
    result = {"r1cs_sha256": own, "r1cs_sha256_with_input_rows": both}
    answer(result, "\n".join(f"{digest}  {name}" for name, digest in result.items()), as_json=json)


@app.command("compare", epilog="Example: cuzk circuits compare winning-2k --checkpoints winning-2k.checkpoints.tsv")
def compare_command(
    circuit_id: CircuitId,
    checkpoints: Annotated[
        Path | None, typer.Option(help="Running digests: rows, inputs, aux, digest, path.", metavar="TSV")
    ] = None,
    rows: Annotated[Path | None, typer.Option(help="Rows in readable form.", metavar="FILE")] = None,
    sectors: Sectors = None,
    json: Json = False,
) -> None:
    """Find the first constraint in which a circuit differs from a recorded one. Exit code 1: it differs."""
    if checkpoints is None and rows is None:
        raise InputError("nothing to compare with: give --checkpoints, --rows or both")
    circuit = _circuit(circuit_id, sectors)
    difference = first_difference(circuit, checkpoints, rows)
    result: dict[str, bool | int] = {"equal": difference is None}
    if difference:
        result |= {"first_row": difference.begin, "last_row": difference.end - 1}
    text = _explained(circuit, difference) if difference else "equal in everything that was recorded"
    answer(result, text, as_json=json, yes=difference is None)


def _circuit(circuit_id: str, sectors: int | None) -> CompiledCircuit:
    entry = registry.entry(circuit_id)
    if sectors is None:
        return entry.circuit()
    if entry.kind is not Kind.WINDOW:
        raise InputError(f"--sectors: only wpost circuits have a number of sectors to choose, not {circuit_id}")
    return compiled_circuit(window_config(entry.shape, sectors))


def _explained(circuit: CompiledCircuit, difference: Difference) -> str:
    if difference.expected is None:
        return f"the first difference is in rows {difference.begin} to {difference.end - 1}"
    got = "\n".join(format_row(row) for row in readable_rows(circuit, difference.begin, difference.end))
    return f"expected\n{format_row(difference.expected)}\ngot\n{got or 'nothing: the circuit ends before'}"


def _table(result: dict[str, object]) -> str:
    lines = []
    for name, value in result.items():
        if isinstance(value, dict):
            lines += [f"{name + ' ' + part:18} {number:>14,}" for part, number in value.items()]
        else:
            lines.append(f"{name:18} {value:>14}" if isinstance(value, str) else f"{name:18} {value:>14,}")
    return "\n".join(lines)
