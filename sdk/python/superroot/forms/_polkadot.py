"""The Polkadot family in JSON. Addresses are left out: to read them takes the runtime's metadata."""

from __future__ import annotations

from typing import Any, Optional

from .._bytes import Reader
from .._member import MISSING, Member, hexed
from ..facts import Facts
from ..ledgers import Header, Transaction
from ..ledgers.polkadot import EVENTS_NODES_MAX, EXTRINSIC_NODES_MAX, ExtrinsicEntry, read_compact
from ..statement import Subject
from ._form import Json, LedgerForm
from ._spelling import hex_list, quantity, shown_hex

_KINDS = {(0, 4): "bare", (0, 5): "bare", (1, 5): "general", (2, 4): "signed"}


def _transaction(transaction: Transaction, tx_index: Optional[int]) -> Any:
    reader = Reader(transaction.raw)
    extrinsic = reader.take(read_compact(reader))[:3]
    if not extrinsic:
        return MISSING
    form, version = extrinsic[0] >> 6, extrinsic[0] & 0x3F
    kind = _KINDS.get((form, version))
    if kind is None:
        return MISSING
    call = extrinsic[1:] if kind == "bare" else b""
    return {
        "hash": hexed(transaction.hash), "transactionIndex": tx_index, "format": version, "kind": kind,
        "pallet": call[0] if len(call) > 0 else MISSING, "call": call[1] if len(call) > 1 else MISSING,
    }


def _parse(root: Member, subject: Subject) -> ExtrinsicEntry:
    events = root.optional("eventSiblings")
    return ExtrinsicEntry(
        root.get("siblings").byte_strings(EXTRINSIC_NODES_MAX),
        None if events is None else events.byte_strings(EVENTS_NODES_MAX),
    )


def _header(header: Header) -> Json:
    fields = header.fields
    return {
        "hash": hexed(header.block_hash), "parentHash": shown_hex(header.parent_hash),
        "number": quantity(header.number or 0), "stateRoot": hexed(fields["stateRoot"]),
        "extrinsicsRoot": hexed(fields["extrinsicsRoot"]), "digest": {"logs": hex_list(fields["digest"])},
    }


def _entry(entry: ExtrinsicEntry, facts: Facts) -> Json:
    transaction = facts.transaction
    return {
        "transactionsRoot": shown_hex(facts.transactions_root),
        "siblings": hex_list(entry.extrinsic),
        "transactionHash": shown_hex(None if transaction is None else transaction.hash),
        "rawTransaction": shown_hex(None if transaction is None else transaction.raw),
        "transaction": MISSING if transaction is None else _transaction(transaction, facts.statement.subject.tx_index),
        "stateRoot": MISSING if facts.event is None else hexed(facts.event["state_root"]),
        "eventSiblings": MISSING if entry.events is None else hex_list(entry.events),
    }


def _event(entry: ExtrinsicEntry, facts: Facts) -> Json:
    if facts.event is None:
        return {}
    return {
        "event": {
            "logIndex": facts.statement.subject.log_index, "recordCount": facts.event["record_count"],
            "list": hexed(facts.event["value"]),
        }
    }


FORM = LedgerForm(
    _parse, _header, _entry, _event,
    "no tree of receipts is in a header of Polkadot: what came of an extrinsic stands among the events of the block, under "
    "the state root",
    ("event.logIndex", "transactionIndex"),
)
