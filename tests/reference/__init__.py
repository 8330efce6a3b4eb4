"""Slow, obvious implementations that the kernels are tested against."""
