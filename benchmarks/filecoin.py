"""Sealing, and reading requests of the network's size: seconds and peak memory, each in a fresh process.

    python benchmarks/filecoin.py --threads 2

`read porep-32g` is a request of 50 MB as a client sends it, from bytes to checked vanilla proofs.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from cuzk.algebra import sha256
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.porep.entry import porep_family
from cuzk.filecoin.registered import seal_proof
from cuzk.filecoin.request import Request
from cuzk.filecoin.seal import fr32
from cuzk.filecoin.seal.sealed import seal
from cuzk.filecoin.seal.updated import update
from cuzk.filecoin.update.entry import update_family

FAMILIES = {"porep": porep_family, "snap": update_family}
SEAL_PROOFS = {"2k": 5, "8m": 6}


def timed(what: str, action: Callable[[], object]) -> object:
    """Run an action and print its wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    print(f"{what:24} {time.perf_counter() - wall:8.3f} s {time.process_time() - cpu:8.3f} s CPU")
    return result


def seal_and_update(size: str, threads: int) -> None:
    """Seal a sector of random data, and put other data into it."""
    proof = seal_proof(SEAL_PROOFS[size])
    staged = fr32.stage(proof.shape, hashlib.shake_256(b"data").digest(fr32.capacity(proof.shape)))
    timed("warm up", lambda: seal(seal_proof(5), 1000, 1, bytes(32), staged[:64], threads))
    sealed = timed(f"seal {size}", lambda: seal(proof, 1000, 1, bytes(32), staged, threads))
    timed(f"update {size}", lambda: update(sealed.sector, staged[::-1].copy(), threads))  # type: ignore[attr-defined]


def read_request(path: Path, circuit_id: str, threads: int) -> None:
    """Decode a request and check its vanilla proofs."""
    entry = FAMILIES[circuit_id.split("-")[0]]().entries[circuit_id]
    request = Request.from_message(_message(path))
    size = len(request.vanilla_proof) + sum(map(len, request.vanilla_proofs))
    print(f"{circuit_id}: {size / 1e6:.1f} MB of vanilla proofs")
    job = timed(f"decode {circuit_id}", lambda: entry.decode(request))
    timed(f"check {circuit_id}", lambda: job.verify_vanilla(threads))  # type: ignore[attr-defined]


def _message(path: Path):  # type: ignore[no-untyped-def]
    from cuzk.proto import proving_pb2

    return proving_pb2.SubmitProofRequest.FromString(path.read_bytes())


def peak_memory() -> int:
    """Return the most memory this process has had, in bytes."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--child", nargs=2, metavar=("WHAT", "PATH"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        what, path = arguments.child
        if what in SEAL_PROOFS:
            seal_and_update(what, arguments.threads)
        else:
            read_request(Path(path), what, arguments.threads)
        print(f"{'peak memory':24} {peak_memory() / 2**20:8.0f} MiB\n")
        return
    print(f"SHA-256: {sha256.engines()[0]}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="cuzk-bench-") as name:
        for what in ("2k", "8m", "porep-32g", "snap-32g"):
            path = Path(name) / what
            if what not in SEAL_PROOFS:
                entry = FAMILIES[what.split("-")[0]]().entries[what]
                request = entry.development_request(DevelopmentOrder(b"seed"), arguments.threads)
                path.write_bytes(request.to_message().SerializeToString())
            command = [sys.executable, __file__, "--threads", str(arguments.threads), "--child", what, str(path)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
