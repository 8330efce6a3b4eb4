"""Filecoin's storage proofs: what they prove, how they travel, and which circuits and files belong to them."""
