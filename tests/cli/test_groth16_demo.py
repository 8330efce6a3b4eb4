"""`cuzk groth16 demo`: everything it shows is as expected."""

from tests.cli.runner import cuzk
from tests.conftest import COMMITTED


def test_every_step_is_good() -> None:
    outcome = cuzk("groth16", "demo", "--data", COMMITTED, "--json")
    assert outcome.code == 0
    steps = outcome.json["steps"]
    assert all(step["good"] for step in steps)
    assert {step["what"] for step in steps} >= {"dense chain 2^14", "WindowPoSt 2 KiB"}
    results = [step["result"] for step in steps]
    assert results.count("valid") == results.count("not valid") >= 2
    assert "192 bytes, as Filecoin's" in results
