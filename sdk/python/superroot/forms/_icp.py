"""The ICP ledger in JSON. Amounts are e8s and times nanoseconds, both as decimal text; accounts are hex without 0x."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .._member import Member, hexed
from ..facts import Facts
from ..ledgers import Header
from ..ledgers.icp import BlockEntry
from ..statement import Subject
from ._form import Json, LedgerForm
from ._spelling import null_hex, shown_hex


def _decimal(number: Optional[int]) -> Optional[str]:
    return None if number is None else str(number)


def _operation(operation: Mapping[str, Any]) -> Json:
    return {
        "kind": operation["kind"], "from": operation.get("from"), "to": operation.get("to"),
        "spender": operation.get("spender"), "amountE8s": _decimal(operation.get("amount_e8s")),
        "feeE8s": _decimal(operation.get("fee_e8s")), "allowanceE8s": _decimal(operation.get("allowance_e8s")),
        "expectedAllowanceE8s": _decimal(operation.get("expected_allowance_e8s")),
        "expiresAtNanos": _decimal(operation.get("expires_at_nanos")),
    }


def _parse(root: Member, subject: Subject) -> BlockEntry:
    return BlockEntry(root.get("encodedBlock").raw())


def _header(header: Header) -> Json:
    # the first block names no parent
    parent = header.parent_hash if header.parent_hash != bytes(32) else None
    return {
        "hash": hexed(header.block_hash), "explorerHash": header.block_hash.hex(), "parentHash": null_hex(parent),
        "explorerParentHash": None if parent is None else parent.hex(), "timestamp": header.timestamp,
        "timestampNanos": str(header.fields["timestamp_nanos"]),
    }


def _entry(entry: BlockEntry, facts: Facts) -> Json:
    members: Json = {
        "transactionsRoot": shown_hex(facts.transactions_root), "transactionCount": 1, "encodedBlock": hexed(entry.block),
    }
    if facts.transaction is None:
        return members
    hashed, fields = facts.transaction.hash, facts.transaction.fields
    transaction = {
        "hash": hexed(hashed), "explorerHash": hashed.hex(), "transactionIndex": 0,
        "operation": _operation(fields["operation"]), "memo": str(fields["memo"]),
        "createdAtNanos": _decimal(fields["created_at_nanos"]), "icrc1Memo": null_hex(fields["icrc1_memo"]),
    }
    return {
        **members, "rawTransaction": hexed(facts.transaction.raw), "transactionHash": hexed(hashed),
        "explorerTransactionHash": hashed.hex(), "transaction": transaction,
    }


def _event(entry: BlockEntry, facts: Facts) -> Json:
    if facts.event is None:
        return {}
    return {"event": {"logIndex": facts.statement.subject.log_index, **_operation(facts.event.fields)}}


FORM = LedgerForm(
    _parse, _header, _entry, _event, "the ledger has no receipts: its blocks hold only what was done",
)
