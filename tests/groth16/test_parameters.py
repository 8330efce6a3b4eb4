"""Parameter files and verifying keys: lazy, checked, and hostile bytes refused."""

from pathlib import Path

import numpy as np
import pytest

from cuzk.algebra.group import G1, G2
from cuzk.errors import FormatError, InputError
from cuzk.groth16 import Check, Parameters, VerifyingKey
from tests.groth16.fixtures import fixture

QUIRK_VK_SIZE = 864 + 4 + 3 * 96


def quirk() -> bytearray:
    return bytearray(fixture("quirk").bytes("params.bin"))


def refused(data: bytes | bytearray, match: str, check: Check = Check.SUBGROUP) -> None:
    with pytest.raises(FormatError, match=match):
        Parameters.parse(bytes(data), check=check)


def test_every_truncation_is_refused() -> None:
    data = bytes(quirk())
    for size in range(len(data)):
        refused(data[:size], "too short", Check.STRUCTURE)


def test_trailing_bytes_are_refused() -> None:
    refused(quirk() + b"\0", "1 bytes too many")


@pytest.mark.parametrize("count", [0xFFFFFFFF, 1 << 31, 16])
def test_a_count_beyond_the_file_is_refused_before_anything_is_read(count: int) -> None:
    data = quirk()
    data[QUIRK_VK_SIZE : QUIRK_VK_SIZE + 4] = count.to_bytes(4, "big")
    refused(data, "too short|too many|power of two", Check.STRUCTURE)


def test_h_must_have_one_point_less_than_a_power_of_two() -> None:
    data = quirk()
    start = QUIRK_VK_SIZE
    data[start : start + 4] = (14).to_bytes(4, "big")
    del data[start + 4 : start + 4 + 96]
    refused(data, "h has 14 points", Check.STRUCTURE)


def test_ic_must_not_be_empty() -> None:
    data = bytearray(fixture("quirk").bytes("vk.bin"))
    data[864:] = bytes(4)
    with pytest.raises(FormatError, match="ic is empty"):
        VerifyingKey.parse(bytes(data))


@pytest.mark.parametrize("check", [Check.CURVE, Check.SUBGROUP])
@pytest.mark.parametrize("name", ["h", "l", "a", "b_g1", "b_g2"])
def test_a_bad_point_is_named(name: str, check: Check) -> None:
    parameters = Parameters.parse(bytes(quirk()), check=Check.STRUCTURE)
    points = parameters.vectors[name]
    start = bytes(quirk()).index(points[2].tobytes())
    group = G2 if name == "b_g2" else G1
    for bad in (group.identity.tobytes(), b"\x1f" * group.point_size, points[2].tobytes()[:-1] + b"\0"):
        data = quirk()
        data[start : start + group.point_size] = bad
        refused(data, name, check)


def off_subgroup_g1() -> bytes:
    """A point on the curve y^2 = x^3 + 4 with a small x, which is almost never in the subgroup."""
    p = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
    x = next(x for x in range(1, 100) if pow(x**3 + 4, (p - 1) // 2, p) == 1)
    return x.to_bytes(48, "big") + pow(x**3 + 4, (p + 1) // 4, p).to_bytes(48, "big")


def test_a_point_outside_the_subgroup_is_refused_if_asked() -> None:
    data = quirk()
    data[QUIRK_VK_SIZE + 4 : QUIRK_VK_SIZE + 100] = off_subgroup_g1()
    refused(data, "^h: .*subgroup")
    Parameters.parse(bytes(data), check=Check.CURVE)


def test_structure_check_reads_no_points() -> None:
    data = quirk()
    data[QUIRK_VK_SIZE + 4 :] = (
        b"".join(b"\xff" * 96 * n + count.to_bytes(4, "big") for n, count in [(15, 9), (9, 9), (9, 7), (7, 7)])
        + b"\xff" * 192 * 7
    )
    assert len(Parameters.parse(bytes(data), check=Check.STRUCTURE).h) == 15


def test_views_are_read_only_and_share_the_file(tmp_path: Path) -> None:
    parameters = fixture("chain300").parameters()
    assert not parameters.h.flags.writeable
    assert np.shares_memory(parameters.h, parameters.b_g2) is False
    assert parameters.b_g2.base is not None


def test_open_says_which_file_and_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*missing"):
        Parameters.open(tmp_path / "missing.params")
    empty = tmp_path / "empty.params"
    empty.touch()
    with pytest.raises(FormatError, match=r"empty.params is empty"):
        Parameters.open(empty)
    empty.write_bytes(b"short")
    with pytest.raises(FormatError, match=r"empty.params is not a parameter file: too short"):
        Parameters.open(empty)


def test_a_missing_vk_is_the_head_of_the_params(tmp_path: Path) -> None:
    (tmp_path / "c.params").write_bytes(quirk())
    key = VerifyingKey.open(tmp_path / "c.vk")
    assert key.to_bytes() == fixture("quirk").bytes("vk.bin")
    with pytest.raises(InputError, match="cannot read"):
        VerifyingKey.open(tmp_path / "other.vk")


def test_parameters_of_another_circuit_are_refused() -> None:
    circuit = fixture("chain16").circuit
    with pytest.raises(InputError, match="belong to another circuit: ic has 3 points, expected 2"):
        fixture("quirk").parameters().check_fits(2, circuit.num_aux, circuit.domain, circuit.density)
