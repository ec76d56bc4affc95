"""Rows of the lists."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

#: Roles of a token.
STABLE, NATIVE = 1, 2


class Factory(NamedTuple):
    """A factory on chains. ``form`` says how its pools follow from it; fees are in millionths."""

    dex: str
    chains: Tuple[str, ...]
    form: str
    address: str
    deployer: Optional[str] = None
    init_code_hash: Optional[str] = None
    implementation: Optional[str] = None
    fees: Tuple[int, ...] = ()
    fees_change: bool = False
    tick_spacings: Tuple[int, ...] = ()


class Token(NamedTuple):
    """A well-known token. ``roles`` is a sum of ``STABLE``, taken for a dollar, and ``NATIVE``, the chain's own coin."""

    address: str
    symbol: str
    decimals: int
    roles: int
