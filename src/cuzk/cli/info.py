"""`cuzk info`: the version, and what this machine offers."""

import platform
from dataclasses import asdict

import typer

from cuzk import __version__
from cuzk.cli.output import Json, answer
from cuzk.devices.cpu import CpuDevice, cpu_features, kernel_isa

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: cuzk info --json")
def command(json: Json = False) -> None:
    """Show version, processor, memory and devices."""
    devices = [CpuDevice().info]
    cpu = devices[0]
    result = {
        "version": __version__,
        "python": platform.python_version(),
        "architecture": platform.machine(),
        "isa": kernel_isa(),
        "cpu_features": cpu_features(),
        "threads": cpu.threads,
        "memory": {"total": cpu.total_memory, "free": cpu.free_memory},
        "devices": [asdict(device) for device in devices],
    }
    gib = 1 << 30
    lines = [
        f"cuzk      {__version__} (Python {result['python']})",
        f"processor {cpu.name}, {result['architecture']}, {cpu.threads} threads",
        f"kernels   {kernel_isa()} (the processor has {', '.join(cpu_features()) or 'nothing beyond the base'})",
        f"memory    {cpu.total_memory / gib:.1f} GiB, {cpu.free_memory / gib:.1f} GiB free",
        *(f"device    {device.kind}:{device.ordinal} {device.name}" for device in devices),
    ]
    answer(result, "\n".join(lines), as_json=json)
