"""`cuzk synthesize`: the CPU half of a proof alone."""

from typing import Annotated, Any

import typer

from cuzk.cli.output import Json, Threads, answer
from cuzk.cli.proving import RequestFile
from cuzk.devices.cpu import available_threads
from cuzk.filecoin.local import StageTimes, assignment_digest, checked_job
from cuzk.filecoin.registry import entry_of
from cuzk.filecoin.request import read_request
from cuzk.r1cs.synthesis import Synthesizer

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: cuzk synthesize request.json --repeat 3")
def command(
    request_file: RequestFile,
    repeat: Annotated[int, typer.Option(help="Synthesize so many times, and show each.", min=1, metavar="N")] = 1,
    digest: Annotated[bool, typer.Option("--digest", help="Also digest inputs and aux, 32 bytes each.")] = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Check a request's vanilla proofs and synthesize its partitions; show how long each stage took.

    Into fresh memory at first, then into the same memory again. Exit code 0: done. 2: bad input.
    """
    workers = threads or available_threads()
    request = read_request(request_file)
    entry = entry_of(request)
    times = StageTimes()
    job = checked_job(entry, request, times, workers)
    with times.stage("compile circuit"):
        synthesizer = Synthesizer(entry.circuit())
    buffer = memoryview(bytearray(synthesizer.layout.size))
    partitions: list[dict[str, Any]] = []
    for partition in range(job.partitions):
        runs, data = StageTimes(), job.witness_data(partition)
        for number in range(repeat):
            with runs.stage(f"run {number + 1}"):
                assignment = synthesizer.run(data, threads=workers, buffer=buffer)
        partitions.append(
            {
                "partition": partition,
                "inputs": len(assignment.inputs),
                "aux": assignment.aux.length,
                "milliseconds": [round(seconds * 1e3, 3) for seconds in runs.seconds.values()],
                **({"sha256": assignment_digest(assignment)} if digest else {}),
            }
        )
    result: dict[str, Any] = {
        "circuit": entry.circuit_id,
        "threads": workers,
        "bytes": synthesizer.layout.size,
        "setup_ms": {name: round(seconds * 1e3, 3) for name, seconds in times.seconds.items()},
        "partitions": partitions,
    }
    lines = [f"{entry.circuit_id}: {synthesizer.layout.size:,} bytes a partition, {workers} threads"]
    lines += [f"  {name:16} {milliseconds:10,.1f} ms" for name, milliseconds in result["setup_ms"].items()]
    for one in partitions:
        shown = ", ".join(f"{milliseconds:,.1f}" for milliseconds in one["milliseconds"])
        lines.append(f"  partition {one['partition']:<6} {shown:>10} ms")
        if digest:
            lines.append(f"    sha256 {one['sha256']}")
    answer(result, "\n".join(lines), as_json=json)
