"""Every parser of bytes from outside, with good inputs to damage. A new parser gets a line here."""

import json
import struct
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cuzk.gadgets.number import AllocatedNum
from cuzk.gadgets.poseidon import poseidon_hash
from cuzk.groth16 import Assignment, Check, Parameters, Proof, ToxicWaste, VerifyingKey
from cuzk.groth16.prepared import PreparedBases
from cuzk.groth16.r1cs_file import parse_r1cs
from cuzk.groth16.witness_file import parse_public_inputs, parse_witness
from cuzk.r1cs import CompiledCircuit, ConstraintSystem, storage
from tests.groth16.fixtures import NAMES, fixture
from tests.r1cs.test_storage import with_checksum


@dataclass(frozen=True)
class Target:
    """A parser: raises InputError (or FormatError) for bad bytes, and nothing else, whatever they are."""

    name: str
    parse: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]


def _files(name: str) -> Callable[[], list[bytes]]:
    return lambda: [fixture(circuit).bytes(name) for circuit in NAMES[:2]]


def _assignments() -> list[bytes]:
    buffers = []
    for circuit in NAMES[:2]:
        assignment = fixture(circuit).assignment()
        buffer = bytearray(assignment.layout.size)
        assignment.write_to(memoryview(buffer))
        buffers.append(bytes(buffer))
    return buffers


def _toxic_waste() -> list[bytes]:
    return [json.dumps(fixture("quirk").meta["toxic_waste"]).encode()]


def _compiled_circuits() -> list[bytes]:
    def hash_twice(cs: ConstraintSystem) -> None:
        number = AllocatedNum.alloc(cs, cs.data())
        poseidon_hash(cs, [number, poseidon_hash(cs, [number, number])]).inputize(cs)

    return [storage.to_bytes(CompiledCircuit.trace("seed", hash_twice))]


def _compiled_circuit(data: bytes) -> None:
    """Give damaged bytes a right checksum, so that more than the checksum is tried."""
    storage.parse(memoryview(with_checksum(data)))


def _prepared_files() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.prepared"
        fixture("quirk").parameters().prepare(path, source="seed", multiples=2)
        return [path.read_bytes()]


def _prepared(data: bytes) -> None:
    """Give a damaged index a right checksum and the right size of the file, so that more than they are tried."""
    repaired = bytearray(data)
    if len(data) >= 32:
        size = int.from_bytes(data[28:32], "little")
        repaired[16:28] = struct.pack("<QI", len(data), zlib.crc32(data[32 : 32 + size]))
    PreparedBases.parse(memoryview(bytes(repaired)), "seed", fixture("quirk").parameters().counts)


TARGETS = [
    Target("r1cs", parse_r1cs, _files("r1cs.bin")),
    Target("witness", parse_witness, _files("witness.bin")),
    Target("public-inputs", parse_public_inputs, _files("public-inputs.bin")),
    Target("proof", Proof.parse, _files("proof-1.bin")),
    Target("verifying-key", VerifyingKey.parse, _files("vk.bin")),
    Target("params-structure", lambda data: Parameters.parse(data, check=Check.STRUCTURE), _files("params.bin")),
    Target("params-curve", lambda data: Parameters.parse(data, check=Check.CURVE), _files("params.bin")),
    Target("params", Parameters.parse, _files("params.bin")),
    Target("prepared", _prepared, _prepared_files),
    Target("assignment", lambda data: Assignment.from_buffer(memoryview(bytearray(data))), _assignments),
    Target("compiled-circuit", _compiled_circuit, _compiled_circuits),
    Target("toxic-waste", ToxicWaste.parse, _toxic_waste),
]
