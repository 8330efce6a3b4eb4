"""cuzk: a persistent, pipelined Groth16 proving engine for Filecoin storage proofs."""

from importlib.metadata import version

__version__ = version("cuzk")
