"""Figures of pools as a price shows them, compared with what follows from the events."""

from __future__ import annotations

from math import floor
from typing import Any, List, Optional, Tuple

from .._member import shown
from ..errors import Refused
from ._price_body import PricePool
from .dex.factories import Bound
from .dex.numbers import ZERO, Decimal, is_zero, over, to_double, to_text
from .dex.quote import Said, total_depth
from .dex.state import Bins, Reserves, Spot, State

DIGITS = 18
_FIGURES = ("price_base", "price_usd", "liquidity_usd", "depth_usd")


def _same(pool: PricePool, member: str, computed: Any, said: Any) -> None:
    if computed != said:
        raise Refused(f"pool {shown(pool.address)}: its {member} follows as {computed}, and {shown(said)} is said")


def check_kind(pool: PricePool, bound: Bound) -> None:
    _same(pool, "protocol", bound.dex, pool.protocol)
    if not bound.fee_may_change:
        _same(pool, "fee_millionths", bound.fee, pool.fee)
    _same(pool, "tick_spacing", bound.spacing, pool.spacing)


def check_state(pool: PricePool, state: State, is_stable: bool) -> None:
    spot = state if isinstance(state, Spot) else None
    reserves = (str(state.reserves[0]), str(state.reserves[1])) if isinstance(state, Reserves) else None
    _same(pool, "reserves", reserves, pool.reserves)
    _same(pool, "sqrt_price_x96", None if spot is None else str(spot.root), pool.root)
    _same(pool, "liquidity", None if spot is None else str(spot.liquidity), pool.liquidity)
    _same(pool, "tick", None if isinstance(state, Bins) or is_stable else state.tick, pool.tick)


def _rounded(weight: Decimal) -> float:
    """To four digits behind the point, half away from zero."""
    scaled = to_double(weight) * 10000
    whole = floor(scaled)
    return (whole + (1 if scaled - whole >= 0.5 else 0)) / 10000


def check_figures(pools: List[PricePool], said: List[Optional[Said]]) -> None:
    total = total_depth(said)
    for pool, own in zip(pools, said):
        left_out = "beyond" if own is None else own.left
        _same(pool, "left_out", left_out, pool.left_out)
        if own is None or is_zero(own.usd):
            figures: Tuple[Optional[str], ...] = (None,) * 4
            weight = ZERO
        else:
            numbers = (own.in_base, own.usd, own.liquidity_usd, own.depth_usd)
            figures = tuple(to_text(number, DIGITS) for number in numbers)
            weight = (over(own.depth_usd, total) or ZERO) if left_out is None else ZERO
        said_figures = (pool.price_base, pool.price_usd, pool.liquidity_usd, pool.depth_usd)
        for name, figure, said_figure in zip(_FIGURES, figures, said_figures):
            _same(pool, name, figure, said_figure)
        _same(pool, "weight", _rounded(weight), pool.weight)
