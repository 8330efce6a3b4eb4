"""Proof of replication (StackedDRG): storage-proofs-porep of rust-fil-proofs."""
