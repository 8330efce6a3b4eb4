"""`cuzk groth16 setup | prove | verify | demo`: Groth16 over files."""

import time
from pathlib import Path
from typing import Annotated

import typer

from cuzk.cli import groth16_demo
from cuzk.cli.development import ToxicWasteFile, made_text, make_parameters, read_toxic_waste
from cuzk.cli.output import Json, Threads, answer
from cuzk.cli.parse import BlindingScalar, parse_blinding, read_proof_bytes
from cuzk.devices.cpu import CpuDevice, available_threads
from cuzk.errors import FormatError, InputError, UnsatisfiedError
from cuzk.files import replacing_together
from cuzk.groth16.assignment import Assignment
from cuzk.groth16.parameters import Parameters
from cuzk.groth16.points import Check
from cuzk.groth16.proof import Proof, split_proofs
from cuzk.groth16.prover import prove
from cuzk.groth16.r1cs_file import read_r1cs
from cuzk.groth16.verifier import verify
from cuzk.groth16.verifying_key import VerifyingKey
from cuzk.groth16.witness_file import format_public_inputs, read_public_inputs, read_witness

app = typer.Typer(no_args_is_help=True, add_completion=False)

app.command("demo", epilog="Example: cuzk groth16 demo --data tests/data --data ../shared/fixtures")(
    groth16_demo.demo_command
)

R1cs = Annotated[Path, typer.Option(help="R1CS file, as cuzk.groth16.write_r1cs writes it.", metavar="FILE")]


@app.command("setup", epilog="Example: cuzk groth16 setup --r1cs circuit.r1cs --out circuit.params")
def setup_command(
    r1cs: R1cs,
    out: Annotated[Path, typer.Option(help="Parameter file to write; the .vk goes beside it.", metavar="FILE.params")],
    toxic_waste: ToxicWasteFile = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Make development parameters for a circuit. They are unsafe: whoever ran this could forge proofs."""
    waste = read_toxic_waste(toxic_waste)
    made = make_parameters("setup", lambda: read_r1cs(r1cs), out, toxic_waste=waste, threads=threads)
    answer(made, made_text(made), as_json=json)


@app.command(
    "prove", epilog="Example: cuzk groth16 prove --r1cs c.r1cs --witness w.bin --params c.params --out proof.bin"
)
def prove_command(
    r1cs: R1cs,
    witness: Annotated[
        Path, typer.Option(help="Witness file, as cuzk.groth16.write_witness writes it.", metavar="FILE")
    ],
    params: Annotated[Path, typer.Option(help="Parameters of this circuit.", metavar="FILE")],
    out: Annotated[Path | None, typer.Option(help="Where the 192 bytes of the proof go.", metavar="FILE")] = None,
    public: Annotated[Path | None, typer.Option(help="Where the public inputs go, for verify.", metavar="FILE")] = None,
    r: BlindingScalar = None,
    s: BlindingScalar = None,
    check: Annotated[Check, typer.Option(help="How far the parameters' points are checked first.")] = Check.CURVE,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Prove a circuit; the proof is verified before it is written.

    Exit code 1: the witness does not satisfy the circuit.
    """
    blinding = parse_blinding(r, s)
    workers = threads or available_threads()
    circuit = read_r1cs(r1cs)
    inputs, aux = read_witness(witness)
    parameters = Parameters.open(params, check=check, threads=workers)
    assignment = Assignment.from_witness(circuit, inputs, aux, threads=workers)
    assignment.check_satisfies(circuit, threads=workers)
    # Opened before the work, which must not be lost to a name that cannot be written.
    with replacing_together(*(path for path in (out, public) if path is not None)) as files:
        begin = time.perf_counter()
        made = prove(CpuDevice(workers), parameters, circuit.density, assignment, **blinding, threads=workers)
        seconds = time.perf_counter() - begin
        if not verify(parameters.verifying_key, inputs[1:], made):
            raise UnsatisfiedError("the proof does not verify: these parameters were not made for this circuit")
        data = made.to_bytes()
        if out is not None:
            files[0].write(data)
        if public is not None:
            files[-1].write(format_public_inputs([inputs[1:]]))
    result = {
        "proof": data.hex(),
        "out": str(out) if out else None,
        "domain": circuit.domain,
        "seconds": round(seconds, 3),
    }
    answer(result, f"{out}: proved in {seconds:.2f} s" if out else data.hex(), as_json=json)


@app.command("verify", epilog="Example: cuzk groth16 verify --vk c.vk --proof proof.bin --public public-inputs.bin")
def verify_command(
    vk: Annotated[
        Path, typer.Option(help="Verifying key; if missing, the head of the .params beside it.", metavar="FILE")
    ],
    proof: Annotated[str, typer.Option(help="One proof a partition: a file, or hexadecimal.", metavar="FILE|HEX")],
    public: Annotated[Path, typer.Option(help="Public inputs of each partition, without ONE.", metavar="FILE")],
    json: Json = False,
) -> None:
    """Verify proofs against their public inputs.

    Exit code 0: all are valid. 1: one is not. 2: the input could not be read.
    """
    proofs = split_proofs(read_proof_bytes(proof))
    partitions = read_public_inputs(public)
    if len(proofs) != len(partitions):
        raise InputError(f"{len(proofs)} proofs for the public inputs of {len(partitions)} partitions")
    key = VerifyingKey.open(vk)
    reason = None
    for number, (data, inputs) in enumerate(zip(proofs, partitions, strict=True)):
        try:
            if not verify(key, inputs, Proof.parse(data)):
                reason = f"proof {number}: the pairing equation does not hold"
        except FormatError as error:  # 192 bytes that are no points cannot be a valid proof
            reason = f"proof {number}: {error}"
        if reason is not None:
            break
    result = {"valid": reason is None, "proofs": len(proofs), "reason": reason}
    answer(result, "valid" if reason is None else f"not valid: {reason}", as_json=json, yes=reason is None)
