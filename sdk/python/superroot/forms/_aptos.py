"""Aptos in JSON."""

from __future__ import annotations

from .._member import MISSING, Member, hexed
from ..facts import Facts
from ..ledgers import Header
from ..ledgers.aptos import DEPTH_MAX, VersionEntry
from ..ledgers.form import Transaction
from ..statement import Subject
from ._form import Json, LedgerForm
from ._spelling import hex_list, null_hex, shown_hex


def _parse(root: Member, subject: Subject) -> VersionEntry:
    event = root.optional("rawEvent")
    return VersionEntry(
        root.get("version").integer(),
        root.get("transactionInfo").raw(),
        root.get("siblings").hashes(DEPTH_MAX),
        None if event is None else (event.raw(), root.get("eventSiblings").hashes(DEPTH_MAX)),
    )


def _header(header: Header) -> Json:
    return {"accumulatorRootHash": hexed(header.block_hash)}


def _transaction(transaction: Transaction) -> Json:
    info = transaction.fields
    code = info.get("code")
    return {
        "hash": hexed(transaction.hash), "version": info["version"], "success": info["status"] == "success",
        "status": info["status"], "statusCode": MISSING if code is None else str(code),
        "abortReason": info.get("reason", MISSING), "gasUsed": str(info["gas_used"]),
        "eventRootHash": hexed(info["event_root_hash"]), "stateChangeHash": hexed(info["state_change_hash"]),
        "stateCheckpointHash": null_hex(info["state_checkpoint_hash"]),
    }


def _entry(entry: VersionEntry, facts: Facts) -> Json:
    transaction = facts.transaction
    return {
        "transactionsRoot": shown_hex(facts.transactions_root),
        "siblings": hex_list(entry.siblings),
        "transactionHash": shown_hex(None if transaction is None else transaction.hash),
        "transaction": MISSING if transaction is None else _transaction(transaction),
        "version": entry.version,
        "blockBound": facts.block_bound,
        "transactionInfo": hexed(entry.info),
        "rawEvent": MISSING if entry.event is None else hexed(entry.event[0]),
        "eventSiblings": MISSING if entry.event is None else hex_list(entry.event[1]),
    }


def _event(entry: VersionEntry, facts: Facts) -> Json:
    if facts.event is None or facts.transaction is None:
        return {}
    fields = facts.event.fields
    return {
        "event": {
            "logIndex": facts.statement.subject.log_index,
            "raw": hexed(fields["raw"]),
            "eventRootHash": hexed(facts.transaction.fields["event_root_hash"]),
            "type": fields.get("type", MISSING),
            "data": shown_hex(fields.get("data")),
            "account": shown_hex(fields.get("account")),
        }
    }


FORM = LedgerForm(
    _parse, _header, _entry, _event,
    "Aptos has no tree of receipts: the info, which is the transaction's leaf, says what came of it, and has the root of "
    "its events",
)
