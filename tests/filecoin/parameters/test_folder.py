"""Where parameter files are looked for, and which manifest judges them."""

import hashlib
import json
from pathlib import Path

import pytest

from cuzk.errors import InputError
from cuzk.filecoin.parameters.folder import ParameterFolder, cache_folder, development_folder, network_folder
from cuzk.filecoin.parameters.manifest import folder_manifest, network_manifest
from cuzk.filecoin.registry import entry as circuit_entry


def test_folders_follow_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FIL_PROOFS_PARAMETER_CACHE", str(tmp_path / "network"))
    monkeypatch.setenv("CUZK_CACHE", str(tmp_path / "cache"))
    assert network_folder() == ParameterFolder(tmp_path / "network")
    assert development_folder() == ParameterFolder(tmp_path / "cache" / "dev-params", development=True)
    monkeypatch.delenv("FIL_PROOFS_PARAMETER_CACHE")
    monkeypatch.delenv("CUZK_CACHE")
    assert network_folder().path == Path("/var/tmp/filecoin-proof-parameters")
    assert cache_folder().name == "cuzk"


def test_missing_files_say_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no parameter file a\.params in .*cuzk params fetch"):
        ParameterFolder(tmp_path).file("a.params")
    with pytest.raises(InputError, match="cuzk params generate"):
        ParameterFolder(tmp_path, development=True).file("a.params")
    with pytest.raises(InputError, match="`cuzk params fetch winning-2k`"):
        ParameterFolder(tmp_path).file(f"{circuit_entry('winning-2k').parameter_stem}.vk")


def test_development_files_are_judged_by_their_own_manifest_only(tmp_path: Path) -> None:
    folder = ParameterFolder(tmp_path, development=True)
    assert not folder.manifest
    digest = hashlib.blake2b(b"abc").hexdigest()[:32]
    entry = {"cid": "", "digest": digest, "sector_size": 2048, "unsafe": True}
    (tmp_path / "parameters.json").write_text(json.dumps({"a.params": entry}))
    (tmp_path / "a.params").write_bytes(b"abc")
    assert set(folder.manifest) == {"a.params"}
    assert folder.manifest["a.params"].unsafe
    assert folder.check("a.params").good
    assert len(ParameterFolder(tmp_path).manifest) > 40


def test_unsafe_files_never_pass_for_the_networks(tmp_path: Path) -> None:
    name = next(iter(network_manifest()))
    digest = hashlib.blake2b(b"abc").hexdigest()[:32]
    (tmp_path / name).write_bytes(b"abc")
    entry = {"cid": "", "digest": digest, "sector_size": 2048, "unsafe": True}
    (tmp_path / "parameters.json").write_text(json.dumps({name: entry}))
    assert folder_manifest(tmp_path)[name].unsafe
    with pytest.raises(InputError, match="is marked unsafe"):
        ParameterFolder(tmp_path).check(name)
    assert ParameterFolder(tmp_path, development=True).check(name).good
    (tmp_path / "parameters.json").write_text(json.dumps({name: entry | {"unsafe": False}}))
    assert not ParameterFolder(tmp_path).check(name).good
