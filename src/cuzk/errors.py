"""The errors of cuzk, as a tree.

CuzkError
├── InputError(ValueError)   bad input of any kind; the native kernels raise it too
│   └── FormatError          bytes of a file or message that are not what they claim to be
├── UnsatisfiedError         an assignment that does not satisfy its circuit, or a proof that does not verify
└── UnreachableError         no daemon answers
"""

__all__ = ["CuzkError", "FormatError", "InputError", "UnreachableError", "UnsatisfiedError"]


class CuzkError(Exception):
    """Base of all errors that this package raises on purpose."""


class InputError(CuzkError, ValueError):
    """Bad input: the message says what was wrong, what was expected and what came."""


class FormatError(InputError):
    """Bytes of a file or message that are not what they claim to be."""


class UnsatisfiedError(CuzkError):
    """An assignment does not satisfy its circuit, or a proof does not verify."""


class UnreachableError(CuzkError):
    """No daemon answers, or it went away before it answered."""
