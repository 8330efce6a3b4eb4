"""Which instruction set the kernels use."""

import os
import shutil
import subprocess
import sys

import pytest

from cuzk import _native
from cuzk.errors import InputError
from tests.conftest import REPOSITORY


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


def test_vector_files_share_no_functions() -> None:
    """The linker keeps one copy of a shared inline function: it must not be one that older processors cannot run."""
    nm, objects = shutil.which("nm"), sorted(REPOSITORY.glob("build/cp*/**/*_ifma.cpp.o"))
    if nm is None or not objects:
        pytest.skip("needs nm and the build folder of an editable installation on x86-64")
    listing = subprocess.run([nm, "-C", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    assert [line for line in listing.splitlines() if f" {line[17:18]} " in (" W ", " V ", " u ")] == []
