"""Quantities with their units, as scenarios and options have them.

    from narrows import units as u
    nw.compare("cubic", "bbr", rate=u.mbit_per_s(50), rtt=u.ms(40), buffer=u.bdp(1.5), loss=u.percent(1))

Each function returns a `Quantity`, which is a string: ``u.ms(40)`` equals ``"40 ms"``.
"""

from __future__ import annotations

__all__ = [
    "Quantity",
    "bdp",
    "bit_per_s",
    "bytes_",
    "gbit_per_s",
    "kb",
    "kbit_per_s",
    "mb",
    "mbit_per_s",
    "minutes",
    "ms",
    "packets",
    "percent",
    "s",
    "us",
]


class Quantity(str):
    """A number with its unit: a string such as ``"40 ms"``."""

    __slots__ = ()


def _of(number: float, unit: str) -> Quantity:
    if isinstance(number, bool) or number != number or number in (float("inf"), float("-inf")):
        raise ValueError(f"{number} is not a number; give a finite one, in {unit}")
    # The shortest text that is read as this number, without an exponent.
    text = repr(int(number)) if number == int(number) else f"{number:.12f}".rstrip("0")
    return Quantity(f"{text} {unit}")


def bit_per_s(number: float) -> Quantity:
    """A rate in bit/s."""
    return _of(number, "bit/s")


def kbit_per_s(number: float) -> Quantity:
    """A rate in kbit/s."""
    return _of(number, "kbit/s")


def mbit_per_s(number: float) -> Quantity:
    """A rate in Mbit/s."""
    return _of(number, "Mbit/s")


def gbit_per_s(number: float) -> Quantity:
    """A rate in Gbit/s."""
    return _of(number, "Gbit/s")


def us(number: float) -> Quantity:
    """A time in microseconds."""
    return _of(number, "us")


def ms(number: float) -> Quantity:
    """A time in milliseconds."""
    return _of(number, "ms")


def s(number: float) -> Quantity:
    """A time in seconds."""
    return _of(number, "s")


def minutes(number: float) -> Quantity:
    """A time in minutes."""
    return _of(number, "min")


def bytes_(number: float) -> Quantity:
    """A size in bytes."""
    return _of(number, "B")


def kb(number: float) -> Quantity:
    """A size in kilobytes of 1000 bytes."""
    return _of(number, "kB")


def mb(number: float) -> Quantity:
    """A size in megabytes of 1,000,000 bytes."""
    return _of(number, "MB")


def packets(number: float) -> Quantity:
    """The size of a buffer in packets."""
    return _of(number, "packets")


def bdp(number: float) -> Quantity:
    """The size of a buffer in bandwidth-delay products."""
    return _of(number, "bdp")


def percent(number: float) -> Quantity:
    """A share in percent."""
    return _of(number, "%")
