"""The names at the top of the package."""

import subprocess
import sys

import pytest

import cuzk


def test_every_name_is_there_and_listed() -> None:
    assert sorted(cuzk.__all__) == sorted(cuzk._HOMES)
    for name in cuzk.__all__:
        assert getattr(cuzk, name).__name__ == name
        assert name in dir(cuzk)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        cuzk.nothing  # noqa: B018


def test_importing_the_package_imports_nothing_heavy() -> None:
    script = "import sys, cuzk; print([n for n in ('numpy', 'grpc', 'cuzk._native') if n in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
