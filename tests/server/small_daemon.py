"""A daemon over small circuits in a process of its own: `python -m tests.server.small_daemon FOLDER OPTIONS SECTIONS`.

OPTIONS and SECTIONS are JSON: of the registry (`tests.engine.small`) and of the configuration. It prints {"grpc",
"panel"}.
"""

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

import structlog

from cuzk.addresses import TcpAddress
from cuzk.engine import Engine
from cuzk.server.daemon import Daemon, Endpoints, ServerOptions
from tests.engine import small
from tests.engine.conftest import make_config


def tell(endpoints: Endpoints) -> None:
    print(json.dumps(asdict(endpoints)), flush=True)


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    folder, options, sections = Path(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
    engine = Engine(make_config(folder, **sections), registry=small.source(folder, **options), validate=True)
    any_port = TcpAddress("127.0.0.1", 0)
    asyncio.run(Daemon(engine, ServerOptions(listen=any_port, status_listen=any_port), tell).run())
