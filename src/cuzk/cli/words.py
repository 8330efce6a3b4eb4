"""Numbers as words, the same as in the panel: 587 ms, 5.2 s, 3 m 10 s; 18.2 GiB. And words that do no harm."""

UNKNOWN = "—"
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def duration(ms: float | None) -> str:
    """Say a time in milliseconds."""
    if ms is None:
        return UNKNOWN
    if ms < 999.5:
        return f"{ms:.0f} ms"
    if ms < 9950:
        return f"{ms / 1000:.1f} s"
    seconds = round(ms / 1000)
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} m {seconds} s" if seconds else f"{minutes} m"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} m" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def seconds(value: float | None) -> str:
    """Say a time in seconds."""
    return duration(None if value is None else value * 1000)


def size(n: float | None) -> str:
    """Say a number of bytes."""
    if n is None:
        return UNKNOWN
    unit = 0
    while n >= 1023.5 and unit < len(_BINARY) - 1:
        n /= 1024
        unit += 1
    digits = 0 if unit == 0 or n == 0 or n >= 99.95 else 2 if n < 9.995 else 1
    return f"{n:.{digits}f} {_BINARY[unit]}"


def harmless(text: str) -> str:
    """Return text from elsewhere as a terminal may show it: with what orders a terminal about spelt out."""
    return "".join(char if char.isprintable() or char in "\n\t" else repr(char)[1:-1] for char in text)
