"""What the machine and its control groups leave to this process."""

import os
from pathlib import Path

import psutil
import pytest

from cuzk.engine.limits import cpu_limit, memory_limit

GIB = 1 << 30


def machine(root: Path, groups: str, files: dict[str, str]) -> Path:
    for name, text in {"proc/self/cgroup": groups, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


@pytest.mark.parametrize(
    ("groups", "files"),
    [
        ("0::/system.slice/cuzk.service", {"sys/fs/cgroup/system.slice/cuzk.service/memory.max": "1073741824"}),
        ("0::/a/b", {"sys/fs/cgroup/a/b/memory.max": "max", "sys/fs/cgroup/a/memory.max": "1073741824"}),
        ("0::/../../other", {"sys/fs/cgroup/memory.max": "1073741824"}),
        ("0::/", {"sys/fs/cgroup/memory.max": "1073741824"}),
        (
            "7:cpu,cpuacct:/x\n5:memory:/docker/1\n",
            {
                "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "1073741824",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
            },
        ),
    ],
)
def test_the_smallest_memory_limit_counts(tmp_path: Path, groups: str, files: dict[str, str]) -> None:
    assert memory_limit(machine(tmp_path, groups, files)) == GIB


def test_without_limits_the_machine_is_all_there_is(tmp_path: Path) -> None:
    assert memory_limit(tmp_path) == psutil.virtual_memory().total
    assert cpu_limit(tmp_path) == len(os.sched_getaffinity(0))
    damaged = machine(tmp_path, "garbage\n0::", {"sys/fs/cgroup/memory.max": "a lot", "sys/fs/cgroup/cpu.max": "1"})
    assert memory_limit(damaged) == psutil.virtual_memory().total
    assert cpu_limit(damaged) == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("groups", "files"),
    [
        ("0::/a", {"sys/fs/cgroup/a/cpu.max": "100000 100000"}),
        ("0::/a", {"sys/fs/cgroup/a/cpu.max": "max 100000", "sys/fs/cgroup/cpu.max": "20000 100000"}),
        ("3:cpu:/", {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "50000"}),
    ],
)
def test_a_quota_of_one_cpu_or_less_is_one_cpu(tmp_path: Path, groups: str, files: dict[str, str]) -> None:
    assert cpu_limit(machine(tmp_path, groups, files)) == 1
