"""What a pool's state says: its price, what it holds, and what of it weighs. docs/protocol/prices.md, "What a pool
says"."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Optional, Tuple, Union

from .numbers import Decimal, of_fraction
from .tick import root_at

#: Two amounts in smallest units, or the price of token 0 in token 1 as a reduced fraction.
Pair = Tuple[int, int]
_WIDE = 1 << 512
_WORD = 1 << 256
_NEAR_TICKS = 100


@dataclass(frozen=True)
class Reserves:
    """Reserves of both tokens, and their tick."""

    reserves: Pair
    tick: Optional[int]


@dataclass(frozen=True)
class Spot:
    """The root of the price in 1 / 2^96, its tick, and the liquidity in force."""

    root: int
    tick: int
    liquidity: int


@dataclass(frozen=True)
class Bins:
    """A pool with bins, of which events do not show what it holds."""


State = Union[Reserves, Spot, Bins]


def _fraction(above: int, below: int) -> Optional[Pair]:
    if above <= 0 or below <= 0:
        return None
    common = gcd(above, below)
    return above // common, below // common


def _fit(*products: int) -> bool:
    return max(products) < _WIDE


def _side(a: int, b: int) -> Optional[int]:
    """``a (a² + 3 b²)``."""
    squares = a * a + 3 * b * b
    return squares * a if _fit(a * a, b * b, 3 * b * b, squares, squares * a) else None


def _stable_price(reserves: Pair, decimals: Pair) -> Optional[Pair]:
    """The slope of ``x³y + xy³``."""
    unit0, unit1 = 10 ** decimals[0], 10 ** decimals[1]
    if not _fit(unit0, unit1, reserves[0] * unit1, reserves[1] * unit0):
        return None
    ratio = _fraction(reserves[1] * unit0, reserves[0] * unit1)
    if ratio is None:
        return None
    y, x = ratio
    above, below = _side(y, x), _side(x, y)
    slope = None if above is None or below is None else _fraction(above, below)
    units = _fraction(unit1, unit0)
    if slope is None or units is None:
        return None
    products = slope[0] * units[0], slope[1] * units[1]
    return _fraction(*products) if _fit(*products) else None


def price_of(state: State, is_stable: bool, decimals: Pair) -> Optional[Pair]:
    """Token 0 in token 1; ``None`` for no price."""
    if isinstance(state, Bins):
        return None
    if isinstance(state, Spot):
        return _fraction(state.root * state.root, 1 << 192)
    return _stable_price(state.reserves, decimals) if is_stable else _fraction(state.reserves[1], state.reserves[0])


def whole_price(price: Pair, side: int, decimals: Pair) -> Optional[Decimal]:
    """The price of one whole token of a side in the other."""
    shift = decimals[side] - decimals[1 - side]
    return of_fraction(price[side], price[1 - side], shift)


def _narrow(amount0: int, amount1: int) -> Optional[Pair]:
    return (amount0, amount1) if max(amount0, amount1) < _WORD else None


def held_by(state: State, spacing: int) -> Optional[Pair]:
    """Next to the price: all reserves, or what lies between the two usable ticks around it."""
    if isinstance(state, Bins):
        return 0, 0
    if isinstance(state, Reserves):
        return state.reserves
    step = max(spacing, 1)
    low = state.tick // step * step
    lower, upper = root_at(low), root_at(low + step)
    if lower is None or upper is None or lower == 0 or lower >= upper:
        return None
    root = min(max(state.root, lower), upper)
    above = (state.liquidity << 96) * (upper - root) // upper // root
    return _narrow(above, state.liquidity * (root - lower) >> 96)


def _near_liquidity(spot: Spot, spacing: int) -> int:
    """The mean liquidity within a hundredth of the price, of the usable ticks around it alone."""
    step = max(spacing, 1)
    low = spot.tick // step * step
    length = max(0, min(low + step, spot.tick + _NEAR_TICKS) - max(low, spot.tick - _NEAR_TICKS))
    return min(spot.liquidity * length // (2 * _NEAR_TICKS), spot.liquidity)


def depth_of(state: State, spacing: int, near: Optional[int]) -> Optional[Pair]:
    """A hundredth of what weighs."""
    if isinstance(state, Bins):
        return 0, 0
    if isinstance(state, Reserves):
        return state.reserves[0] // 100, state.reserves[1] // 100
    if state.root == 0:
        return None
    liquidity = _near_liquidity(state, spacing) if near is None else near
    held = _narrow((liquidity << 96) // state.root, liquidity * state.root >> 96)
    return None if held is None else (held[0] // 100, held[1] // 100)
