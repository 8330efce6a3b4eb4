"""NVML where there is none, where it works, and where it does not tell everything."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from cuzk.devices.nvml import Gpu, gpus


class NVMLError(Exception):
    """As pynvml has it."""


def driver(**calls: Any) -> ModuleType:
    """Return a module like pynvml over two GPUs; an exception in place of a value is raised."""
    module = ModuleType("pynvml")
    values = {
        "nvmlInit": None,
        "nvmlShutdown": None,
        "nvmlDeviceGetCount": 2,
        "nvmlDeviceGetHandleByIndex": object(),
        "nvmlDeviceGetName": "NVIDIA RTX 4090",
        "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=24 << 30, free=20 << 30, used=4 << 30),
        "nvmlDeviceGetTemperature": 71,
        "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=96, memory=50),
    }

    def call(value: Any) -> Any:
        def answer(*_arguments: Any) -> Any:
            if isinstance(value, Exception):
                raise value
            return value

        return answer

    vars(module).update({name: call(value) for name, value in (values | calls).items()}, NVMLError=NVMLError)
    return module


def test_what_the_driver_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", driver())
    found, reason = gpus()
    assert reason is None
    assert found == [Gpu(ordinal, "NVIDIA RTX 4090", 24 << 30, 20 << 30, 71.0, 0.96, {}) for ordinal in range(2)]


def test_what_a_gpu_does_not_tell_is_unknown_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = NVMLError("Not Supported")
    calls = {
        "nvmlDeviceGetMemoryInfo": refusal,
        "nvmlDeviceGetTemperature": refusal,
        "nvmlDeviceGetUtilizationRates": refusal,
        "nvmlDeviceGetCount": 1,
    }
    monkeypatch.setitem(sys.modules, "pynvml", driver(**calls))
    (gpu,), reason = gpus()
    assert reason is None
    names = ("temperature_c", "utilisation", "memory_total_bytes", "memory_free_bytes")
    assert gpu == Gpu(0, "NVIDIA RTX 4090", None, None, None, None, dict.fromkeys(names, "Not Supported"))


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (None, "nvidia-ml-py is not installed"),
        (driver(nvmlInit=NVMLError("Driver Not Loaded")), "no NVIDIA driver: Driver Not Loaded"),
        (driver(nvmlDeviceGetCount=NVMLError("Unknown Error")), "the NVIDIA driver does not answer: Unknown Error"),
        (driver(nvmlDeviceGetHandleByIndex=NVMLError("GPU is lost")), "does not answer: GPU is lost"),
    ],
    ids=["no library", "no driver", "no answer", "a lost GPU"],
)
def test_where_nothing_can_be_known(module: ModuleType | None, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", module)
    found, reason = gpus()
    assert found == []
    assert words in (reason or "")
