"""`cuzk info`: the version, and what this machine offers."""

import platform
from dataclasses import asdict

import typer

from cuzk import __version__
from cuzk.cli.output import Json, answer
from cuzk.devices.cpu import CpuDevice, instruction_sets

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
        "isa": instruction_sets(),
        "threads": cpu.threads,
        "memory": {"total": cpu.total_memory, "free": cpu.free_memory},
        "devices": [asdict(device) for device in devices],
    }
    gib = 1 << 30
    lines = [
        f"cuzk      {__version__} (Python {result['python']})",
        f"processor {cpu.name}, {result['architecture']}, {cpu.threads} threads",
        f"isa       {', '.join(instruction_sets()) or 'portable'}",
        f"memory    {cpu.total_memory / gib:.1f} GiB, {cpu.free_memory / gib:.1f} GiB free",
        *(f"device    {device.kind}:{device.ordinal} {device.name}" for device in devices),
    ]
    answer(result, "\n".join(lines), as_json=json)
