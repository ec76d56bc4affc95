"""A token's price from the states of its pools: docs/protocol/prices.md, "The price"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cmp_to_key
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from . import numbers
from .factories import Bound
from .numbers import ZERO, Decimal, is_zero, order, plus, times
from .state import Bins, Pair, Reserves, Spot, State, depth_of, held_by, price_of, whole_price

_FEE_MAX = 20_000
_UNITS_MIN = 1_000


class Rules(NamedTuple):
    """How thin, old or far apart pools may be."""

    depth_usd_min: int
    stale_after_seconds: int
    outlier_percent_max: int


@dataclass(frozen=True)
class Seen:
    """A pool at a block, seen from one token: its side, the decimals of both, and the dollars of its base."""

    bound: Bound
    side: int
    decimals: Pair
    state: State
    age: int
    base_usd: Decimal
    near: Optional[int]


class Stock(NamedTuple):
    """Tokens in whole units, bases in dollars."""

    tokens: Decimal
    base: Decimal


_NO_STOCK = Stock(ZERO, ZERO)


@dataclass
class Said:
    """What a pool says; zeros where it says nothing. ``left``: why it is left out."""

    in_base: Decimal
    usd: Decimal
    held: Stock
    depth: Stock
    left: Optional[str]
    liquidity_usd: Decimal = ZERO
    depth_usd: Decimal = ZERO


#: A price and its weight.
_Voice = Tuple[Decimal, Decimal]


def _nothing(left: str) -> Said:
    return Said(ZERO, ZERO, _NO_STOCK, _NO_STOCK, left)


def _stock(amounts: Optional[Pair], seen: Seen) -> Optional[Stock]:
    if amounts is None:
        return None
    side = seen.side
    tokens = numbers.of_fraction(amounts[side], 1, -seen.decimals[side])
    bases = numbers.of_fraction(amounts[1 - side], 1, -seen.decimals[1 - side])
    base = None if bases is None else times(bases, seen.base_usd)
    return None if tokens is None or base is None else Stock(tokens, base)


def _reason_to_leave_out(seen: Seen, rules: Rules) -> Optional[str]:
    state = seen.state
    if isinstance(state, Reserves) and min(state.reserves) < _UNITS_MIN:
        return "drained"
    if isinstance(state, Spot) and state.liquidity == 0:
        return "drained"
    if seen.bound.fee > _FEE_MAX:
        return "fee"
    return "stale" if seen.age > rules.stale_after_seconds else None


def _said_by(seen: Seen, rules: Rules) -> Optional[Said]:
    """What one pool says; ``None`` where it cannot be computed."""
    if isinstance(seen.state, Bins):
        return _nothing("bins")
    price = price_of(seen.state, seen.bound.is_stable, seen.decimals)
    if price is None:
        return _nothing("drained")
    in_base = whole_price(price, seen.side, seen.decimals)
    usd = None if in_base is None else times(in_base, seen.base_usd)
    held = _stock(held_by(seen.state, seen.bound.spacing), seen)
    depth = _stock(depth_of(seen.state, seen.bound.spacing, seen.near), seen)
    if in_base is None or usd is None or held is None or depth is None:
        return None
    return Said(in_base, usd, held, depth, _reason_to_leave_out(seen, rules))


def _compare_voices(one: _Voice, other: _Voice) -> int:
    return order(one[0], other[0]) or order(one[1], other[1])


def _weighted_median(voices: Sequence[_Voice]) -> Optional[Decimal]:
    heavy = sorted((voice for voice in voices if not is_zero(voice[1])), key=cmp_to_key(_compare_voices))
    total = ZERO
    for _, weight in heavy:
        total = plus(total, weight)
    running = ZERO
    for price, weight in heavy:
        running = plus(running, weight)
        if order(plus(running, running), total) >= 0:
            return price
    return None


def _voices(said: Sequence[Optional[Said]], weight_of: Callable[[Said], Decimal]) -> List[_Voice]:
    return [
        (one.usd, weight_of(one)) if one is not None and one.left is None else (ZERO, ZERO) for one in said
    ]


def _worth(stock: Stock, price: Decimal) -> Decimal:
    dollars = times(stock.tokens, price)
    return stock.base if dollars is None else plus(dollars, stock.base)


def _weigh(said: Sequence[Optional[Said]]) -> None:
    """Values tokens at the median price by all pools' bases."""
    fair = _weighted_median(_voices(said, lambda one: one.depth.base))
    for one in said:
        if one is not None:
            price = one.usd if fair is None else fair
            one.liquidity_usd, one.depth_usd = _worth(one.held, price), _worth(one.depth, price)


def total_depth(said: Sequence[Optional[Said]]) -> Decimal:
    """Dollars behind the pools that count."""
    total = ZERO
    for one in said:
        if one is not None and one.left is None:
            total = plus(total, one.depth_usd)
    return total


def price_by(seen: Sequence[Seen], rules: Rules) -> Tuple[List[Optional[Said]], Optional[Decimal], str]:
    """What each pool says, and the price over all; without a price, why there is none."""
    said = [_said_by(one, rules) for one in seen]
    _weigh(said)
    voices = _voices(said, lambda one: one.depth_usd)
    middle = _weighted_median(voices)
    most = numbers.over(numbers.of_integer(rules.outlier_percent_max), numbers.of_integer(100)) or ZERO
    far_off = []
    for price, _ in voices:
        distance = None if middle is None else numbers.distance(price, middle)
        far_off.append(distance is None or order(distance, most) > 0)
    near = [voice for voice, is_far in zip(voices, far_off) if not is_far]
    usd = None if middle is None else _weighted_median(near)
    if usd is None:
        return said, None, "nothing: no pool counts"
    for one, is_far in zip(said, far_off):
        if one is not None and one.left is None and is_far:
            one.left = "outlier"
    depth = total_depth(said)
    if order(depth, numbers.of_integer(rules.depth_usd_min)) < 0:
        return said, None, f"nothing: only {numbers.to_text(depth, 3)} US dollars stand behind it"
    return said, usd, ""
