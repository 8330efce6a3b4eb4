"""How much memory and how many CPUs this process may use: the machine's, or its container's where that is less.

Control groups limit a process by its own group and by every group above it: version 2 in memory.max and cpu.max,
version 1 in memory.limit_in_bytes and cpu.cfs_quota_us (kernel documentation, admin-guide/cgroup-v1 and cgroup-v2).
"""

import os
from collections.abc import Iterator
from pathlib import Path

import psutil

_ROOT = Path("/")


def memory_limit(root: Path = _ROOT) -> int:
    """Return the bytes of memory that there are for this process."""
    limits = [psutil.virtual_memory().total]
    for group in _groups(root, "memory"):
        limits += [
            int(text) for name in ("memory.max", "memory.limit_in_bytes") if (text := _read(group / name)).isdigit()
        ]
    return min(limits)


def cpu_limit(root: Path = _ROOT) -> int:
    """Return the number of CPUs that there are for this process, at least 1."""
    limits = [float(len(os.sched_getaffinity(0)))]
    for group in _groups(root, "cpu"):
        quota, _, period = _read(group / "cpu.max").partition(" ")
        if not quota:
            quota, period = _read(group / "cpu.cfs_quota_us"), _read(group / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit() and int(period):
            limits.append(int(quota) / int(period))
    return max(1, round(min(limits)))


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of this process's control groups for a controller, its own and those above."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        hierarchy, controllers, path = (*line.split(":", 2), "", "")[:3]
        if hierarchy == "0" and not controllers:
            mount = root / "sys/fs/cgroup"
        elif controller in controllers.split(","):
            mount = root / "sys/fs/cgroup" / controller
        else:
            continue
        # In a container the path may name a group outside its own view; the mount itself is then the container's.
        group = mount / path.lstrip("/")
        while group != mount:
            yield group
            group = group.parent
        yield mount


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
