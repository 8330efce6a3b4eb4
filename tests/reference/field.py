"""Prime fields in plain integers, and inputs that tests draw from them."""

from hypothesis import strategies as st

R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001  # the order of Fr
P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB  # of Fp


def edge_elements(modulus: int) -> list[int]:
    """Return the elements at which carries, borrows and reductions turn."""
    bits = modulus.bit_length()
    near_words = [(1 << k) + d for k in (32, 52, 64, 104, 128, 156, 192, 208, bits - 1) for d in (-1, 0, 1)]
    return [
        0,
        1,
        2,
        7,
        modulus - 1,
        modulus - 2,
        modulus // 2,
        modulus // 2 + 1,
        *(e for e in near_words if e < modulus),
    ]


def elements(modulus: int) -> st.SearchStrategy[int]:
    """Draw elements of the field, often adversarial ones."""
    return st.one_of(st.sampled_from(edge_elements(modulus)), st.integers(0, modulus - 1))
