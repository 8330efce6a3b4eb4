"""Proofs of spacetime (WinningPoSt and WindowPoSt): FallbackPoSt of rust-fil-proofs' storage-proofs-post."""
