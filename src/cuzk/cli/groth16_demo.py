"""`cuzk groth16 demo`: the whole way from a circuit to a verified proof, on this machine, as a table."""

import hashlib
import json as json_module
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from cuzk.algebra import fr
from cuzk.cli.output import Json, Threads, print_table
from cuzk.cli.root import EXIT_NO
from cuzk.cli.words import seconds
from cuzk.devices.cpu import CpuDevice, available_threads
from cuzk.filecoin.parameters.manifest import file_digest
from cuzk.filecoin.post.public_inputs import PublicSector, winning_public_inputs
from cuzk.filecoin.sectors import shape_of
from cuzk.groth16.assignment import Assignment
from cuzk.groth16.circuit import Circuit
from cuzk.groth16.proof import Proof
from cuzk.groth16.prover import prove_finish, prove_start
from cuzk.groth16.r1cs_file import read_r1cs
from cuzk.groth16.setup import setup
from cuzk.groth16.synthetic import dense_chain
from cuzk.groth16.toxic_waste import ToxicWaste
from cuzk.groth16.verifier import verify
from cuzk.groth16.verifying_key import VerifyingKey
from cuzk.groth16.witness_file import read_witness

Result = TypeVar("Result")

_CHAIN_LOG2 = 14
_WINDOW = "window/a-v1_2-s1s2"
_WINDOW_PARAMETERS = "merkletree-poseidon_hasher-8-0-0-0170db1f"
_GENUINE = "filecoin-mainnet/winningpost_2kib.json"


@dataclass(frozen=True)
class Step:
    """One line of the table."""

    what: str
    step: str
    seconds: float
    result: str
    good: bool = True


@dataclass(frozen=True)
class Known:
    """The secrets and results of a run of Filecoin's own software, where there was one."""

    waste: ToxicWaste | None = None
    parameters_sha256: str | None = None
    r: int | None = None
    s: int | None = None
    proof: bytes | None = None


@dataclass(frozen=True)
class Case:
    """A circuit with a witness."""

    what: str
    circuit: Circuit
    inputs: NDArray[np.uint64]
    aux: NDArray[np.uint64]
    known: Known | None = None


class Demo:
    """Runs the steps and remembers how long each took."""

    def __init__(self, folder: Path, data: list[Path], threads: int) -> None:
        self.folder = folder
        self.data = data
        self.threads = threads
        self.steps: list[Step] = []

    def run(self) -> None:
        """Run everything for which the data is at hand."""
        self._dense_chain()
        if self._find("r1cs/window-2k.r1cs") and self._find(f"{_WINDOW}/witness-0.bin"):
            self._window_post()
        if genuine := self._find(_GENUINE):
            self._genuine_proof(genuine)

    def _dense_chain(self) -> None:
        what = f"dense chain 2^{_CHAIN_LOG2}"
        case = self._timed(what, "build the circuit", lambda: dense_chain(_CHAIN_LOG2))
        self._prove(Case(what, case.circuit, case.inputs, case.aux))

    def _window_post(self) -> None:
        """Prove a circuit of Filecoin's from its own secrets: file and proof must be the same bytes."""
        what = "WindowPoSt 2 KiB"
        circuit = self._timed(what, "read the circuit", lambda: read_r1cs(self._get("r1cs/window-2k.r1cs")))
        inputs, aux = read_witness(self._get(f"{_WINDOW}/witness-0.bin"))
        det = json_module.loads(self._get(f"{_WINDOW}/det.json").read_text())
        digests = json_module.loads(self._get("params/params-sha256.json").read_text())
        known = Known(
            waste=ToxicWaste.read(self._get("params/toxic-waste.json")),
            parameters_sha256=next(entry["sha256"] for name, entry in digests.items() if _WINDOW_PARAMETERS in name),
            r=int.from_bytes(bytes.fromhex(det["r_le"][0]), "little"),
            s=int.from_bytes(bytes.fromhex(det["s_le"][0]), "little"),
            proof=self._get(f"{_WINDOW}/proof-fixed-rs.bin").read_bytes(),
        )
        self._prove(Case(what, circuit, inputs, aux, known))

    def _prove(self, case: Case) -> None:
        what, circuit, known = case.what, case.circuit, case.known or Known()
        path, threads, device = self.folder / "demo.params", self.threads, CpuDevice(self.threads)
        parameters = self._timed(
            what,
            "setup",
            lambda: setup(circuit, path, toxic_waste=known.waste, threads=threads),
            lambda _: f"{path.stat().st_size / (1 << 20):.1f} MiB",
        )
        if known.parameters_sha256:
            self._same("the parameter file", _sha256(path), known.parameters_sha256)
        assignment = self._timed(
            what, "A·z, B·z", lambda: Assignment.from_witness(circuit, case.inputs, case.aux, threads=threads)
        )
        pending = self._timed(
            what,
            "prove_start (device)",
            lambda: prove_start(device, parameters, circuit.density, assignment, r=known.r, s=known.s),
        )
        proof = self._timed(
            what, "prove_finish (CPU)", lambda: prove_finish(pending, threads=threads), lambda _: "192 bytes"
        )
        if known.proof:
            self._same("the proof", proof.to_bytes(), known.proof)
        key, public = parameters.verifying_key, case.inputs[1:]
        self._expect(what, "verify", lambda: verify(key, public, Proof.parse(proof.to_bytes())), True)
        changed = fr.add(public, np.ascontiguousarray(np.broadcast_to(fr.from_ints([1]), public.shape)))
        self._expect(what, "verify, other inputs", lambda: verify(key, changed, proof), False)

    def _genuine_proof(self, path: Path) -> None:
        what = "WinningPoSt, genuine"
        case = json_module.loads(path.read_text())
        sector = PublicSector(case["sector_number"], bytes.fromhex(case["comm_r_hex"]))
        shape, randomness = shape_of(case["sector_size"]), bytes.fromhex(case["randomness_hex"])
        vk_path = path.with_name("winning_2kib.vk")
        key = self._timed(
            what, "read the network's key", lambda: VerifyingKey.open(vk_path), lambda _: file_digest(vk_path)
        )
        proof = Proof.parse(bytes.fromhex(case["proof_bytes_hex"]))
        public = winning_public_inputs(shape, randomness, sector)
        self._expect(what, "verify", lambda: verify(key, public, proof), True)
        other = winning_public_inputs(shape, randomness, PublicSector(sector.number + 1, sector.comm_r))
        self._expect(what, "verify, other sector", lambda: verify(key, other, proof), False)

    def _timed(
        self, what: str, step: str, action: Callable[[], Result], describe: Callable[[Result], str] = lambda _: "done"
    ) -> Result:
        begin = time.perf_counter()
        result = action()
        self.steps.append(Step(what, step, time.perf_counter() - begin, describe(result)))
        return result

    def _expect(self, what: str, step: str, action: Callable[[], bool], expected: bool) -> None:
        begin = time.perf_counter()
        valid = action()
        self.steps.append(
            Step(what, step, time.perf_counter() - begin, "valid" if valid else "not valid", valid == expected)
        )

    def _same(self, what: str, made: bytes | str, expected: bytes | str) -> None:
        """Add to the last step whether what it made is Filecoin's, byte for byte."""
        last, same = self.steps[-1], made == expected
        verdict = f"{last.result}, as Filecoin's" if same else f"{what} differs from Filecoin's"
        self.steps[-1] = replace(last, result=verdict, good=same)

    def _find(self, name: str) -> Path | None:
        return next((folder / name for folder in self.data if (folder / name).exists()), None)

    def _get(self, name: str) -> Path:
        return self._find(name) or Path(name)


def demo_command(
    data: Annotated[
        list[Path] | None, typer.Option(help="Folder with real Filecoin data; may be given several times.")
    ] = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Set up, prove and verify a circuit; with real Filecoin data at hand, its circuits and proofs too."""
    with tempfile.TemporaryDirectory(prefix="cuzk-groth16-demo-") as folder:
        demo = Demo(Path(folder), data or [], threads or available_threads())
        demo.run()
    good = all(step.good for step in demo.steps)
    if json:
        print(json_module.dumps({"good": good, "steps": [asdict(step) for step in demo.steps]}))
    else:
        print_table(_table(demo.steps), columns=100)
    if not good:
        raise typer.Exit(EXIT_NO)


def _table(steps: list[Step]) -> Table:
    table = Table("circuit", "step", "time", "result")
    table.columns[2].justify = "right"
    previous = ""
    for step in steps:
        table.add_row(
            step.what if step.what != previous else "",
            step.step,
            seconds(step.seconds),
            step.result if step.good else f"[red]{step.result}: WRONG[/red]",
        )
        previous = step.what
    return table


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
