"""EVM family: headers by rule, transaction and receipt tries. docs/protocol/evm.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .._bytes import Reader, read_nodes
from .._hash import keccak256
from ..errors import Refused, need
from ..statement import ABSENCE, EVENT, TRANSACTION, Subject
from ._mpt import first_hash, trie_value
from ._rlp import Fields, index_key
from .form import Entry, Event, Header, Shown, Transaction

TRIE_NODES_MAX = 20
TOPICS_MAX = 4
_DEPOSIT = 0x7E
_FEE_CURRENCY = 0x7B

_HASH, _ADDRESS, _BLOOM, _NONCE, _SIGNATURE = 32, 20, 256, 8, 65
_U64, _U256, _BYTES = "u64", "u256", "bytes"
_Layout = Tuple[Tuple[Tuple[str, Any], ...], Tuple[int, ...]]

_FIRST_13: Tuple[Tuple[str, Any], ...] = (
    ("parentHash", _HASH), ("sha3Uncles", _HASH), ("miner", _ADDRESS), ("stateRoot", _HASH),
    ("transactionsRoot", _HASH), ("receiptsRoot", _HASH), ("logsBloom", _BLOOM), ("difficulty", _U256),
    ("number", _U64), ("gasLimit", _U64), ("gasUsed", _U64), ("timestamp", _U64), ("extraData", _BYTES),
)
_FIRST_15 = (*_FIRST_13, ("mixHash", _HASH), ("nonce", _NONCE))
_BASE_FEE = ("baseFeePerGas", _U64)
_CANCUN = (("blobGasUsed", _U64), ("excessBlobGas", _U64), ("parentBeaconBlockRoot", _HASH))

#: Fields of each rule's header, in order, and how many of them may be there.
_LAYOUTS: Dict[int, _Layout] = {
    0x0001: (
        (*_FIRST_15, _BASE_FEE, ("withdrawalsRoot", _HASH), *_CANCUN, ("requestsHash", _HASH),
         ("blockAccessListHash", _HASH), ("slotNumber", _U64)),
        (15, 16, 17, 20, 21, 22, 23),
    ),
    0x0002: ((*_FIRST_13, ("step", _U64), ("signature", _SIGNATURE), _BASE_FEE), (15, 16)),
    0x0003: (
        (("parentHash", _HASH), ("miner", _ADDRESS), ("stateRoot", _HASH), ("transactionsRoot", _HASH),
         ("receiptsRoot", _HASH), ("logsBloom", _BLOOM), ("number", _U64), ("gasUsed", _U64),
         ("timestamp", _U64), ("extraData", _BYTES)),
        (10,),
    ),
    0x0004: ((*_FIRST_15, _BASE_FEE), (15, 16)),
    0x0005: (
        (*_FIRST_15, ("extDataHash", _HASH), _BASE_FEE, ("extDataGasUsed", _U64), ("blockGasCost", _U64), *_CANCUN,
         ("timestampMilliseconds", _U64), ("minDelayExcess", _U64), ("targetExponent", _U64),
         ("minPriceExponent", _U64), ("settledHeight", _U64), ("settledGasUnix", _U64),
         ("settledGasNumerator", _U64), ("settledExcess", _U64)),
        (16, 17, 19, 22, 24, 26, 30),
    ),
    0x0006: (
        (*_FIRST_15, _BASE_FEE, ("withdrawalsRoot", _HASH), ("blobGasUsed", _U64), ("excessBlobGas", _U64)),
        (19,),
    ),
}


def _field(fields: Fields, name: str, form: Any) -> Any:
    if form == _U64:
        return fields.integer(name, 8)
    if form == _U256:
        return fields.integer(name, 32)
    if form == _BYTES:
        return fields.string(name)
    return fields.fixed(name, form)


def read_header(rule: int, data: bytes) -> Header:
    """Header in its rule's layout; its Keccak-256 is the block hash."""
    layout, counts = _LAYOUTS[rule]
    reader = Fields.of_list(data, "header")
    count = reader.count()
    need(count in counts, f"a header of {count} fields, expected one of {counts}")
    fields = {name: _field(reader, name, form) for name, form in layout[:count]}
    reader.finish("header")
    return Header(
        block_hash=keccak256(data),
        number=fields["number"],
        parent_hash=fields["parentHash"],
        timestamp=fields["timestamp"],
        transactions_root=fields["transactionsRoot"],
        receipts_root=fields["receiptsRoot"],
        fields=fields,
    )


def bloom_bits(data: bytes) -> int:
    """Three bits of 2,048, as a number."""
    hashed = keccak256(data)
    bits = 0
    for place in (0, 2, 4):
        bits |= 1 << (int.from_bytes(hashed[place : place + 2], "big") & 0x07FF)
    return bits


def _log(fields: Fields) -> Dict[str, Any]:
    log = fields.sublist("log")
    address = log.fixed("address", 20)
    topics_list = log.sublist("topics")
    data = log.string("data")
    log.finish("log")
    topics: List[bytes] = []
    while not topics_list.is_empty():
        need(len(topics) < TOPICS_MAX, "a log with more than four topics")
        topics.append(topics_list.fixed("topic", 32))
    return {"address": address, "topics": tuple(topics), "data": data}


def _bloom_of(logs: Sequence[Dict[str, Any]]) -> int:
    inputs = {log["address"] for log in logs}
    for log in logs:
        inputs.update(log["topics"])
    bloom = 0
    for data in inputs:
        bloom |= bloom_bits(data)
    return bloom


def _receipt_without_bloom(leaf: bytes) -> Dict[str, Any]:
    """``[type ‖] rlp([status or root, cumulativeGasUsed, logsBloom, logs, ..])``, its bloom not compared."""
    need(bool(leaf) and leaf[0] != 0, "a receipt without bytes, or with a written type 0")
    kind = leaf[0] if leaf[0] < 0x80 else 0
    fields = Fields.of_list(leaf[1:] if kind else leaf, "receipt")
    status = fields.string("status")
    need(status in (b"", b"\x01") or len(status) == 32, "a status that is neither 0, 1 nor a root")
    receipt: Dict[str, Any] = {"type": kind}
    if len(status) == 32:
        receipt["root"] = status
    else:
        receipt["status"] = len(status)
    receipt["cumulativeGasUsed"] = fields.integer("cumulativeGasUsed", 8)
    receipt["logsBloom"] = fields.fixed("logsBloom", 256)
    log_fields = fields.sublist("logs")
    if not fields.is_empty() and kind == _DEPOSIT:
        receipt["depositNonce"] = fields.integer("depositNonce", 8)
        receipt["depositReceiptVersion"] = fields.integer("depositReceiptVersion", 8)
    elif not fields.is_empty() and kind == _FEE_CURRENCY:
        receipt["baseFee"] = fields.integer("baseFee", 32)
    fields.finish("receipt")
    logs: List[Dict[str, Any]] = []
    while not log_fields.is_empty():
        logs.append(_log(log_fields))
    receipt["logs"] = tuple(logs)
    return receipt


def read_receipt(leaf: bytes) -> Dict[str, Any]:
    """A receipt whose bloom fits its logs."""
    receipt = _receipt_without_bloom(leaf)
    bloom = int.from_bytes(receipt["logsBloom"], "big")
    need(_bloom_of(receipt["logs"]) == bloom, "the receipt's bloom is not that of its logs")
    return receipt


def read_logs(leaf: bytes) -> Sequence[Dict[str, Any]]:
    """Logs of a receipt that a root binds already."""
    logs: Sequence[Dict[str, Any]] = _receipt_without_bloom(leaf)["logs"]
    return logs


@dataclass
class TrieEntry(Entry):
    """Nodes of the transaction trie and of the receipt trie."""

    transaction: Optional[List[bytes]]
    receipt: Optional[List[bytes]]

    def check_parts(self, subject: Subject) -> None:
        if subject.kind in (TRANSACTION, ABSENCE):
            need(self.transaction is not None, "the transaction trie is missing")
        if subject.kind == EVENT:
            need(self.receipt is not None, "the receipt trie is missing")

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        shown = Shown()
        if header is not None:
            shown.transactions_root = header.transactions_root
            shown.receipts_root = header.receipts_root
        if subject.tx_index is None:
            return shown
        if self.transaction is not None:
            root = shown.transactions_root or first_hash(self.transaction)
            leaf = _leaf("transaction", root, subject, self.transaction)
            shown.transactions_root = root
            if leaf is not None:
                shown.transaction = Transaction(keccak256(leaf), leaf)
        if self.receipt is not None:
            self._check_receipt(self.receipt, subject, header, shown)
        if subject.kind == EVENT:
            shown.event = _event(subject, shown)
        return shown

    def _check_receipt(self, nodes: List[bytes], subject: Subject, header: Optional[Header], shown: Shown) -> None:
        settles = header is not None and "settledHeight" in header.fields
        need(not settles, "the header settles other blocks: its receipts are not those of its transactions")
        root = shown.receipts_root or first_hash(nodes)
        leaf = _leaf("receipt", root, subject, nodes)
        shown.receipts_root = root
        if leaf is None:
            return
        receipt = read_receipt(leaf)
        if header is not None:
            bloom = int.from_bytes(receipt["logsBloom"], "big")
            own = int.from_bytes(header.fields["logsBloom"], "big")
            need(own & bloom == bloom, "the header's bloom has not every bit of the receipt's")
        receipt["raw"] = leaf
        shown.receipt = receipt


def _leaf(trie: str, root: bytes, subject: Subject, nodes: List[bytes]) -> Optional[bytes]:
    leaf = trie_value(root, index_key(subject.tx_index or 0), nodes)
    if subject.kind == ABSENCE:
        need(leaf is None, f"something is at index {subject.tx_index} of the {trie} trie")
    else:
        need(leaf is not None, f"nothing is at index {subject.tx_index} of the {trie} trie")
    return leaf


def _event(subject: Subject, shown: Shown) -> Event:
    if shown.receipt is None or subject.log_index is None:
        raise Refused("the receipt is missing")
    logs = shown.receipt["logs"]
    need(subject.log_index < len(logs), f"log index {subject.log_index} is past the {len(logs)} logs of the receipt")
    return Event("log", {**logs[subject.log_index], "log_count": len(logs)})


def read_entry(subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    transaction = read_nodes(reader, TRIE_NODES_MAX) if has_transaction else None
    return TrieEntry(transaction, read_nodes(reader, TRIE_NODES_MAX) if has_receipt else None)
