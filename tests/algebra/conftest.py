"""Fixtures of the kernels' tests."""

from collections.abc import Iterator

import pytest

from cuzk import _native


@pytest.fixture(scope="module", params=["portable", "avx512ifma"])
def each_isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a module's tests on every instruction set: `pytestmark = pytest.mark.usefixtures("each_isa")`."""
    before = _native.isa()
    if not _native.isa_available(request.param):
        pytest.skip(f"this machine or build does not have {request.param}")
    _native.set_isa(request.param)
    yield request.param
    _native.set_isa(before)
