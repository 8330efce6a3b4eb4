"""Proof of a sector's update (SnapDeals, EmptySectorUpdate): storage-proofs-update of rust-fil-proofs."""
