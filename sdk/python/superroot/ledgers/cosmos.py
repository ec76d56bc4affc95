"""Cosmos: CometBFT headers and the tree of transactions. docs/protocol/cosmos.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from .._bytes import Reader
from .._hash import sha256_node, sha256_of
from .._trees import peak_root, tree_root
from ..errors import Refused, need
from ..statement import ABSENCE, BLOCK, EVENT, Subject
from ._edge import check_shape, shown_count, way_of
from ._protobuf import Fields, varint
from .form import Entry, Header, Shown, Transaction

HEADER_BYTES_MAX = 1_024
TX_COUNT_MAX = 1 << 20
TRANSACTION_BYTES_MAX = 8 << 20
_SECONDS_MAX = 253_402_300_799
_EMPTY = sha256_of(b"")
_HASHES = (
    (6, "last_commit_hash"), (7, "data_hash"), (8, "validators_hash"), (9, "next_validators_hash"),
    (10, "consensus_hash"),
)
_LATER_HASHES = ((12, "last_results_hash"), (13, "evidence_hash"))


def _tree_leaf(data: bytes) -> bytes:
    return sha256_of(b"\x00" + data)


def _wrapped(value: bytes) -> bytes:
    """Bytes as field 1 of a message, nothing if empty."""
    return b"\x0a" + varint(len(value)) + value if value else b""


def _pair(message: bytes, name: str) -> Tuple[int, int]:
    fields = Fields(message)
    pair = fields.number(1, name), fields.number(2, name)
    fields.finish(name)
    return pair


def _last_block_id(message: bytes) -> Optional[Tuple[bytes, int, bytes]]:
    """Hash of the block before, its part count and the hash of its parts; ``None`` in the first block."""
    fields = Fields(message)
    parent = fields.blob(1, "last_block_id")
    parts = fields.message(2, "last_block_id")
    fields.finish("last_block_id")
    if not parent and not parts:
        return None
    fields = Fields(parts)
    total = fields.number(1, "last_block_id")
    parts_hash = fields.hash(2, "last_block_id")
    fields.finish("last_block_id")
    need(len(parent) == 32 and 0 < total <= 0xFFFF_FFFF, "last_block_id is out of bounds")
    return parent, total, parts_hash


def read_header(rule: int, data: bytes) -> Header:
    need(len(data) <= HEADER_BYTES_MAX, "a header above 1,024 bytes")
    reader = Fields(data)
    messages = {1: reader.message(1, "version")}
    version = _pair(messages[1], "version")
    chain_id = reader.blob(2, "chain_id")
    height = reader.number(3, "height")
    messages[4] = reader.message(4, "time")
    seconds, nanos = _pair(messages[4], "time")
    messages[5] = reader.message(5, "last_block_id")
    before = _last_block_id(messages[5])
    fields: Dict[str, Any] = {"version": version, "height": height, "nanos": nanos}
    fields["last_block_parts"] = None if before is None else before[1:]
    fields.update((name, reader.hash(number, name)) for number, name in _HASHES)
    fields["app_hash"] = reader.blob(11, "app_hash")
    fields.update((name, reader.hash(number, name)) for number, name in _LATER_HASHES)
    fields["proposer_address"] = reader.blob(14, "proposer_address")
    reader.finish("header")
    need(len(fields["proposer_address"]) == 20, "proposer_address has not 20 bytes")
    need(1 <= len(chain_id) <= 50, "chain_id has not 1 to 50 bytes")
    try:
        fields["chain_id"] = chain_id.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("chain_id is not UTF-8") from None
    need(0 < height < 1 << 63, "height is out of bounds")
    need(seconds <= _SECONDS_MAX and nanos < 1_000_000_000, "time is out of bounds")
    names = [*(name for _, name in _HASHES), "app_hash", *(name for _, name in _LATER_HASHES), "proposer_address"]
    leaves = [messages[1], _wrapped(chain_id), b"\x08" + varint(height), messages[4], messages[5]]
    leaves += [_wrapped(fields[name]) for name in names]
    return Header(
        block_hash=tree_root([_tree_leaf(leaf) for leaf in leaves], sha256_node, _EMPTY),
        number=height,
        parent_hash=bytes(32) if before is None else before[0],
        timestamp=seconds,
        transactions_root=fields["data_hash"],
        fields=fields,
    )


def check_chain(header: Header, caip2: str) -> None:
    """The header's chain id is that of the chain's CAIP-2 name (CAIP-5)."""
    chain_id: str = header.fields["chain_id"]
    _, colon, reference = caip2.partition(":")
    if reference.startswith("hashed-"):
        is_its = sha256_of(chain_id.encode("utf-8")).hex()[:16] == reference[len("hashed-") :]
    else:
        is_its = bool(colon) and reference == chain_id
    need(is_its, f"the header is of chain {chain_id!r}, expected {caip2}")


@dataclass
class TreeEntry(Entry):
    """The transaction with its siblings, and the peaks left of its way as (first transaction's hash, siblings)."""

    tx_count: int
    transaction: Optional[bytes]
    siblings: List[bytes]
    peaks: List[Tuple[bytes, List[bytes]]]

    def check_parts(self, subject: Subject) -> None:
        need(subject.kind != EVENT, "no header of a CometBFT chain commits to events")

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        expected = None if header is None else header.transactions_root
        if subject.kind == BLOCK:
            return Shown(transactions_root=expected)
        way = way_of(subject, self.tx_count, TX_COUNT_MAX)
        if way is None:
            need(self.transaction is None and not self.siblings and not self.peaks, "a branch in a block without transactions")
            need(expected in (None, _EMPTY), "the block has transactions")
            return Shown(transactions_root=_EMPTY, tx_count=0)
        if self.transaction is None:
            raise Refused("the transaction is missing")
        need(len(self.transaction) <= TRANSACTION_BYTES_MAX, "a transaction above 8,388,608 bytes")
        check_shape(way, self.siblings, [siblings for _, siblings in self.peaks])
        peaks = [peak_root(_tree_leaf(first), siblings, sha256_node) for first, siblings in self.peaks]
        hashed = sha256_of(self.transaction)
        root = way.root(_tree_leaf(hashed), self.siblings, peaks, sha256_node)
        need(expected in (None, root), "the branches lead to another root of the transaction tree")
        shown = Shown(transactions_root=root, tx_count=shown_count(subject, self.tx_count))
        if subject.kind != ABSENCE:
            shown.transaction = Transaction(hashed, self.transaction)
        return shown


def read_entry(subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    need(not has_receipt, "this ledger has one part at level 1")
    tx_count = reader.u32()
    way = way_of(subject, tx_count, TX_COUNT_MAX)
    if way is None:
        need(tx_count == 0, "a count of transactions without a transaction")
        return TreeEntry(0, None, [], [])
    transaction = reader.long(TRANSACTION_BYTES_MAX)
    siblings = reader.hashes(way.sibling_count)
    peaks = [(reader.hash(), reader.hashes(height)) for height in way.peaks]
    return TreeEntry(tx_count, transaction, siblings, peaks)
