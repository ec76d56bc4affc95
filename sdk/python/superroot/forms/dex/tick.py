"""Ticks of Uniswap v3 and roots of prices, bit for bit as its contracts compute them (v3-core, ``TickMath``)."""

from __future__ import annotations

from math import isqrt
from typing import Optional

_TICK_MAX = 887272
_FACTORS = (
    0xFFFCB933BD6FAD37AA2D162D1A594001, 0xFFF97272373D413259A46990580E213A, 0xFFF2E50F5F656932EF12357CF3C7FDCC,
    0xFFE5CACA7E10E4E61C3624EAA0941CD0, 0xFFCB9843D60F6159C9DB58835C926644, 0xFF973B41FA98C081472E6896DFB254C0,
    0xFF2EA16466C96A3843EC78B326B52861, 0xFE5DEE046A99A2A811C461F1969C3053, 0xFCBE86C7900A88AEDCFFC83B479AA3A4,
    0xF987A7253AC413176F2B074CF7815E54, 0xF3392B0822B70005940C7A398E4B70F3, 0xE7159475A2C29B7443B29C7FA6E889D9,
    0xD097F3BDFD2022B8845AD8F792AA5825, 0xA9F746462D870FDF8A65DC1F90E061E5, 0x70D869A156D2A1B890BB3DF62BAF32F7,
    0x31BE135F97D08FD981231505542FCFA6, 0x09AA508B5B7A84E1C677DE54F3E99BC9, 0x005D6AF8DEDB81196699C329225EE604,
    0x00002216E584F5FA1EA926041BEDFE98, 0x00000000048A170391F7DC42444E8FA2,
)


def root_at(tick: int) -> Optional[int]:
    """The root of the price at a tick, in 1 / 2^96; ``None`` for no tick."""
    if abs(tick) > _TICK_MAX:
        return None
    ratio = 1 << 128
    for bit, factor in enumerate(_FACTORS):
        if abs(tick) >> bit & 1:
            ratio = ratio * factor >> 128
    if tick > 0:
        ratio = ((1 << 256) - 1) // ratio
    return (ratio >> 32) + (1 if ratio & 0xFFFFFFFF else 0)


def _is_below(tick: int, root: int) -> bool:
    at = root_at(tick)
    return at is not None and at <= root


def _tick_of(root: int) -> Optional[int]:
    """The highest tick whose root is not above this one; ``None`` where all are or none is."""
    low, high = -_TICK_MAX, _TICK_MAX
    if not _is_below(low, root) or _is_below(high, root):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if _is_below(middle, root):
            low = middle
        else:
            high = middle
    return low


def tick_of_reserves(reserve0: int, reserve1: int) -> Optional[int]:
    """The tick of reserves as of a v2 pool; ``None`` for none."""
    if reserve0 == 0 or reserve1 == 0:
        return None
    root = isqrt((reserve1 << 192) // reserve0)
    return _tick_of(root) if root < 1 << 256 else None
