"""Parameter files: what they are called, which the network knows, where they lie, how they are fetched."""
