"""`cuzk params list | fetch`."""

import re
from pathlib import Path

import pytest

from cuzk.filecoin.parameters.manifest import network_manifest
from cuzk.filecoin.parameters.names import circuit_ids
from tests.cli.runner import cuzk


def test_list_shows_the_networks_files_and_which_are_here(tmp_path: Path) -> None:
    name = next(name for name in network_manifest() if circuit_ids().get(name.removesuffix(".vk")) == "winning-2k")
    (tmp_path / name).write_bytes(b"abc")
    listed = cuzk("params", "list", "--folder", tmp_path, "--json")
    assert listed.code == 0
    files = {file["name"]: file for file in listed.json["files"]}
    assert files.keys() == network_manifest().keys()
    assert [file["name"] for file in files.values() if file["present"]] == [name]
    assert files[name]["bytes"] == 3
    assert files[name]["circuit"] == "winning-2k"
    assert {file["circuit"] for file in files.values()} >= {"porep-32g", "snap-64g", "wpost-512m", None}
    text = cuzk("params", "list", "--folder", tmp_path)
    assert "porep-32g" in text.out


def test_development_parameters_are_listed_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUZK_CACHE", str(tmp_path))
    listed = cuzk("params", "list", "--dev-params", "--json")
    assert listed.json == {"folder": str(tmp_path / "dev-params"), "development": True, "files": []}


def test_fetch_says_what_it_cannot_do(tmp_path: Path) -> None:
    assert "got neither" in cuzk("params", "fetch").err
    assert cuzk("params", "fetch", "winning-3k").code == 2
    assert "the network has no parameters for winning-4k" in cuzk("params", "fetch", "winning-4k").err
    unreachable = cuzk(
        "params", "fetch", "winning-2k", "--vk-only", "--folder", tmp_path, "--gateway", "http://127.0.0.1:1", "--json"
    )
    assert unreachable.code == 1
    (file,) = unreachable.json["files"]
    assert not file["good"]
    assert re.fullmatch(r"http://127\.0\.0\.1:1/\w+: \[Errno \d+\] Connection refused", file["reason"])
