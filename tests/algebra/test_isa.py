"""Which instruction set the kernels use."""

import os
import subprocess
import sys

import pytest

from cuzk import _native
from cuzk.errors import InputError


def isa_of_a_new_process(name: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from cuzk import _native; print(_native.isa())"]
    return subprocess.run(command, env={**os.environ, "CUZK_ISA": name}, capture_output=True, text=True, check=False)


def test_the_environment_chooses() -> None:
    assert isa_of_a_new_process("portable").stdout.strip() == "portable"
    best = "avx512ifma" if _native.isa_available("avx512ifma") else "portable"
    assert isa_of_a_new_process("").stdout.strip() == best


def test_an_unknown_name_is_refused() -> None:
    before = _native.isa()
    with pytest.raises(InputError, match="'sse2', expected portable or avx512ifma"):
        _native.set_isa("sse2")
    assert _native.isa() == before
    assert not _native.isa_available("sse2")
    assert "expected portable or avx512ifma" in isa_of_a_new_process("AVX").stderr
