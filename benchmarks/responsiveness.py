"""How soon `/status` answers while a daemon is sent garbage, messages beyond its limit, and large wrong requests.

    PYTHONPATH=. python benchmarks/responsiveness.py --seconds 5

Each kind of message comes from a process of its own, one after the other without a pause, while another polls.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path
from urllib.parse import urlsplit

import grpc

from cuzk.cli.daemon_process import DaemonProcess
from cuzk.proto import proving_pb2 as pb

MIB = 1 << 20


def garbage(size: int) -> bytes:
    """Return bytes that are no message: field 0 does not exist."""
    return b"\0" + os.urandom(size - 1)


def porep(size: int) -> bytes:
    """Return a PoRep request of that size whose JSON is none."""
    return pb.SubmitProofRequest(proof_kind=pb.POREP_SEAL_COMMIT, vanilla_proof=b"[" * size).SerializeToString()


def window(count: int, size: int) -> bytes:
    """Return a WindowPoSt request of so many vanilla proofs that are none."""
    proofs = [bytes(size)] * count
    message = pb.SubmitProofRequest(
        proof_kind=pb.WINDOW_POST_PARTITION, registered_proof=8, randomness=bytes(32), vanilla_proofs=proofs
    )
    return message.SerializeToString()


SCENARIOS = {
    "nothing": None,
    "garbage of 1 kB": lambda: garbage(1000),
    "garbage of 4 MiB": lambda: garbage(4 * MIB),
    "garbage of 200 MiB": lambda: garbage(200 * MIB),
    "beyond the limit by 1 MiB": lambda: bytes(257 * MIB),
    "a wrong PoRep of 64 MiB": lambda: porep(64 * MIB),
    "a wrong PoRep of 200 MiB": lambda: porep(200 * MIB),
    "a wrong WindowPoSt of 2349 sectors": lambda: window(2349, 20_000),
}


def throw(address: str, name: str, started: Event, ending: Event) -> None:
    """Send one kind of message over and over."""
    make = SCENARIOS[name]
    if make is None:
        started.set()
        return
    message = make()
    options = [("grpc.max_send_message_length", -1)]
    with grpc.insecure_channel(address, options) as channel:
        submit = channel.unary_unary("/cuzk.v1.ProvingEngine/SubmitProof")
        codes = set()
        started.set()
        while not ending.is_set():
            try:
                submit(message, timeout=60)
            except grpc.RpcError as error:
                codes.add(error.code().name)
        print(f"    answered {', '.join(sorted(codes))}")


def poll(url: str, seconds: float) -> list[float]:
    """Return what each of many polls took, in milliseconds."""
    host = urlsplit(url).netloc
    connection = http.client.HTTPConnection(host)
    end, spent = time.monotonic() + seconds, []
    while time.monotonic() < end:
        begin = time.perf_counter()
        connection.request("GET", "/status")
        assert json.loads(connection.getresponse().read())["state"] == "serving"
        spent.append((time.perf_counter() - begin) * 1000)
        time.sleep(0.005)
    return sorted(spent)


def main() -> None:
    """Measure all, or one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--only", choices=SCENARIOS)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder, DaemonProcess(Path(folder)) as daemon:
        for name in [options.only] if options.only else SCENARIOS:
            started, ending = context.Event(), context.Event()
            thrower = context.Process(target=throw, args=(daemon.grpc, name, started, ending))
            thrower.start()
            started.wait()
            spent = poll(daemon.panel, options.seconds)
            ending.set()
            thrower.join()
            median, late = spent[len(spent) // 2], spent[len(spent) * 99 // 100]
            print(f"{name}: {len(spent)} polls, median {median:.1f} ms, 99 % {late:.1f} ms, max {spent[-1]:.1f} ms")


if __name__ == "__main__":
    main()
