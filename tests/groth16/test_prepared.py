"""Prepared parameters: the same proofs, and files that are damaged, foreign or half-written are not used."""

import json
import struct
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cuzk import _native
from cuzk.devices import CpuDevice
from cuzk.errors import FormatError, InputError
from cuzk.groth16 import Parameters, prove
from cuzk.groth16.prepared import prepared_size
from tests.groth16.fixtures import NAMES, fixture

pytestmark = pytest.mark.usefixtures("each_isa")
SOURCE = "0123456789abcdef"
HEADER = struct.Struct("<8sQQII")


def prepared(path: Path, multiples: int = 1, name: str = "chain16") -> Parameters:
    return fixture(name).parameters().prepare(path, source=SOURCE, multiples=multiples, threads=2)


def reopen(path: Path, source: str = SOURCE, name: str = "chain16") -> Parameters:
    return fixture(name).parameters().with_prepared(path, source=source)


@pytest.mark.parametrize("multiples", [1, 4, 16])
@pytest.mark.parametrize("name", NAMES)
def test_proofs_are_the_same_bytes(name: str, multiples: int, tmp_path: Path) -> None:
    case = fixture(name)
    prepared(tmp_path / "c.prepared", multiples, name)
    parameters = reopen(tmp_path / "c.prepared", name=name)
    assert parameters.prepared is not None
    assert parameters.prepared.multiples == multiples
    proof = prove(CpuDevice(2), parameters, case.circuit.density, case.assignment(), **case.blinding(1), threads=2)
    assert proof.to_bytes() == case.bytes("proof-1.bin")


def test_the_memory_is_what_was_said(tmp_path: Path) -> None:
    parameters = prepared(tmp_path / "c.prepared", 4)
    assert parameters.prepared is not None
    assert parameters.prepared.nbytes == prepared_size(parameters.counts, 4)


def test_it_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "c.prepared"
    prepared(path)
    made = path.stat().st_ino
    prepared(path)
    assert path.stat().st_ino == made
    prepared(path, multiples=2)
    assert path.stat().st_ino != made


def test_several_make_one(tmp_path: Path) -> None:
    path, results = tmp_path / "c.prepared", []
    makers = [threading.Thread(target=lambda: results.append(prepared(path))) for _ in range(4)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert len(results) == 4
    assert [child.name for child in tmp_path.iterdir() if not child.name.startswith(".")] == ["c.prepared"]


def test_a_file_of_other_parameters_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.prepared"
    prepared(path)
    with pytest.raises(FormatError, match="made from the parameters 0123456789abcdef"):
        reopen(path, source="another")
    with pytest.raises(FormatError, match="expected one of 1023 points"):
        reopen(path, name="chain300")


def test_a_file_for_other_kernels_is_refused(tmp_path: Path) -> None:
    before = _native.isa()
    other = "portable" if before != "portable" else "avx512ifma"
    if not _native.isa_available(other):
        pytest.skip(f"this machine or build does not have {other}")
    path = tmp_path / "c.prepared"
    parameters = prepared(path)
    assert parameters.prepared is not None
    try:
        _native.set_isa(other)
        with pytest.raises(FormatError, match="has the layout"):
            reopen(path)
        case = fixture("chain16")
        proof = prove(CpuDevice(1), parameters, case.circuit.density, case.assignment(), **case.blinding(1))
        assert proof.to_bytes() == case.bytes("proof-1.bin")
    finally:
        _native.set_isa(before)


def test_damage_anywhere_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "c.prepared"
    parameters = prepared(path)
    assert parameters.prepared is not None
    data = path.read_bytes()
    places = [0, 8, 16, 24, 28, 40, len(data) - 1]  # magic, version, size, checksum, index and its size, a point
    for place in places:
        damaged = bytearray(data)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match="holds no prepared points"):
            reopen(path)
    for size in (1, 20, 100, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(FormatError, match="holds no prepared points"):
            reopen(path)
    assert prepared(path).prepared is not None  # made anew


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="cannot write"):
        prepared(tmp_path / "file" / "c.prepared")
    with pytest.raises(InputError, match="cannot read"):
        reopen(tmp_path / "nothing")


def with_index(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A file whose index says something else, with a checksum that is right."""
    magic, version, size, _, index_size = HEADER.unpack_from(data)
    index = json.loads(data[HEADER.size : HEADER.size + index_size])
    change(index["vectors"])
    encoded = json.dumps(index).encode()
    header = HEADER.pack(magic, version, size, zlib.crc32(encoded), len(encoded))
    return header + encoded + data[HEADER.size + len(encoded) :]


@pytest.mark.parametrize("spacing", [-1, 0, 1, 62, 131, 254, 1 << 40, 1 << 70])
def test_a_spacing_that_the_kernels_cannot_use_is_refused(spacing: int, tmp_path: Path) -> None:
    path = tmp_path / "c.prepared"
    prepared(path, 2)
    path.write_bytes(with_index(path.read_bytes(), lambda vectors: vectors["a"].update(spacing=spacing)))
    with pytest.raises(FormatError, match="no windows divide"):
        reopen(path)


@pytest.mark.parametrize("multiples", [-1, 0, 3, 65, 1 << 40, 1 << 62, 1 << 70])
def test_a_shape_that_overflows_is_refused(multiples: int, tmp_path: Path) -> None:
    def change(vectors: dict[str, Any]) -> None:
        vectors["l"]["shape"][1] = multiples

    path = tmp_path / "c.prepared"
    prepared(path, 2)
    path.write_bytes(with_index(path.read_bytes(), change))
    with pytest.raises(FormatError, match="holds no prepared points"):
        reopen(path)


def test_a_file_that_is_far_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "c.prepared"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole
    with pytest.raises(FormatError, match="1099511627776 bytes, expected prepared points of"):
        reopen(path)
