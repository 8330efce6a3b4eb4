"""Shared by all tests: where the real Filecoin data is, the instruction sets, and how hypothesis runs.

The test folders are packages (each has an `__init__.py`), so that files in different rooms may have the same name and
tests can say `from tests.conftest import data_path`.
"""

import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from cuzk import _native

# Time is no property of correctness, and the machine that runs the tests may be busy.
hypothesis.settings.register_profile(
    "cuzk", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
hypothesis.settings.load_profile("cuzk")

# Under nohup the daemons that tests start would ignore a closed terminal, as they should; no handler is inherited.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

REPOSITORY = Path(__file__).resolve().parent.parent
COMMITTED = REPOSITORY / "tests" / "data"
SHARED = REPOSITORY.parent / "shared" / "fixtures"


def find_data(name: str) -> Path | None:
    """Return the path of a data file, from tests/data/ or else from ../shared/fixtures/; None if it is in neither."""
    return next((folder / name for folder in (COMMITTED, SHARED) if (folder / name).exists()), None)


def data_path(name: str) -> Path:
    """Return the path of a data file; skip the test where only ../shared/ has it and that is absent."""
    path = find_data(name)
    if path is None:
        pytest.skip(f"needs ../shared/fixtures/{name}, which is too large to commit (or not ours to)")
    return path


@pytest.fixture(scope="module", params=["portable", "avx512ifma"])
def each_isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a module's tests on every instruction set: `pytestmark = pytest.mark.usefixtures("each_isa")`."""
    before = _native.isa()
    if not _native.isa_available(request.param):
        pytest.skip(f"this machine or build does not have {request.param}")
    _native.set_isa(request.param)
    yield request.param
    _native.set_isa(before)
