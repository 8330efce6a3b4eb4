"""Sealing of small sectors for development: what a storage provider's machines do before there is anything to prove."""
