"""Levels 1 and 2 of the EVM family in JSON, with the names of Ethereum's nodes."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional

from .._hash import keccak256
from .._member import MISSING, Member, hexed
from ..facts import Facts
from ..ledgers import Header
from ..ledgers.evm import TRIE_NODES_MAX, TrieEntry
from ..statement import Subject
from ._evm_transaction import transaction_fields
from ._form import Json, LedgerForm
from ._spelling import hex_list, quantity, shown_hex


def _header(header: Header) -> Json:
    members = {
        name: quantity(value) if isinstance(value, int) else hexed(value) for name, value in header.fields.items()
    }
    return {**members, "hash": hexed(header.block_hash)}


def _parse(root: Member, subject: Subject) -> TrieEntry:
    tries: List[Optional[List[bytes]]] = []
    for name in ("siblings", "receiptSiblings"):
        nodes = root.optional(name)
        tries.append(None if nodes is None else nodes.byte_strings(TRIE_NODES_MAX))
    return TrieEntry(tries[0], tries[1])


def _log(log: Mapping[str, Any]) -> Json:
    return {"address": hexed(log["address"]), "topics": hex_list(log["topics"]), "data": hexed(log["data"])}


def _receipt(receipt: Mapping[str, Any], place: Json, transaction_hash: Any) -> Json:
    numbers = ("type", "status", "cumulativeGasUsed", "depositNonce", "depositReceiptVersion", "baseFee")
    members: Json = {name: quantity(receipt[name]) for name in numbers if name in receipt}
    if "root" in receipt:
        members["root"] = hexed(receipt["root"])
    logs = [
        {**_log(log), "logIndex": quantity(at), "removed": False, **place, "transactionHash": transaction_hash}
        for at, log in enumerate(receipt["logs"])
    ]
    return {**members, "logsBloom": hexed(receipt["logsBloom"]), "logs": logs}


def _entry(entry: TrieEntry, facts: Facts) -> Json:
    transaction, receipt, statement = facts.transaction, facts.receipt, facts.statement
    hashed = MISSING if transaction is None else hexed(transaction.hash)
    place = {
        "blockHash": shown_hex(facts.block_hash), "blockNumber": quantity(statement.number),
        "transactionIndex": quantity(statement.subject.tx_index or 0),
    }
    members: Json = {
        "receiptRoot": shown_hex(facts.receipts_root),
        "receiptSiblings": MISSING if entry.receipt is None else hex_list(entry.receipt),
    }
    if entry.transaction is not None:
        members["transactionsRoot"] = shown_hex(facts.transactions_root)
        members["siblings"] = hex_list(entry.transaction)
    if transaction is not None:
        members["transactionHash"] = hashed
        members["rawTransaction"] = hexed(transaction.raw)
        members["transaction"] = {**transaction_fields(transaction.raw, facts.rule), **place}
    if receipt is not None:
        members["rawReceipt"] = hexed(receipt["raw"])
        members["receipt"] = _receipt(receipt, place, hashed)
    return members


def bloom_bits(data: bytes) -> List[int]:
    """The three bits of an address or topic in a bloom."""
    hashed = keccak256(data)
    return [int.from_bytes(hashed[at : at + 2], "big") & 0x7FF for at in (0, 2, 4)]


def _event(entry: TrieEntry, facts: Facts) -> Json:
    if facts.log is None or facts.receipt is None:
        return {}
    log = facts.log
    bits = [bloom_bits(data) for data in (log.address, *log.topics)]
    wanted = sum({1 << bit for three in bits for bit in three})

    def is_in(bloom: bytes) -> bool:
        return int.from_bytes(bloom, "big") & wanted == wanted

    in_header = MISSING if facts.header is None else is_in(facts.header.fields["logsBloom"])
    return {
        "event": {
            "address": hexed(log.address), "topics": hex_list(log.topics), "data": hexed(log.data),
            "logIndex": facts.statement.subject.log_index,
        },
        "bloom": {"inReceipt": is_in(facts.receipt["logsBloom"]), "inHeader": in_header, "bits": bits},
    }


FORM = LedgerForm(_parse, _header, _entry, _event, None)
