"""Manifests and digests."""

import json
from pathlib import Path

import pytest

from cuzk.errors import FormatError, InputError
from cuzk.filecoin.parameters.manifest import (
    check_file,
    file_digest,
    folder_manifest,
    network_manifest,
    read_manifest,
)
from cuzk.filecoin.parameters.names import parameter_stem
from cuzk.filecoin.post.config import winning_config
from cuzk.filecoin.sectors import shape_of_slug
from tests.conftest import data_path

VK_2K = f"{parameter_stem(winning_config(shape_of_slug('2k')))}.vk"


def test_network_manifest_equals_the_networks_file() -> None:
    published = json.loads(data_path("filecoin-mainnet/parameters.json").read_text())
    ours = {
        name: {"cid": entry.cid, "digest": entry.digest, "sector_size": entry.sector_size}
        for name, entry in network_manifest().items()
    }
    assert ours == published


def test_digest_rule_on_a_file_of_the_network() -> None:
    assert file_digest(data_path("filecoin-mainnet/winning_2kib.vk")) == network_manifest()[VK_2K].digest


def test_digest_is_the_head_of_blake2b(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    # RFC 7693, appendix A: BLAKE2b-512("abc").
    assert file_digest(tmp_path / "file") == "ba80a53f981c4d0d6a2797b69f12f6e9"


def test_a_folders_own_manifest_adds_to_the_networks(tmp_path: Path) -> None:
    entry = {"cid": "Qm1", "digest": "ba80a53f981c4d0d6a2797b69f12f6e9", "sector_size": 2048, "more": [1]}
    (tmp_path / "parameters.json").write_text(json.dumps({"v28-mine.params": entry, VK_2K: entry}))
    (tmp_path / "v28-mine.params").write_bytes(b"abc")
    manifest = folder_manifest(tmp_path)
    assert manifest[VK_2K] == network_manifest()[VK_2K]
    assert check_file(tmp_path / "v28-mine.params", manifest).good
    (tmp_path / "v28-mine.params").write_bytes(b"abd")
    assert not check_file(tmp_path / "v28-mine.params", manifest).good
    with pytest.raises(InputError, match=r"other\.params: no manifest"):
        check_file(tmp_path / "other.params", manifest)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not a parameter manifest"),
        ("[]", "not a parameter manifest"),
        ('{"a.params":{"cid":"Q","digest":"00"}}', "sector_size"),
        ('{"../a.params":{"cid":"Q","digest":"' + "0" * 32 + '","sector_size":1}}', "expected the name of a parameter"),
        ('{"a.params":{"cid":"Q","digest":"00","sector_size":1}}', r"digest of a\.params: expected 32"),
        ('{"a.params":{"cid":"Q/..","digest":"' + "0" * 32 + '","sector_size":1}}', r"cid of a\.params"),
    ],
)
def test_bad_manifests_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "parameters.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=sentence):
        read_manifest(path)
