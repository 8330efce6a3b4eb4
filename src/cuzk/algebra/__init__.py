"""Typed, checked Python over the native kernels: fields, groups, transforms, sparse rows and hashes."""
