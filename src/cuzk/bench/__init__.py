"""Measures: kernels beside their peers, in one run so that their ratio holds whatever the machine does."""
