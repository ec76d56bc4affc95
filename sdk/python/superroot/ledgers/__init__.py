"""Levels 1 and 2 of each ledger, by family."""

from __future__ import annotations

from typing import Callable, Tuple

from .._bytes import Reader
from ..errors import need
from ..statement import COSMOS, SOLANA_HEADER, Subject
from . import aptos, bitcoin, cosmos, evm, icp, polkadot, solana, sui, tron
from .form import Entry, Event, Header, Shown, Transaction

__all__ = ["Entry", "Event", "Header", "Shown", "Transaction", "check_chain", "check_rule", "read_entry", "read_header"]

_ReadHeader = Callable[[int, bytes], Header]
_ReadEntry = Callable[[Subject, bool, bool, Reader], Entry]

#: In the order of families.
_LEDGERS: Tuple[Tuple[_ReadHeader, _ReadEntry], ...] = (
    (evm.read_header, evm.read_entry),
    (bitcoin.read_header, bitcoin.read_entry),
    (solana.read_header, solana.read_entry),
    (polkadot.read_header, polkadot.read_entry),
    (tron.read_header, tron.read_entry),
    (aptos.read_header, aptos.read_entry),
    (sui.read_header, sui.read_entry),
    (icp.read_header, icp.read_entry),
    (cosmos.read_header, cosmos.read_entry),
)


def read_header(rule: int, data: bytes) -> Header:
    """Header in the layout of its rule."""
    return _LEDGERS[rule >> 8][0](rule, data)


def read_entry(family: int, subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    """Level 1 of a file, where at least one part is there."""
    return _LEDGERS[family][1](subject, has_transaction, has_receipt, reader)


def check_rule(rule: int) -> None:
    """Refuses level 1 under rule 0202."""
    what = "4,000,000 hashes span several blocks at this height, so no proof shows which block a transaction is of"
    need(rule != SOLANA_HEADER, what)


def check_chain(rule: int, header: Header, caip2: str) -> None:
    """Refuses a header that names another chain."""
    if rule >> 8 == COSMOS:
        cosmos.check_chain(header, caip2)
