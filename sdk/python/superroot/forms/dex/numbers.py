"""Numbers of prices: zero, or 30 digits times a power of ten, rounded down. docs/protocol/prices.md, "Numbers"."""

from __future__ import annotations

from typing import NamedTuple, Optional

_DIGITS = 30
_EXPONENT_MAX = 1000
_WIDE = 1 << 512


class Decimal(NamedTuple):
    """``mantissa`` has exactly 30 digits, or is 0."""

    mantissa: int
    exponent: int


ZERO = Decimal(0, 0)
ONE = Decimal(10**29, -29)


def _digit_count(number: int) -> int:
    return len(str(number))


def _of(whole: int, exponent: int) -> Optional[Decimal]:
    """``None`` out of bounds."""
    if whole == 0:
        return ZERO
    more = _digit_count(whole) - _DIGITS
    mantissa = whole // 10**more if more > 0 else whole * 10**-more
    return Decimal(mantissa, exponent + more) if abs(exponent + more) <= _EXPONENT_MAX else None


def of_fraction(numerator: int, denominator: int, shift: int) -> Optional[Decimal]:
    """``numerator / denominator * 10^shift``; ``None`` for no number."""
    if denominator == 0:
        return None
    if numerator == 0:
        return ZERO
    more = _digit_count(denominator) + _DIGITS - _digit_count(numerator)
    power: int = 10 ** abs(more)
    above, below = (numerator * power, denominator) if more >= 0 else (numerator, denominator * power)
    return _of(above // below, shift - more) if max(power, above, below) < _WIDE else None


def of_integer(number: int) -> Decimal:
    return _of(number, 0) or ZERO


def times(one: Decimal, other: Decimal) -> Optional[Decimal]:
    return _of(one.mantissa * other.mantissa, one.exponent + other.exponent)


def over(one: Decimal, other: Decimal) -> Optional[Decimal]:
    return of_fraction(one.mantissa, other.mantissa, one.exponent - other.exponent)


def is_zero(number: Decimal) -> bool:
    return number.mantissa == 0


def order(one: Decimal, other: Decimal) -> int:
    """Below 0 where the one is less."""
    if is_zero(one) or is_zero(other):
        return int(not is_zero(one)) - int(not is_zero(other))
    return one.exponent - other.exponent or one.mantissa - other.mantissa


def plus(one: Decimal, other: Decimal) -> Decimal:
    high, low = (one, other) if order(one, other) >= 0 else (other, one)
    apart = high.exponent - low.exponent
    if is_zero(low) or abs(apart) > _DIGITS:
        return high
    return _of(high.mantissa + low.mantissa // 10 ** abs(apart), high.exponent) or high


def _minus(one: Decimal, other: Decimal) -> Decimal:
    """Zero where the other is larger."""
    if order(other, one) >= 0:
        return ZERO
    apart = abs(one.exponent - other.exponent)
    if is_zero(other) or apart > _DIGITS:
        return one
    return _of(one.mantissa - other.mantissa // 10**apart, one.exponent) or ZERO


def distance(one: Decimal, other: Decimal) -> Optional[Decimal]:
    """How far two numbers are apart, in parts of the second."""
    return over(_minus(one, other) if order(one, other) >= 0 else _minus(other, one), other)


def to_double(number: Decimal) -> float:
    """The nearest double."""
    return float(f"{number.mantissa}e{number.exponent}")


def to_text(number: Decimal, significant: int) -> str:
    """Plain digits, at most so many significant ones, rounded down."""
    digits = str(number.mantissa)
    kept = digits[: max(significant, 1)].rstrip("0")
    if not kept:
        return "0"
    whole = number.exponent + len(digits)
    if whole <= 0:
        return "0." + "0" * -whole + kept
    return kept.ljust(whole, "0") if whole >= len(kept) else f"{kept[:whole]}.{kept[whole:]}"
