"""The floors of docs/architecture.md hold, and the names at the tops of packages are those that were chosen."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import cuzk
from tests.conftest import REPOSITORY

SOURCES = REPOSITORY / "src" / "cuzk"

# What may be imported from a package itself. A name more or less is a decision, and is made here too.
PUBLIC = {
    "cuzk": """Client Engine Parameters Proof Request VerifyingKey load_config prove read_request verify""",
    "cuzk.algebra": "",
    "cuzk.bench": "",
    "cuzk.cli": "main",
    "cuzk.devices": "Bases CpuDevice Curve Device DeviceInfo ScalarBuffer",
    "cuzk.engine": """CheckFailedError Config DrainingError Engine EngineError Evicted NeverFitsError Outcome Preloaded
        Priority QueueFullError Receipt RegistrySource Request Status StorageError UnknownJobError load_config""",
    "cuzk.filecoin": "",
    "cuzk.gadgets": "",
    "cuzk.groth16": """Assignment AssignmentLayout Check Circuit Density FlatCircuit PROOF_SIZE Parameters Pending Proof
        RowBlock ToxicWaste VerifyingKey join_proofs prove prove_finish prove_start read_public_inputs read_r1cs
        read_witness setup split_proofs verify verify_batch write_public_inputs write_r1cs write_witness""",
    "cuzk.proto": "",
    "cuzk.r1cs": """CompiledCircuit ConstraintSystem Handle LinearCombination ONE Synthesizer Value Variable
        check_satisfied template""",
    "cuzk.server": "",
}


class Import(NamedTuple):
    """One import of a room of `cuzk` by a file of another."""

    file: Path
    line: int
    room: str
    imported: str


def floors() -> dict[str, int]:
    """Read the rooms and their floors, counted from the ground, from the line of arrows in docs/architecture.md §1."""
    text = (REPOSITORY / "docs" / "architecture.md").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("    ") and line.count("→") > 5]
    return {room.strip(): floor for floor, rooms in enumerate(line.split("→")) for room in rooms.split(",")}


def room_of(file: Path) -> str:
    return file.relative_to(SOURCES).parts[0].partition(".")[0]


def imported_modules(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of all imports of `cuzk`, those inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "cuzk":
            yield from ((node.lineno, f"cuzk.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, f"line {node.lineno}: a relative import"
            assert node.level == 0, f"line {node.lineno}: a relative import"
            yield node.lineno, node.module


@cache
def imports() -> list[Import]:
    """Return every import of one room by another."""
    found = []
    for file in sorted(SOURCES.rglob("*.py")):
        if room_of(file).startswith("__"):  # the tops of the package: they offer what is in the rooms
            continue
        for line, module in imported_modules(ast.parse(file.read_text())):
            package, _, rest = module.partition(".")
            imported = rest.partition(".")[0]
            if package == "cuzk" and imported not in ("", "__version__", room_of(file)):
                found.append(Import(file, line, room_of(file), imported))
    return found


def test_the_files_of_the_multiplication_are_told() -> None:
    text = (REPOSITORY / "docs" / "architecture.md").read_text()
    table = text.partition("`native/msm`, from the top down:")[2].partition("\n\nThe engine")[0]
    told = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row)}
    assert told == {file.stem for file in (REPOSITORY / "native" / "msm").iterdir()}


def test_every_room_has_a_floor() -> None:
    files = [*SOURCES.rglob("*.py"), *SOURCES.glob("*.pyi")]
    rooms = {room for room in map(room_of, files) if not room.startswith("__")}
    assert rooms == set(floors())


def test_nothing_imports_upward() -> None:
    floor = floors()
    upward = [
        f"{found.file.relative_to(REPOSITORY)}:{found.line}: {found.room} imports {found.imported}"
        for found in imports()
        if floor[found.imported] >= floor[found.room]
    ]
    assert upward == []


def test_the_imports_are_found() -> None:
    """The test above is worth nothing if the scan is blind: these edges are what the house stands on."""
    edges = {(found.room, found.imported) for found in imports()}
    assert edges >= {("algebra", "_native"), ("r1cs", "groth16"), ("engine", "filecoin"), ("server", "engine")}
    assert edges >= {("cli", "server"), ("cli", "client"), ("client", "proto")}


def test_tops_of_packages_are_pinned() -> None:
    packages = {"cuzk"} | {f"cuzk.{init.parent.name}" for init in SOURCES.glob("*/__init__.py")}
    assert packages == set(PUBLIC)


@pytest.mark.parametrize("package", PUBLIC)
def test_the_top_of_a_package_offers_what_was_chosen(package: str) -> None:
    module = cuzk if package == "cuzk" else importlib.import_module(package)
    assert sorted(getattr(module, "__all__", [])) == sorted(PUBLIC[package].split())
    for name in PUBLIC[package].split():
        getattr(module, name)
