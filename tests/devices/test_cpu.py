"""The CPU as a device."""

import threading

import numpy as np
import pytest

from cuzk.algebra import bitmap, fr
from cuzk.algebra.group import G1, G2, Group
from cuzk.algebra.scalars import PackedScalars
from cuzk.devices import CpuDevice, Device
from cuzk.devices.cpu import available_threads, memory
from cuzk.errors import InputError


def test_it_says_what_it_is() -> None:
    device: Device = CpuDevice()
    info = device.info
    assert (info.kind, info.ordinal, info.threads) == ("cpu", 0, available_threads())
    assert info.name
    assert 0 < info.free_memory <= info.total_memory == memory()[0]


@pytest.mark.parametrize("group", [G1, G2])
def test_msm_is_the_kernels(group: Group) -> None:
    device = CpuDevice(2)
    scalars = fr.from_ints([0, 1, 5, 1, fr.MODULUS - 1])
    points = group.fixed_base(group.generator, fr.from_ints([7, 8, 9, 10, 11]))
    bases = device.load_bases(points, "g1" if group is G1 else "g2")
    assert len(bases) == 5
    expected = group.mul(group.generator, fr.from_ints([(8 + 45 + 10 - 11) % fr.MODULUS])[0])
    assert np.array_equal(device.msm(bases, scalars), expected)
    assert np.array_equal(device.msm(bases, PackedScalars.pack(scalars)), expected)
    density = bitmap.pack([False, True, False, True, False])
    chosen = device.load_bases(points[[1, 3]], bases.curve)
    expected = group.mul(group.generator, fr.from_ints([18])[0])
    assert np.array_equal(device.msm(chosen, scalars, density), expected)


def test_quotient_stays_on_the_device_for_the_msm() -> None:
    device = CpuDevice(1)
    a, b = (fr.from_ints(values) for values in ([1, 2, 3, 4], [5, 6, 7, 8]))
    h = device.quotient(a, b)
    assert len(h) == 3
    points = G1.fixed_base(G1.generator, fr.from_ints([1, 1, 1]))
    total = sum(fr.to_ints(h.values)) % fr.MODULUS
    assert np.array_equal(
        device.msm(device.load_bases(points, "g1"), h), G1.mul(G1.generator, fr.from_ints([total])[0])
    )


def test_what_belongs_to_another_device_is_refused() -> None:
    device = CpuDevice(1)
    bases = device.load_bases(G1.generator[np.newaxis], "g1")
    with pytest.raises(InputError, match="another device"):
        device.msm(object(), fr.from_ints([1]))
    with pytest.raises(InputError, match="another device"):
        device.msm(bases, object())


def test_the_lock_can_be_shared() -> None:
    lock = threading.Lock()
    one, other = CpuDevice(1, lock), CpuDevice(1, lock)
    with one.exclusive():
        assert lock.locked()
    assert other.exclusive() is one.exclusive()
    with pytest.raises(InputError, match="at least one thread"):
        CpuDevice(0)
