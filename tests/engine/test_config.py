"""The configuration: what is read, what is refused and how, what wins."""

from pathlib import Path
from typing import Any

import pytest

from cuzk.engine.config import Config, load_config
from cuzk.errors import InputError

RUST = """
[daemon]
listen = "unix:///run/curio/cuzk.sock"
status_listen = "0.0.0.0:9821"
[memory]
total_budget = "400 GiB"
safety_margin = "5GiB"
eviction_min_idle = "5m"
pinned_budget = "50GiB"
[gpus]
devices = [0, 1]
gpu_threads = 32
gpu_workers_per_device = 2
[scheduler]
max_batch_size = 4
max_batch_wait_ms = 10000
sort_by_type = true
[synthesis]
threads = 0
partition_workers = 12
[pipeline]
enabled = true
synthesis_lookahead = 1
synthesis_concurrency = 1
max_parallel_synthesis = 18
slot_size = 0
max_gpu_queue_depth = 8
[srs]
param_cache = "/data/zk/params"
preload = ["porep-32g"]
[logging]
level = "info"
"""


def read(tmp_path: Path, text: str, **more: Any) -> Config:
    path = tmp_path / "cuzk.toml"
    path.write_text(text)
    return load_config(path, environment=more.pop("environment", {}), **more)


def refusal(tmp_path: Path, text: str, **more: Any) -> str:
    with pytest.raises(InputError) as error:
        read(tmp_path, text, **more)
    return str(error.value).replace(str(tmp_path / "cuzk.toml"), "FILE")


def test_a_file_of_the_rust_daemon_is_read_and_its_dead_keys_warned_of(tmp_path: Path) -> None:
    config = read(tmp_path, RUST)
    assert config.memory.total_budget == 400 << 30
    assert config.memory.eviction_min_idle == 300.0
    assert config.gpus.devices == (0, 1)
    assert config.srs.param_cache == Path("/data/zk/params")
    assert [warning.partition(" ")[0] for warning in config.warnings] == [
        "memory.pinned_budget",
        "synthesis.partition_workers",
        "srs.preload",
        "pipeline.synthesis_lookahead",
        "pipeline.slot_size",
    ]


def test_nothing_is_needed() -> None:
    config = load_config(environment={})
    assert config.daemon.listen == "127.0.0.1:9820"
    assert config.memory.total_budget is None
    assert config.warnings == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[memory]\ntotal_budgt = "1GiB"', "FILE: unknown key memory.total_budgt"),
        ("[mem]\nx = 1", "FILE: unknown key mem"),
        (
            '[memory]\ntotal_budget = "50XB"',
            "FILE: memory.total_budget: expected a size: an integer of bytes, or with a unit as in 512MiB or 400 GiB, "
            "got '50XB'",
        ),
        (
            '[memory]\neviction_min_idle = "1.5h"',
            "FILE: memory.eviction_min_idle: expected a duration: an integer of seconds, or with a unit as in 500ms, "
            "30s, 5m, 1h or 1d, got '1.5h'",
        ),
        (
            "[gpus]\ngpu_workers_per_device = 0",
            "FILE: gpus.gpu_workers_per_device: expected greater than or equal to 1, got 0",
        ),
        ('[pipeline]\nenabled = "yes"', "FILE: pipeline.enabled: expected a valid boolean, got 'yes'"),
        (
            '[daemon]\nlisten = "9820"',
            "FILE: daemon.listen: expected an address: HOST:PORT or unix:///PATH, got '9820'",
        ),
        ("memory = 3", "FILE: memory: expected a valid dictionary or instance of MemoryConfig, got 3"),
        ("[memory", "FILE is not TOML: Expected ']' at the end of a table declaration (at end of document)"),
        ("warnings = []", "FILE: unknown key warnings"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    assert refusal(tmp_path, text) == sentence


def test_environment_wins_over_the_file_and_flags_over_both(tmp_path: Path) -> None:
    environment = {"CUZK_MEMORY_TOTAL_BUDGET": "3GiB", "CUZK_GPUS_DEVICES": "[2]", "CUZK_GPU_THREADS": "7", "PATH": "x"}
    environment["CUZK_WORKERS_FREEZE_TIMEOUT"] = "5m"
    config = read(tmp_path, RUST, environment=environment, overrides={"memory": {"total_budget": "4GiB"}})
    assert config.memory.total_budget == 4 << 30
    assert config.gpus.devices == (2,)
    assert config.gpus.gpu_threads == 7
    assert config.workers.freeze_timeout == 300.0
    assert "unknown key memory.total" in refusal(tmp_path, "", environment={"CUZK_MEMORY_TOTAL": "1"})


@pytest.mark.parametrize(
    ("text", "size"), [("1", 1), ("7 B", 7), ("2KiB", 2048), ("3 MB", 3_000_000), ("1TiB", 1 << 40), ("5GB", 5 * 10**9)]
)
def test_sizes(text: str, size: int) -> None:
    assert load_config(environment={}, overrides={"memory": {"safety_margin": text}}).memory.safety_margin == size


@pytest.mark.parametrize("text", ["", "-1", "1.5GiB", "GiB", "1gib", "1 Gi B", "١GiB", -1, True, 1.5])
def test_what_is_no_size(text: object) -> None:
    with pytest.raises(InputError, match=r"memory\.safety_margin: expected a size"):
        load_config(environment={}, overrides={"memory": {"safety_margin": text}})


@pytest.mark.parametrize(
    ("text", "seconds"), [("500ms", 0.5), ("30", 30.0), (30, 30.0), ("2 h", 7200.0), ("1d", 86400.0)]
)
def test_durations(text: object, seconds: float) -> None:
    assert load_config(environment={}, overrides={"jobs": {"result_ttl": text}}).jobs.result_ttl == seconds
