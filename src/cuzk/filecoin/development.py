"""Orders for development requests: enough to make a request that proves, from nothing but a seed."""

from dataclasses import dataclass

from cuzk.errors import InputError


@dataclass(frozen=True)
class DevelopmentOrder:
    """What a development request is to be about; everything that is not said here follows from the seed."""

    seed: bytes = b""
    miner_id: int = 1000
    #: The sectors of a WindowPoSt partition; other kinds take one.
    sectors: tuple[int, ...] = (1,)
    #: 32 bytes, from which challenges follow; not all zero.
    randomness: bytes = b"\1" * 32
    partition_index: int = 0
    #: A number of the circuit's registered proofs; None is the newest.
    registered_proof: int | None = None

    def the_sector(self, what: str) -> int:
        """Return the one sector that `what` is about; InputError if there are more or none."""
        if len(self.sectors) != 1:
            raise InputError(f"sectors: expected exactly one for {what}, got {len(self.sectors)}")
        return self.sectors[0]
