"""`cuzk circuits` against the fixtures."""

import json
from pathlib import Path

import pytest

from tests.conftest import data_path

from .runner import cuzk


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUZK_CACHE", str(tmp_path))


def expected(name: str) -> dict:
    return json.loads(data_path(f"r1cs/{name}.json").read_text())


@pytest.mark.parametrize(
    ("circuit", "arguments", "name"),
    [("winning-2k", (), "winning-2k"), ("wpost-32g", ("--sectors", 2), "window-32g-2sectors")],
)
def test_show_and_digest(circuit: str, arguments: tuple[object, ...], name: str, tmp_path: Path) -> None:
    facts = expected(name)
    _, a_aux, b_inputs, b_aux = facts["density_a_inputs_a_aux_b_inputs_b_aux_incl_input_rows"]
    shown = cuzk("circuits", "show", circuit, *arguments, "--json").json
    (compiled,) = (tmp_path / "circuits").iterdir()
    assert shown == {
        "id": circuit,
        "inputs": facts["num_inputs_incl_one"],
        "aux": facts["num_aux"],
        "constraints": facts["num_constraints"],
        "domain": facts["fft_domain"],
        "density": {"a_aux": a_aux, "b_inputs": b_inputs, "b_aux": b_aux},
        "nonzeros": dict(zip("abc", facts["nnz_a_b_c"], strict=True)),
        "compiled_bytes": compiled.stat().st_size,
    }
    digests = cuzk("circuits", "digest", circuit, *arguments, "--json").json
    assert digests == {name: facts[name] for name in ("r1cs_sha256", "r1cs_sha256_with_input_rows")}
    assert f"{facts['num_constraints']:,}" in cuzk("circuits", "show", circuit, *arguments).out
    assert f"{facts['r1cs_sha256']}  r1cs_sha256\n" in cuzk("circuits", "digest", circuit, *arguments).out


def test_list() -> None:
    circuits = {circuit["id"]: circuit for circuit in cuzk("circuits", "list", "--json").json["circuits"]}
    assert circuits["winning-2k"]["sector_size"] == 2048
    assert f"v28-{expected('winning-2k')['cache_identifier']}" == circuits["winning-2k"]["parameters"]
    assert "wpost-64g" in cuzk("circuits", "list").out


def test_compare() -> None:
    checkpoints, rows = (data_path(f"r1cs/winning-2k.{name}") for name in ("checkpoints.tsv", "first2000.txt"))
    same = cuzk("circuits", "compare", "winning-2k", "--checkpoints", checkpoints, "--rows", rows, "--json")
    assert (same.code, same.json) == (0, {"equal": True})

    other = cuzk("circuits", "compare", "winning-4k", "--checkpoints", checkpoints, "--rows", rows, "--json")
    assert (other.code, other.json) == (1, {"equal": False, "first_row": 1373, "last_row": 1373})
    text = cuzk("circuits", "compare", "winning-4k", "--rows", rows).out
    assert "path/packing constraint 0" in text
    assert "sub/merkle tree hash 0/index bit 0/boolean constraint" in text
    bounded = cuzk("circuits", "compare", "winning-4k", "--checkpoints", checkpoints)
    assert (bounded.code, bounded.out) == (1, "the first difference is in rows 1000 to 1999\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("show", "winning-3k"), "unknown circuit id"),
        (("show", "winning-2k", "--sectors", 2), "only wpost circuits have a number of sectors to choose"),
        (("compare", "winning-2k"), "nothing to compare with"),
    ],
)
def test_bad_usage(arguments: tuple[object, ...], sentence: str) -> None:
    run = cuzk("circuits", *arguments)
    assert run.code == 2
    assert sentence in run.err
