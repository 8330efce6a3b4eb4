"""The daemon's configuration: the TOML of the Rust daemon, plus keys of our own (docs/engine.md lists them all).

Later sources win: defaults, the file, the environment (`CUZK_<SECTION>_<KEY>`), overrides from flags. Nothing is
guessed: an unknown key or a bad value is an InputError that names the key, the value and what is expected; keys that
the Rust daemon had given up are warned of and ignored.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from cuzk.errors import InputError

_SIZE = re.compile(r"(\d+)\s*(B|KiB|MiB|GiB|TiB|KB|MB|GB|TB)?", re.ASCII)
_SIZE_UNITS = {"B": 1, None: 1} | {
    f"{letter}{suffix}": base**power
    for power, letter in enumerate("KMGT", start=1)
    for suffix, base in (("iB", 1024), ("B", 1000))
}
_DURATION = re.compile(r"(\d+)\s*(ms|s|m|h|d)?", re.ASCII)
_DURATION_UNITS = {"ms": 0.001, "s": 1.0, None: 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_ENVIRONMENT = re.compile(
    r"CUZK_(DAEMON|JOBS|MEMORY|GPUS|SCHEDULER|SYNTHESIS|PIPELINE|SRS|WORKERS|LOGGING)_([A-Z0-9_]+)"
)
_ENVIRONMENT_OF_RUST = {"CUZK_GPU_THREADS": ("gpus", "gpu_threads")}


def _parse_size(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError("a size: an integer of bytes, or with a unit as in 512MiB or 400 GiB")
    return int(match[1]) * _SIZE_UNITS[match[2]]


def _parse_duration(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return float(value)
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError("a duration: an integer of seconds, or with a unit as in 500ms, 30s, 5m, 1h or 1d")
    return int(match[1]) * _DURATION_UNITS[match[2]]


def _parse_budget(value: object) -> object:
    return None if value == "auto" else _parse_size(value)


def _parse_address(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("an address: HOST:PORT or unix:///PATH")
    if value == "" or (value.startswith("unix://") and len(value) > len("unix://")):
        return value
    host, separator, port = value.rpartition(":")
    if not separator or not host or not port.isascii() or not port.isdigit() or int(port) > 0xFFFF:
        raise ValueError("an address: HOST:PORT or unix:///PATH")
    return value


Size = Annotated[int, BeforeValidator(_parse_size)]
Budget = Annotated[int | None, BeforeValidator(_parse_budget)]
Duration = Annotated[float, BeforeValidator(_parse_duration)]
Address = Annotated[str, BeforeValidator(_parse_address)]
Count = Annotated[int, Field(ge=0, le=1_000_000, strict=True)]
Flag = Annotated[bool, Field(strict=True)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _default_data_dir() -> Path:
    return platformdirs.user_state_path("cuzk")


class DaemonConfig(_Section):
    """Where the daemon listens and keeps its data."""

    listen: Address = "127.0.0.1:9820"
    status_listen: Address = "127.0.0.1:9821"
    """HTTP: status, metrics, panel; empty is off."""
    data_dir: Path = Field(default_factory=_default_data_dir)
    drain_timeout: Duration = 60.0
    max_message_size: Size = 256 << 20
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    """gRPC callers must show a certificate that one of these signed."""
    status_tls: Flag = False
    """HTTP uses the certificate too."""
    token_file: Path | None = None
    """A file whose first line callers must present as bearer token."""


class JobsConfig(_Section):
    """How many jobs there may be, and how long they are remembered."""

    max_pending: Annotated[Count, Field(ge=1)] = 100
    max_attempts: Annotated[Count, Field(ge=1)] = 3
    orphan_grace: Duration = 600.0
    result_ttl: Duration = 86400.0
    max_results: Annotated[Count, Field(ge=1)] = 1000


class MemoryConfig(_Section):
    """The one budget."""

    total_budget: Budget = None
    """None ("auto"): what this machine, or this container, has, less the margin."""
    safety_margin: Size = 5 << 30
    eviction_min_idle: Duration = 300.0
    critical_reserve: Budget = None
    """None ("auto"): what one WinningPoSt needs, of the circuits whose parameters are here."""
    pinned_budget: Any = None
    working_memory_budget: Any = None


class GpusConfig(_Section):
    """Devices."""

    devices: tuple[Count, ...] = ()
    """Ordinals; none: all there are, else the CPU."""
    gpu_threads: Count = 0
    gpu_workers_per_device: Annotated[Count, Field(ge=1, le=16)] = 2


class SchedulerConfig(_Section):
    """The order of jobs."""

    max_batch_size: Annotated[Count, Field(ge=1)] = 1
    max_batch_wait_ms: Count = 10_000
    sort_by_type: Flag = True


class SynthesisConfig(_Section):
    """Synthesis on the CPU."""

    threads: Count = 0
    partition_workers: Any = None


class PipelineConfig(_Section):
    """How synthesis and devices overlap."""

    enabled: Flag = True
    synthesis_lookahead: Count = 1
    synthesis_concurrency: Annotated[Count, Field(ge=1, le=64)] = 1
    """Processes that decode and check requests."""
    max_parallel_synthesis: Count = 18
    slot_size: Count = 0
    max_gpu_queue_depth: Count = 0


class SrsConfig(_Section):
    """Parameter files."""

    param_cache: Path | None = None
    """None: FIL_PROOFS_PARAMETER_CACHE, else the network's usual folder."""
    dev_params: Flag = False
    """Use parameters made here, whose secrets somebody knows."""
    preload: Any = None


class WorkersConfig(_Section):
    """When a worker process hangs, so that it is killed and its work done again; 0 is never."""

    freeze_timeout: Duration = 120.0
    """Without a sign of life, of which there should be one a second."""
    check_timeout: Duration = 900.0
    synthesis_timeout: Duration = 3600.0
    proof_timeout: Duration = 86400.0
    """One partition, on a device or the CPU, until it has verified."""
    load_timeout: Duration = 7200.0
    """To load a circuit's parameters, or to open a device at the start."""


class LoggingConfig(_Section):
    """Logs."""

    level: Literal["trace", "debug", "info", "warn", "warning", "error"] = "info"
    format: Literal["text", "json"] = "text"


class Config(_Section):
    """All of it."""

    daemon: DaemonConfig = DaemonConfig()
    jobs: JobsConfig = JobsConfig()
    memory: MemoryConfig = MemoryConfig()
    gpus: GpusConfig = GpusConfig()
    scheduler: SchedulerConfig = SchedulerConfig()
    synthesis: SynthesisConfig = SynthesisConfig()
    pipeline: PipelineConfig = PipelineConfig()
    srs: SrsConfig = SrsConfig()
    workers: WorkersConfig = WorkersConfig()
    logging: LoggingConfig = LoggingConfig()
    warnings: tuple[str, ...] = Field(default=(), exclude=True)
    """What the reader should be told about this configuration."""


_IGNORED = {
    ("memory", "pinned_budget"): "memory.total_budget covers everything",
    ("memory", "working_memory_budget"): "memory.total_budget covers everything",
    ("synthesis", "partition_workers"): "pipeline.max_parallel_synthesis limits synthesis",
    ("srs", "preload"): "use the PreloadSRS call or `cuzk preload`",
    ("pipeline", "synthesis_lookahead"): "pipeline.max_gpu_queue_depth says how far synthesis runs ahead",
    ("pipeline", "slot_size"): "partitions are always scheduled one by one",
}


def load_config(
    path: Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Mapping[str, Any]] | None = None,
) -> Config:
    """Read the configuration; `overrides` is section → key → value. InputError says what is wrong with which key."""
    source = "the configuration" if path is None else str(path)
    values = {} if path is None else _read(path)
    for section, key, value in _from_environment(os.environ if environment is None else environment):
        _section(values, section)[key] = value
    for section, keys in (overrides or {}).items():
        _section(values, section).update(keys)
    if "warnings" in values:
        raise InputError(f"{source}: unknown key warnings")
    warnings = tuple(
        f"{section}.{key} is ignored: {why}"
        for (section, key), why in _IGNORED.items()
        if isinstance(values.get(section), dict) and key in values[section]
    )
    try:
        return Config.model_validate(values | {"warnings": warnings})
    except ValidationError as error:
        raise InputError("; ".join(f"{source}: {_sentence(detail)}" for detail in error.errors())) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}") from error


def _from_environment(environment: Mapping[str, str]) -> list[tuple[str, str, Any]]:
    found = []
    for name, text in sorted(environment.items()):
        match = _ENVIRONMENT.fullmatch(name)
        if name in _ENVIRONMENT_OF_RUST:
            section, key = _ENVIRONMENT_OF_RUST[name]
        elif match is not None:
            section, key = match[1].lower(), match[2].lower()
        else:
            continue
        found.append((section, key, _typed(text)))
    return found


def _typed(text: str) -> Any:
    """Read an environment variable as TOML would read the value, or else as text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _section(values: dict[str, Any], name: str) -> dict[str, Any]:
    section = values.setdefault(name, {})
    if not isinstance(section, dict):
        raise InputError(f"{name} is a section, not the value {section!r}")
    return section


def _sentence(detail: Any) -> str:
    key = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"unknown key {key}"
    expected = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return f"{key}: expected {expected}, got {detail['input']!r}"
