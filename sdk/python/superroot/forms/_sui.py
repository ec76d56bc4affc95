"""Sui in JSON. Digests are 0x hex and, as explorers show them, in base58."""

from __future__ import annotations

from typing import Any

from .._hash import blake2b_256
from .._member import MISSING, Member, hexed
from ..errors import Refused
from ..facts import Facts
from ..ledgers import Header
from ..ledgers.sui import ContentsEntry, read_effects
from ..statement import ABSENCE, EVENT, Subject
from ._form import Json, LedgerForm
from ._spelling import base58, shown_hex


def _effects(data: bytes) -> Any:
    try:
        is_success, events = read_effects(data)
    except Refused:
        return MISSING
    hashed = blake2b_256(b"TransactionEffects::" + data)
    return {
        "hash": hexed(hashed), "digest": base58(hashed), "status": "success" if is_success else "failure",
        "eventsDigest": None if events is None else base58(events),
    }


def _parse(root: Member, subject: Subject) -> ContentsEntry:
    contents = root.get("rawContents").raw()
    if subject.kind == ABSENCE:
        return ContentsEntry(contents, None, None, None)
    if subject.kind != EVENT:
        return ContentsEntry(contents, root.get("rawTransaction").raw(), root.get("rawEffects").raw(), None)
    own = root.optional("rawTransaction")
    transaction = None if own is None else own.raw()
    return ContentsEntry(contents, transaction, root.get("rawEffects").raw(), root.get("rawEvents").raw())


def _header(header: Header) -> Json:
    fields = header.fields
    return {
        "hash": hexed(header.block_hash), "explorerHash": base58(header.block_hash),
        "parentHash": shown_hex(header.parent_hash), "number": header.number, "epoch": fields["epoch"],
        "timestampMs": fields["timestamp_ms"], "contentDigest": hexed(fields["content_digest"]),
        "networkTotalTransactions": fields["network_total_transactions"], "endsEpoch": fields["ends_epoch"],
    }


def _entry(entry: ContentsEntry, facts: Facts) -> Json:
    transaction = facts.transaction
    members: Json = {
        "transactionsRoot": shown_hex(facts.transactions_root),
        "transactionCount": facts.tx_count or 0,
        "rawContents": hexed(entry.contents),
        "rawEffects": shown_hex(entry.effects),
        "effects": MISSING if entry.effects is None else _effects(entry.effects),
        "rawEvents": shown_hex(entry.events),
    }
    if transaction is None:
        return members
    digest = base58(transaction.hash)
    index = facts.statement.subject.tx_index
    return {
        **members, "rawTransaction": hexed(transaction.raw), "transactionHash": hexed(transaction.hash),
        "transaction": {"hash": hexed(transaction.hash), "digest": digest, "transactionIndex": index},
        "transactionDigest": digest,
    }


def _event(entry: ContentsEntry, facts: Facts) -> Json:
    if facts.event is None:
        return {}
    event = facts.event.fields
    return {
        "event": {
            "logIndex": facts.statement.subject.log_index, "packageId": hexed(event["package"]),
            "module": event["module"], "sender": hexed(event["sender"]), "type": event["type"],
            "contents": hexed(event["contents"]), "transactionHash": hexed(event["transaction_hash"]),
        }
    }


FORM = LedgerForm(
    _parse, _header, _entry, _event,
    "a checkpoint of Sui has no tree of receipts: its contents name the digest of each transaction's effects, and these the "
    "digest of its events",
)
