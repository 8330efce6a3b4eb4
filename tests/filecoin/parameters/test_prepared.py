"""Prepared parameters in the cache: used where they can be, and nobody's proofs fail for them."""

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from cuzk.filecoin.parameters.folder import ParameterFolder
from cuzk.filecoin.parameters.manifest import file_digest
from cuzk.filecoin.parameters.prepared import open_parameters, prepare_parameters, prepared_path
from cuzk.filecoin.registry import entry
from tests.groth16.fixtures import fixture

WINNING = entry("winning-2k")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ParameterFolder:
    """Development parameters, those of a small circuit under the name of another, in a cache of their own."""
    monkeypatch.setenv("CUZK_CACHE", str(tmp_path))
    made = tmp_path / "dev-params"
    made.mkdir()
    path = made / f"{WINNING.parameter_stem}.params"
    with path.open("wb") as file:
        fixture("chain16").parameters().write(file)
    described = {"cid": "", "digest": file_digest(path), "sector_size": 2048, "unsafe": True}
    (made / "parameters.json").write_text(json.dumps({path.name: described}))
    return ParameterFolder(made, development=True)


def test_they_are_used_once_made(folder: ParameterFolder) -> None:
    assert open_parameters(folder, WINNING).prepared is None
    prepare_parameters(folder, WINNING)
    assert open_parameters(folder, WINNING).prepared is not None


def test_damaged_ones_are_not_used(folder: ParameterFolder, caplog: pytest.LogCaptureFixture) -> None:
    prepare_parameters(folder, WINNING)
    prepared_path(folder, WINNING.circuit_id).write_bytes(b"no such thing")
    assert open_parameters(folder, WINNING).prepared is None
    assert "proving from the parameter file" in caplog.text


def test_ones_that_cannot_be_read_are_not_used(
    folder: ParameterFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    prepare_parameters(folder, WINNING)
    read = Path.open

    def denied(path: Path, *args: Any, **kwargs: Any) -> Any:
        if path.suffix == ".prepared":
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", denied)
    assert open_parameters(folder, WINNING).prepared is None
    assert "Permission denied; proving from the parameter file" in caplog.text
