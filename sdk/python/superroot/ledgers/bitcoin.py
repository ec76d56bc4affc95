"""Bitcoin family: 80-byte headers, transactions without witnesses and their tree. docs/protocol/bitcoin.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from .._bytes import Reader
from .._hash import sha256d
from .._trees import ZERO, pair_path_length, pair_root
from ..errors import Refused, need
from ..statement import ABSENCE, EVENT, Subject
from .form import Entry, Event, Header, Shown, Transaction

TX_COUNT_MAX = 16_666
TRANSACTION_BYTES_MAX = 1_000_000
MONEY_SATS_MAX = 2_100_000_000_000_000
_NODE_BYTES = 64
_INPUT_BYTES_MIN = 41
_OUTPUT_BYTES_MIN = 9


def _node(left: bytes, right: bytes) -> bytes:
    return sha256d(left + right)


def read_header(rule: int, data: bytes) -> Header:
    reader = Reader(data)
    fields: Dict[str, Any] = {
        "version": int.from_bytes(reader.take(4), "little", signed=True),
        "previousblockhash": reader.hash(),
        "merkleroot": reader.hash(),
        "time": reader.u32_little(),
        "bits": reader.u32_little(),
        "nonce": reader.u32_little(),
    }
    reader.finish("header")
    return Header(
        block_hash=sha256d(data),
        parent_hash=fields["previousblockhash"],
        timestamp=fields["time"],
        transactions_root=fields["merkleroot"],
        fields=fields,
    )


def _compact_size(reader: Reader) -> int:
    first = reader.u8()
    if first < 0xFD:
        return first
    size, least = {0xFD: (2, 0xFD), 0xFE: (4, 0x1_0000), 0xFF: (8, 0x1_0000_0000)}[first]
    value = int.from_bytes(reader.take(size), "little")
    need(value >= least, "a CompactSize in a longer form than needed")
    return value


def _count(reader: Reader, what: str, least_bytes: int) -> int:
    count = _compact_size(reader)
    need(0 < count and count * least_bytes <= reader.remaining(), f"no transaction has {count} {what}")
    return count


@dataclass(frozen=True)
class Leaf:
    """A transaction without witnesses."""

    version: int
    inputs: Tuple[Tuple[bytes, int, bytes, int], ...]  # previous hash, previous index, script, sequence
    outputs: Tuple[Tuple[int, bytes], ...]
    lock_time: int

    def is_coinbase(self) -> bool:
        if len(self.inputs) != 1:
            return False
        previous, index, script, _ = self.inputs[0]
        return previous == ZERO and index == 0xFFFF_FFFF and 2 <= len(script) <= 100


def read_transaction(data: bytes) -> Leaf:
    """A transaction, read whole."""
    need(len(data) != _NODE_BYTES, "a transaction of 64 bytes: it may be an inner node")
    need(len(data) <= TRANSACTION_BYTES_MAX, "a transaction above 1,000,000 bytes")
    reader = Reader(data)
    version = int.from_bytes(reader.take(4), "little", signed=True)
    inputs: List[Tuple[bytes, int, bytes, int]] = []
    for _ in range(_count(reader, "inputs", _INPUT_BYTES_MIN)):
        previous, index = reader.hash(), reader.u32_little()
        script = reader.take(_compact_size(reader))
        inputs.append((previous, index, script, reader.u32_little()))
    outputs: List[Tuple[int, bytes]] = []
    for _ in range(_count(reader, "outputs", _OUTPUT_BYTES_MIN)):
        value = reader.u64_little()
        need(value <= MONEY_SATS_MAX, "an output above all bitcoins")
        outputs.append((value, reader.take(_compact_size(reader))))
    lock_time = reader.u32_little()
    reader.finish("transaction")
    return Leaf(version, tuple(inputs), tuple(outputs), lock_time)


@dataclass
class Branch:
    """A transaction and its siblings upward."""

    leaf: bytes
    siblings: List[bytes]


@dataclass
class BranchEntry(Entry):
    """Branches of the transaction and, unless it is the first, of the coinbase."""

    tx_count: int
    transaction: Branch
    coinbase: Optional[Branch]

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        shown = Shown(transactions_root=None if header is None else header.transactions_root)
        if subject.tx_index is None:
            return shown
        is_absence = subject.kind == ABSENCE
        index = subject.branch_index(self.tx_count)
        is_past = subject.tx_index >= self.tx_count
        if index is None or is_absence != is_past:
            raise Refused(f"index {subject.tx_index} among {self.tx_count} transactions shows the contrary")
        leaf = self._leaf(index, self.transaction, shown)
        first = leaf if self.coinbase is None else self._leaf(0, self.coinbase, shown)
        need((self.coinbase is None) == (index == 0), "the branch of the coinbase is missing or there twice")
        need(first.is_coinbase(), "the first transaction is no coinbase")
        if index + 1 == self.tx_count:
            shown.tx_count = self.tx_count
        if is_absence:
            return shown
        raw = self.transaction.leaf
        shown.transaction = Transaction(sha256d(raw), raw)
        if subject.kind == EVENT and subject.log_index is not None:
            count = len(leaf.outputs)
            need(subject.log_index < count, f"output index {subject.log_index} is past the {count} outputs")
            value, script = leaf.outputs[subject.log_index]
            fields = {"value_sats": value, "script_pubkey": script, "output_count": count}
            shown.event = Event("output", fields)
        return shown

    def _leaf(self, index: int, branch: Branch, shown: Shown) -> Leaf:
        read = read_transaction(branch.leaf)
        expected = pair_path_length(index, self.tx_count, TX_COUNT_MAX)
        need(len(branch.siblings) == expected, f"a path of {len(branch.siblings)} hashes, index and count give {expected}")
        root = pair_root(sha256d(branch.leaf), index, self.tx_count, branch.siblings, _node)
        if shown.transactions_root is None:
            shown.transactions_root = root
        need(root == shown.transactions_root, "the branch leads to another root of the transaction tree")
        return read


def _read_branch(index: int, tx_count: int, reader: Reader) -> Branch:
    leaf = reader.long()
    return Branch(leaf, reader.hashes(pair_path_length(index, tx_count, TX_COUNT_MAX)))


def read_entry(subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    need(not has_receipt, "this ledger has one part at level 1")
    tx_count = reader.u32()
    index = subject.branch_index(tx_count)
    if index is None:
        raise Refused("a proof of a block has no branches")
    transaction = _read_branch(index, tx_count, reader)
    return BranchEntry(tx_count, transaction, None if index == 0 else _read_branch(0, tx_count, reader))
