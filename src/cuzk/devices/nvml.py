"""The NVIDIA GPUs of this machine as their driver tells of them: NVML, through nvidia-ml-py (the extra `gpu`)."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_TEMPERATURE_GPU = 0  # nvmlTemperatureSensors_t


@dataclass(frozen=True)
class Gpu:
    """One GPU, now. None is unknown, and `unknown` says why."""

    ordinal: int
    name: str | None
    memory_total: int | None
    """Bytes, as is `memory_free`."""
    memory_free: int | None
    temperature_c: float | None
    utilisation: float | None
    """Share of the last sample period in which a kernel ran."""
    unknown: dict[str, str]


def gpus() -> tuple[list[Gpu], str | None]:
    """Return the GPUs, and why none can be known; blocks for as long as the driver takes."""
    try:
        nvml = importlib.import_module("pynvml")
    except ImportError:
        return [], "nvidia-ml-py is not installed: pip install cuzk[gpu]"
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        return [], f"no NVIDIA driver: {error}"
    try:
        return [_gpu(nvml, ordinal) for ordinal in range(nvml.nvmlDeviceGetCount())], None
    except nvml.NVMLError as error:
        return [], f"the NVIDIA driver does not answer: {error}"
    finally:
        nvml.nvmlShutdown()


def _gpu(nvml: Any, ordinal: int) -> Gpu:
    handle = nvml.nvmlDeviceGetHandleByIndex(ordinal)
    unknown: dict[str, str] = {}

    def read(field: str, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except nvml.NVMLError as error:  # not every GPU tells everything
            unknown[field] = str(error)
            return None

    name = read("name", lambda: nvml.nvmlDeviceGetName(handle))
    memory = read("memory", lambda: nvml.nvmlDeviceGetMemoryInfo(handle))
    temperature = read("temperature_c", lambda: float(nvml.nvmlDeviceGetTemperature(handle, _TEMPERATURE_GPU)))
    utilisation = read("utilisation", lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100)
    if memory is None:
        reason = unknown.pop("memory")
        unknown |= {"memory_total_bytes": reason, "memory_free_bytes": reason}
        return Gpu(ordinal, name, None, None, temperature, utilisation, unknown)
    return Gpu(ordinal, name, int(memory.total), int(memory.free), temperature, utilisation, unknown)
