"""Tron: Protobuf headers and transactions, and the tree over whole transactions. docs/protocol/tron.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from .._bytes import Reader
from .._hash import sha256_of
from .._trees import ZERO, peak_root
from ..errors import Refused, need
from ..statement import ABSENCE, BLOCK, EVENT, Subject
from ._edge import check_shape, shown_count, way_of
from .form import Entry, Header, Shown, Transaction

HEADER_BYTES_MAX = 4_096
TRANSACTION_BYTES_MAX = 2_001_000
TX_COUNT_MAX = TRANSACTION_BYTES_MAX // 69
_NODE_BYTES = 64
_DEPTH_MAX = 100
_RESULTS = (
    "DEFAULT", "SUCCESS", "REVERT", "BAD_JUMP_DESTINATION", "OUT_OF_MEMORY", "PRECOMPILED_CONTRACT", "STACK_TOO_SMALL",
    "STACK_TOO_LARGE", "ILLEGAL_OPERATION", "STACK_OVERFLOW", "OUT_OF_ENERGY", "OUT_OF_TIME", "JVM_STACK_OVER_FLOW",
    "UNKNOWN", "TRANSFER_FAILED", "INVALID_CODE",
)
#: A number, bytes, or a value of another kind that is hashed and not read.
_Value = Union[int, bytes, None]


def _node(left: bytes, right: bytes) -> bytes:
    return sha256_of(left + right)


def _varint(reader: Reader) -> int:
    """At most 64 bits, in the shortest form."""
    value = 0
    for shift in range(0, 64, 7):
        byte = reader.u8()
        bits = byte & 0x7F
        need(shift < 63 or bits <= 1, "a number above 64 bits")
        value |= bits << shift
        if byte < 0x80:
            need(byte != 0 or shift == 0, "a number in a longer form than needed")
            return value
    raise Refused("a number above 64 bits")


def _tag(reader: Reader) -> Tuple[int, int]:
    tag = _varint(reader)
    need(8 <= tag <= 0xFFFF_FFFF, "a field without a number, or with one above 32 bits")
    return tag >> 3, tag & 7


def _value(reader: Reader, number: int, wire_type: int) -> _Value:
    if wire_type == 0:
        return _varint(reader)
    if wire_type == 2:
        return reader.take(_varint(reader))
    if wire_type == 3:
        _skip_group(reader, number)
    elif wire_type in (1, 5):
        reader.take(8 if wire_type == 1 else 4)
    else:
        raise Refused("a field of an unknown kind")
    return None


def _skip_group(reader: Reader, number: int) -> None:
    open_groups = [number]
    while open_groups:
        field, wire_type = _tag(reader)
        if wire_type == 3:
            need(len(open_groups) < _DEPTH_MAX, "groups nested more than 100 deep")
            open_groups.append(field)
        elif wire_type == 4:
            need(open_groups[-1] == field, "a group that ends another")
            open_groups.pop()
        else:
            _value(reader, field, wire_type)


def read_fields(data: bytes) -> Iterator[Tuple[int, _Value]]:
    """Fields of a message in their order: number and value."""
    reader = Reader(data)
    while not reader.is_empty():
        number, wire_type = _tag(reader)
        yield number, _value(reader, number, wire_type)


_HEADER_FIELDS = {
    1: "timestamp", 2: "txTrieRoot", 3: "parentHash", 7: "number", 9: "witness_address", 10: "version",
}


def _holds(name: str, value: _Value) -> bool:
    """Whether a field of the header has its kind and bounds."""
    if name in ("txTrieRoot", "parentHash"):
        return isinstance(value, bytes) and len(value) == 32
    if name == "witness_address":
        return isinstance(value, bytes)
    if name == "version":
        return isinstance(value, int)
    return isinstance(value, int) and 1 <= value < 1 << 63


def read_header(rule: int, data: bytes) -> Header:
    need(len(data) <= HEADER_BYTES_MAX, "a header above 4,096 bytes")
    fields: Dict[str, Any] = {}
    for number, value in read_fields(data):
        name = _HEADER_FIELDS.get(number)
        if name is None:
            continue
        need(name not in fields and _holds(name, value), f"{name} is there twice, of another kind, or out of bounds")
        fields[name] = value
    need("txTrieRoot" in fields and "parentHash" in fields, "txTrieRoot or parentHash is missing")
    number = fields.get("number", 0)
    return Header(
        block_hash=number.to_bytes(8, "big") + sha256_of(data)[8:],
        number=number,
        parent_hash=fields["parentHash"],
        timestamp=fields.get("timestamp", 0) // 1000,
        transactions_root=fields["txTrieRoot"],
        fields=fields,
    )


def _check_leaf(leaf: bytes) -> None:
    need(len(leaf) != _NODE_BYTES, "a transaction of 64 bytes: it may be an inner node")
    need(len(leaf) <= TRANSACTION_BYTES_MAX, "a transaction above 2,001,000 bytes")


def _read_transaction(leaf: bytes) -> Transaction:
    _check_leaf(leaf)
    raw_data: Optional[bytes] = None
    result: Optional[bytes] = None
    for number, value in read_fields(leaf):
        if number == 1:
            if raw_data is not None or not isinstance(value, bytes):
                raise Refused("raw_data is there twice, or no bytes")
            raw_data = value
        elif number == 5:
            if not isinstance(value, bytes):
                raise Refused("ret is no bytes")
            result = value if result is None else result
    if raw_data is None:
        raise Refused("raw_data is missing")
    fields: Dict[str, Any] = {"raw_data": raw_data}
    if result is not None:
        code = _contract_ret(result)
        fields["contractRet"] = _RESULTS[code] if code < len(_RESULTS) else str(code)
    return Transaction(sha256_of(raw_data), leaf, fields)


def _contract_ret(result: bytes) -> int:
    found: Optional[int] = None
    for number, value in read_fields(result):
        if number == 3:
            if found is not None or not isinstance(value, int):
                raise Refused("contractRet is there twice, or no number")
            found = value
    return found or 0


@dataclass
class Branch:
    """A whole transaction and its siblings upward."""

    leaf: bytes
    siblings: List[bytes]


@dataclass
class EdgeEntry(Entry):
    """Branches of the transaction and of the peaks left of its way, from the root down."""

    tx_count: int
    transaction: Optional[Branch]
    peaks: List[Branch]

    def check_parts(self, subject: Subject) -> None:
        need(subject.kind != EVENT, "no header of Tron commits to logs, so no proof shows an event")

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        expected = None if header is None else header.transactions_root
        if subject.kind == BLOCK:
            return Shown(transactions_root=expected)
        way = way_of(subject, self.tx_count, TX_COUNT_MAX)
        if way is None:
            need(self.transaction is None and not self.peaks, "a branch in a block without transactions")
            need(expected in (None, ZERO), "the block has transactions")
            return Shown(transactions_root=ZERO, tx_count=0)
        if self.transaction is None:
            raise Refused("the transaction is missing")
        check_shape(way, self.transaction.siblings, [peak.siblings for peak in self.peaks])
        for peak in self.peaks:
            _check_leaf(peak.leaf)
        read = _read_transaction(self.transaction.leaf)
        peaks = [peak_root(sha256_of(peak.leaf), peak.siblings, _node) for peak in self.peaks]
        root = way.root(sha256_of(self.transaction.leaf), self.transaction.siblings, peaks, _node)
        need(expected in (None, root), "the branches lead to another root of the transaction tree")
        shown = Shown(transactions_root=root, tx_count=shown_count(subject, self.tx_count))
        if subject.kind != ABSENCE:
            shown.transaction = read
        return shown


def read_entry(subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    need(not has_receipt, "this ledger has one part at level 1")
    tx_count = reader.u32()
    way = way_of(subject, tx_count, TX_COUNT_MAX)
    if way is None:
        return EdgeEntry(tx_count, None, [])
    transaction = Branch(reader.long(), reader.hashes(way.sibling_count))
    peaks = [Branch(reader.long(), reader.hashes(height)) for height in way.peaks]
    return EdgeEntry(tx_count, transaction, peaks)
