"""What every ledger gives: a header, and the facts of level 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

from ..statement import Subject


@dataclass(frozen=True)
class Header:
    """A header as hashed. ``fields`` has the ledger's own fields by their names; a member is ``None`` where the header
    does not name it. ``timestamp`` is in Unix seconds."""

    block_hash: bytes
    number: Optional[int] = None
    parent_hash: Optional[bytes] = None
    timestamp: Optional[int] = None
    transactions_root: Optional[bytes] = None
    receipts_root: Optional[bytes] = None
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Transaction:
    """A proven transaction: its hash by the ledger's rule, and its bytes as hashed."""

    hash: bytes
    raw: bytes
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    """A proven event. ``kind`` is ``log`` (EVM), ``output`` (Bitcoin), ``operation`` (ICP), ``version_event`` (Aptos),
    ``event_list`` (Polkadot: the whole list, the record's bytes are not shown) or ``move_event`` (Sui)."""

    kind: str
    fields: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


@dataclass
class Shown:
    """Facts of level 1."""

    transactions_root: Optional[bytes] = None
    receipts_root: Optional[bytes] = None
    transaction: Optional[Transaction] = None
    receipt: Optional[Mapping[str, Any]] = None
    event: Optional[Event] = None
    tx_count: Optional[int] = None


class Entry:
    """Level 1 of a proof, read and not yet checked."""

    def check_parts(self, subject: Subject) -> None:
        """Refuses parts that do not fit the subject (step ``statement``)."""

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        """Checks the entry under the header, or under the root to which it leads (step ``entry``)."""
        raise NotImplementedError

    def shows_block(self, chain_id: int, number: int, network: str) -> bool:
        """Whether the transaction is shown to be in this block, and not merely in the chain by it."""
        return True
