"""The wire contract in Python: generated from `proto/cuzk/v1/proving.proto` by `make proto`."""
