"""What a worker process does beside its work."""

import ctypes
import subprocess
import sys

import pytest

FREES = """
import ctypes, threading
from pathlib import Path
from cuzk.engine.worker import give_memory_back, share_one_heap

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]

def resident():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

def work():
    for size in (30 * MIB, 25 * MIB):  # the first has the allocator keep what the second frees
        block = libc.malloc(size)
        ctypes.memset(block, 1, size)
        libc.free(block)

share_one_heap()
before = resident()
thread = threading.Thread(target=work)
thread.start()
thread.join()
give_memory_back()
print(resident() - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="the allocator is not glibc's")
def test_what_threads_free_goes_back_to_the_system() -> None:
    run = subprocess.run([sys.executable, "-c", FREES], capture_output=True, text=True, timeout=60, check=True)
    assert int(run.stdout) < 10 << 10
