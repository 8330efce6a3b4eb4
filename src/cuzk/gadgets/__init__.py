"""Gadgets: the parts that Filecoin's circuits are made of, with exactly the variables and rows of the originals.

Order and number of allocations and rows follow the Rust gadgets named in each module, since the trusted setup's
parameters depend on them. Names of rows are theirs too.
"""
