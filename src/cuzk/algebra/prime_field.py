"""Arithmetic in a prime field over arrays; `cuzk.algebra.fr` and `cuzk.algebra.fp` are its two instances."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from cuzk import _native
from cuzk.algebra.arguments import require, wrong_type
from cuzk.algebra.arrays import Elements, check_elements, check_threads
from cuzk.errors import InputError

__all__ = ["PrimeField"]


@dataclass(frozen=True)
class PrimeField:
    """A prime field whose elements are uint64[n, limbs]: canonical integers, little-endian limbs, C-contiguous."""

    name: str
    modulus: int
    limbs: int

    def from_ints(self, ints: Iterable[int]) -> Elements:
        """Return the elements with these canonical values; an integer below 0 or not below the modulus is refused."""
        require(f"{self.name}: integers", ints, Iterable)
        integers = list(ints)
        for index, integer in enumerate(integers):
            if not isinstance(integer, int):
                raise wrong_type(f"{self.name}: element {index}", "int", integer)
            if not 0 <= integer < self.modulus:
                raise InputError(f"{self.name}: element {index} is {integer}, expected 0 up to the modulus")
        size = 8 * self.limbs
        return self._view(b"".join(integer.to_bytes(size, "little") for integer in integers))

    def to_ints(self, array: Elements) -> list[int]:
        """Return the values as Python integers."""
        data, size = self.to_bytes(array), 8 * self.limbs
        return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]

    def from_bytes(self, data: bytes | bytearray | memoryview) -> Elements:
        """Return a copy of little-endian bytes as elements; refuse a wrong length and values not below the modulus."""
        view, size = memoryview(data).cast("B"), 8 * self.limbs
        if len(view) % size:
            raise InputError(f"{self.name}: expected a multiple of {size} bytes, got {len(view)}")
        elements = self._view(view)
        self._kernel("require_canonical")(elements, self.name, 1)
        return elements

    def to_bytes(self, array: Elements) -> bytes:
        """Return little-endian bytes, 8 * limbs an element."""
        check_elements(array, self.limbs, self.name)
        return array.astype("<u8", copy=False).tobytes()

    def add(self, a: Elements, b: Elements, threads: int = 1) -> Elements:
        """Return a + b, element by element."""
        return self._element_wise("add", a, b, threads)

    def sub(self, a: Elements, b: Elements, threads: int = 1) -> Elements:
        """Return a - b, element by element."""
        return self._element_wise("sub", a, b, threads)

    def mul(self, a: Elements, b: Elements, threads: int = 1) -> Elements:
        """Return a * b, element by element."""
        return self._element_wise("mul", a, b, threads)

    def inverse(self, a: Elements, threads: int = 1) -> Elements:
        """Return 1 / a, element by element, by batched inversion; a zero is refused."""
        check_elements(a, self.limbs, "a")
        check_threads(threads)
        out = np.empty_like(a)
        self._kernel("inverse")(a, out, threads)
        return out

    def _element_wise(self, operation: str, a: Elements, b: Elements, threads: int) -> Elements:
        check_elements(a, self.limbs, "a")
        check_elements(b, self.limbs, "b", length=len(a))
        check_threads(threads)
        out = np.empty_like(a)
        self._kernel(operation)(a, b, out, threads)
        return out

    def _kernel(self, operation: str) -> Callable[..., None]:
        kernel: Callable[..., None] = getattr(_native, f"{self.name}_{operation}")
        return kernel

    def _view(self, data: bytes | memoryview) -> Elements:
        return np.frombuffer(data, dtype="<u8").astype(np.uint64).reshape(-1, self.limbs)
