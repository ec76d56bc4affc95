"""Ledgers in JSON, by family."""

from __future__ import annotations

from typing import Optional, Tuple

from ..ledgers import Header
from . import _aptos, _bitcoin, _cosmos, _evm, _icp, _polkadot, _solana, _sui, _tron
from ._form import LedgerForm

#: In the order of families.
FORMS: Tuple[LedgerForm, ...] = (
    _evm.FORM, _bitcoin.FORM, _solana.FORM, _polkadot.FORM, _tron.FORM, _aptos.FORM, _sui.FORM, _icp.FORM, _cosmos.FORM,
)


def roots(header: Optional[Header]) -> Tuple[Optional[bytes], Optional[bytes]]:
    """Roots of transactions and receipts that a header names."""
    if header is None:
        return None, None
    return header.transactions_root, header.receipts_root
