"""The fixtures' small circuits, loaded once."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuzk.groth16 import Assignment, FlatCircuit, Parameters, ToxicWaste
from cuzk.groth16.r1cs_file import read_r1cs
from cuzk.groth16.witness_file import read_public_inputs, read_witness
from tests.conftest import data_path

NAMES = ("quirk", "chain16", "chain300")


@dataclass(frozen=True)
class Fixture:
    """One of Filecoin's own small circuits."""

    folder: Path
    meta: dict[str, Any]
    circuit: FlatCircuit
    inputs: NDArray[np.uint64]
    aux: NDArray[np.uint64]
    public_inputs: NDArray[np.uint64]

    def bytes(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def parameters(self) -> Parameters:
        return Parameters.open(self.folder / "params.bin")

    def assignment(self) -> Assignment:
        return Assignment.from_witness(self.circuit, self.inputs, self.aux)

    def toxic_waste(self) -> ToxicWaste:
        return ToxicWaste.parse(json.dumps(self.meta["toxic_waste"]).encode())

    def blinding(self, number: int) -> dict[str, int]:
        proof = self.meta["proofs"][number]
        return {name: int.from_bytes(bytes.fromhex(proof[f"{name}_le"]), "little") for name in ("r", "s")}


@cache
def fixture(name: str) -> Fixture:
    folder = data_path(f"groth16/{name}")
    inputs, aux = read_witness(folder / "witness.bin")
    return Fixture(
        folder=folder,
        meta=json.loads((folder / "meta.json").read_text()),
        circuit=read_r1cs(folder / "r1cs.bin"),
        inputs=inputs,
        aux=aux,
        public_inputs=read_public_inputs(folder / "public-inputs.bin")[0],
    )
