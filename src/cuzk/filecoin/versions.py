"""Versions of Filecoin's proofs API: mandatory changes of the network's rules.

Source: rust-fil-proofs, storage-proofs-core/src/api_version.rs.
"""

from enum import Enum


class ApiVersion(Enum):
    """A version of the proofs API; the value is its semantic version."""

    V1_0 = "1.0.0"
    V1_1 = "1.1.0"
    V1_2 = "1.2.0"
