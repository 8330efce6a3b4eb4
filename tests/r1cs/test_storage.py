"""Compiled circuits as files: what comes back is the same, and what was damaged is refused."""

import hashlib
import logging
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from cuzk.algebra import fr
from cuzk.errors import FormatError, InputError
from cuzk.gadgets.number import AllocatedNum
from cuzk.r1cs import CompiledCircuit, storage
from cuzk.r1cs.cache import cached_circuit
from cuzk.r1cs.digest import r1cs_digests
from cuzk.r1cs.synthesis import Synthesizer

from .test_templates import nested, read


def circuit(cs: Any) -> None:
    (x, bit), (y, _) = read(cs), read(cs)
    with cs.namespace("outer"):
        last, *_ = nested(cs, [x, y], bit, factor=5)
    AllocatedNum.alloc(cs, last.value(cs)).inputize(cs)


@pytest.fixture
def compiled() -> CompiledCircuit:
    return CompiledCircuit.trace("test", circuit)


@pytest.fixture
def path(tmp_path: Path, compiled: CompiledCircuit) -> Path:
    storage.save(compiled, str(tmp_path / "circuit.pce"))
    return tmp_path / "circuit.pce"


def test_a_loaded_circuit_is_the_same(path: Path, compiled: CompiledCircuit) -> None:
    loaded = storage.load(str(path))
    assert (loaded.name, loaded.root.sizes, loaded.nonzeros) == (compiled.name, compiled.root.sizes, compiled.nonzeros)
    assert r1cs_digests(loaded) == r1cs_digests(compiled)
    rows = range(compiled.num_constraints)
    assert [loaded.row_name(row) for row in rows] == [compiled.row_name(row) for row in rows]
    data = fr.from_ints([7, 10, 11])
    one, other = (Synthesizer(c).run(data) for c in (loaded, compiled))
    np.testing.assert_array_equal(one.z, other.z)
    assert storage.to_bytes(loaded) == path.read_bytes()


def test_every_damaged_byte_is_noticed(path: Path) -> None:
    data = path.read_bytes()
    for at in [*range(128), *range(128, len(data), 97)]:
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(FormatError, match=r"circuit\.pce is not a compiled circuit that can be used"):
            storage.load(path)


@pytest.mark.parametrize("length", [0, 1, 63, 64, 200, -1])
def test_truncated_files_are_refused(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match=r"circuit\.pce"):
        storage.load(path)


def with_index(data: bytes, change: Any) -> bytes:
    """Return a file whose index was changed, with a right checksum."""
    header = storage._HEADER
    magic, version, _, _, size = header.unpack_from(data)
    index = msgspec.json.decode(data[header.size : header.size + size])
    arrays = data[-(-(header.size + size) // 64) * 64 :]
    change(index)
    text = msgspec.json.encode(index)
    body = text + bytes(-(header.size + len(text)) % 64) + arrays
    return with_checksum(header.pack(magic, version, header.size + len(body), b"", len(text)) + body)


def with_checksum(data: bytes) -> bytes:
    """Return a file with the checksum that its content has."""
    checked = storage._HEADER.size - 8
    return data[: checked - 32] + hashlib.sha256(data[checked:]).digest() + data[checked:]


def set_array(index: Any, template: int, which: int, value: int) -> None:
    index["templates"][template][-1][which] = value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda index: index["templates"].clear(), "the last has no formals"),
        (lambda index: index["templates"].pop(), "the last has no formals"),
        (lambda index: index["templates"].reverse(), "comes later"),
        (lambda index: index["arrays"][0].__setitem__(2, 1 << 40), "array 0 is not"),
        (lambda index: index["arrays"][0].__setitem__(0, "<i8"), "array 0 is not"),
        (lambda index: index["arrays"][0].__setitem__(1, [-1]), "array 0 is not"),
        (lambda index: index.__setitem__("coefficients", 0), "is not of type"),
        (lambda index: index.__setitem__("coefficients", 10**6), "expected array 0 to"),
        (lambda index: set_array(index, 0, 0, -1), "expected array 0 to"),
        (lambda index: index["templates"][0][2].__setitem__(0, 10**6), "its rows are malformed"),
        (lambda index: index["templates"][0][2].__setitem__(3, 10**6), "to be wide"),
        (lambda index: index["templates"][0][2].__setitem__(3, "many"), "Expected `int`"),
        (lambda index: index["templates"][-1][2].__setitem__(4, 10**6), "add up to"),
        (lambda index: index.pop("name"), "missing required field"),
    ],
)
def test_inconsistent_files_are_refused(path: Path, change: Any, message: str) -> None:
    path.write_bytes(with_index(path.read_bytes(), change))
    with pytest.raises(FormatError, match=message):
        storage.load(path)


def test_the_helper_changes_nothing_by_itself(path: Path) -> None:
    path.write_bytes(with_index(path.read_bytes(), lambda index: None))
    storage.load(path)


class TestCache:
    def get(self, folder: Path, sources: list[Path]) -> CompiledCircuit:
        self.traced = 0

        def counted(cs: Any) -> None:
            self.traced += 1
            circuit(cs)

        return cached_circuit(folder, "test", counted, sources)

    def test_a_circuit_is_traced_once(self, tmp_path: Path) -> None:
        first = self.get(tmp_path, [])
        assert self.traced == 1
        again = self.get(tmp_path, [])
        assert self.traced == 0
        assert r1cs_digests(again) == r1cs_digests(first)

    def test_changed_code_replaces_the_circuit(self, tmp_path: Path) -> None:
        source, folder = tmp_path / "code.py", tmp_path / "cache"
        source.write_text("1")
        self.get(folder, [])
        (other,) = folder.iterdir()
        other.rename(folder / f"test-2-sectors-{other.stem[-16:]}.pce")
        self.get(folder, [source])
        assert self.traced == 1
        assert len(list(folder.iterdir())) == 2  # a circuit of another name is left alone
        self.get(folder, [])
        assert self.traced == 1
        assert len(list(folder.iterdir())) == 2

    def test_a_damaged_file_is_replaced(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        self.get(tmp_path, [])
        (file,) = tmp_path.iterdir()
        good = file.read_bytes()
        file.write_bytes(good[:-1] + b"x")
        with caplog.at_level(logging.WARNING):
            self.get(tmp_path, [])
        assert self.traced == 1
        assert "traced again" in caplog.text
        assert file.read_bytes() == good

    def test_a_folder_that_cannot_be_written_is_no_obstacle(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "file").write_text("not a folder")
        with caplog.at_level(logging.WARNING):
            self.get(tmp_path / "file" / "circuits", [])
        assert self.traced == 1
        assert "not kept" in caplog.text
