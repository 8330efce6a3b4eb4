"""cuzk: a persistent, pipelined Groth16 proving engine for Filecoin storage proofs.

The names below are imported when they are used; everything else is in the packages.
"""

import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuzk.client import Client
    from cuzk.engine import Engine, load_config
    from cuzk.filecoin.request import Request, read_request
    from cuzk.groth16 import Parameters, Proof, VerifyingKey, prove, verify

__version__ = version("cuzk")

_HOMES = {
    "Client": "cuzk.client",
    "Engine": "cuzk.engine",
    "Parameters": "cuzk.groth16",
    "Proof": "cuzk.groth16",
    "Request": "cuzk.filecoin.request",
    "VerifyingKey": "cuzk.groth16",
    "load_config": "cuzk.engine",
    "prove": "cuzk.groth16",
    "read_request": "cuzk.filecoin.request",
    "verify": "cuzk.groth16",
}

__all__ = [
    "Client",
    "Engine",
    "Parameters",
    "Proof",
    "Request",
    "VerifyingKey",
    "load_config",
    "prove",
    "read_request",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cuzk' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
