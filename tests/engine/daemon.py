"""An engine over small circuits in a process of its own, to be killed: `python -m tests.engine.daemon FOLDER OPTIONS`.

OPTIONS is JSON: {"submit": [[kind, id, vanilla], …], "options": {…}, "sections": {…}}. It prints, one JSON a line,
["accepted", id], every event as [its name, …], and at the end ["outcome", id, status, proof in hex] for each id and
["proved", number]; then it waits for its end of input, and stops.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import structlog

from cuzk.engine import CheckFailedError, Engine
from cuzk.engine.events import Event, LeaseEnded, LeaseFinalizing, LeaseTaken, ProcessMoved
from cuzk.filecoin.kinds import Kind
from tests.engine import small
from tests.engine.conftest import make_config


def say(*words: Any) -> None:
    print(json.dumps(words), flush=True)


def tell(event: Event) -> None:
    match event:
        case LeaseTaken():
            say("taken", event.lease.kind, event.lease.partition)
        case LeaseFinalizing():
            say("finalizing")
        case LeaseEnded():
            say("ended", event.result)
        case ProcessMoved(state="up"):
            say("up", event.process, event.pid)


async def main(folder: Path, told: dict[str, Any]) -> None:
    config = make_config(folder, **told.get("sections", {}))
    engine = Engine(config, registry=small.source(folder, **told.get("options", {})), validate=True)
    engine.subscribe(tell)
    await engine.start()
    say("started")
    ids = told.get("wait", [])
    for kind, name, vanilla in told.get("submit", []):
        try:
            receipt = await engine.submit(small.request(Kind[kind], name, **vanilla))
        except CheckFailedError:  # as a client would, once
            receipt = await engine.submit(small.request(Kind[kind], name, **vanilla))
        say("accepted", receipt.job_id)
        ids.append(receipt.job_id)
    for name in ids:
        outcome = await engine.wait(name)
        say("outcome", name, outcome.status, outcome.proof.hex(), outcome.error)
    say("proved", engine.status().counters.partitions_proved)
    await asyncio.to_thread(sys.stdin.read)
    await engine.stop()


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    asyncio.run(main(Path(sys.argv[1]), json.loads(sys.argv[2])))
