"""Polkadot: SCALE headers, the extrinsics trie, and the list of events in the state. docs/protocol/polkadot.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .._bytes import Reader, read_nodes
from .._hash import blake2b_256
from ..errors import Refused, need
from ..statement import ABSENCE, EVENT, Subject
from ._rlp import nibbles
from .form import Entry, Event, Header, Shown, Transaction

HEADER_BYTES_MAX = 1 << 20
EXTRINSIC_NODES_MAX = 12
EVENTS_NODES_MAX = 66
EVENTS_KEY = bytes.fromhex("26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7")
_PATH_NIBBLES_MAX = 512
_INLINE_VALUE_MAX = 32
_RECORD_BYTES_MIN = 4


def compact(value: int) -> bytes:
    """SCALE's compact form of a number below 2^30."""
    if value < 0x40:
        return bytes([value << 2])
    if value < 0x4000:
        return (value << 2 | 1).to_bytes(2, "little")
    if value < 0x4000_0000:
        return (value << 2 | 2).to_bytes(4, "little")
    encoded = value.to_bytes((value.bit_length() + 7) // 8, "little")
    return bytes([(len(encoded) - 4) << 2 | 3]) + encoded


def read_compact(reader: Reader) -> int:
    """A compact number of at most 64 bits, in its shortest form."""
    first = reader.u8()
    mode = first & 3
    if mode == 3:
        length = (first >> 2) + 4
        need(length <= 8, "a compact number above 64 bits")
        encoded = reader.take(length)
        value, least = int.from_bytes(encoded, "little"), 0x4000_0000
        need(encoded[-1] != 0, "a compact number in a longer form than needed")
    else:
        rest = reader.take((0, 1, 3)[mode])
        value = int.from_bytes(bytes([first]) + rest, "little") >> 2
        least = (0, 0x40, 0x4000)[mode]
    need(value >= least, "a compact number in a longer form than needed")
    return value


def _read_bytes(reader: Reader) -> bytes:
    return reader.take(read_compact(reader))


def _digest_item(reader: Reader) -> bytes:
    start = reader.at
    kind = reader.u8()
    if kind == 0:
        _read_bytes(reader)
    elif kind == 2:
        reader.hash()
    elif kind in (4, 5, 6):
        reader.take(4)
        _read_bytes(reader)
    else:
        need(kind == 8, "a digest item of an unknown kind")
    return reader.data[start : reader.at]


def read_header(rule: int, data: bytes) -> Header:
    need(len(data) <= HEADER_BYTES_MAX, "a header above 2^20 bytes")
    reader = Reader(data)
    parent, number = reader.hash(), read_compact(reader)
    state_root, extrinsics_root = reader.hash(), reader.hash()
    count = read_compact(reader)
    need(count <= reader.remaining(), "the digest is cut short")
    digest = tuple(_digest_item(reader) for _ in range(count))
    reader.finish("header")
    fields: Dict[str, Any] = {"stateRoot": state_root, "extrinsicsRoot": extrinsics_root, "digest": digest}
    return Header(
        block_hash=blake2b_256(data),
        number=number,
        parent_hash=parent,
        transactions_root=extrinsics_root,
        fields=fields,
    )


@dataclass
class _Node:
    path: List[int]
    children: Dict[int, bytes]
    value: Optional[bytes]
    is_hashed: bool


def _kind(first: int) -> Tuple[bool, bool, bool, int]:
    """Is a branch, has a value, names the value by its hash, mask of the nibble count."""
    if first >= 0x40:
        return first >= 0x80, first < 0x80 or first >= 0xC0, False, 0x3F
    if first >= 0x20:
        return False, True, True, 0x1F
    need(first >= 0x10, "a trie node of an unknown kind")
    return True, True, True, 0x0F


def _nibble_count(reader: Reader, first: int, full: int) -> int:
    count = first
    goes_on = first == full
    while goes_on:
        more = reader.u8()
        count += more
        need(count <= _PATH_NIBBLES_MAX, "a trie path longer than any key")
        goes_on = more == 0xFF
    return count


def _decode(data: bytes) -> _Node:
    reader = Reader(data)
    first = reader.u8()
    is_branch, has_value, is_hashed, mask = _kind(first)
    count = _nibble_count(reader, first & mask, mask)
    path = nibbles(reader.take((count + 1) // 2))
    if count % 2:
        need(path[0] == 0, "a padded trie path whose padding is not zero")
        path = path[1:]
    bitmap = reader.u16_little() if is_branch else 0
    value = None
    if has_value:
        value = reader.hash() if is_hashed else _read_bytes(reader)
    filled = [place for place in range(16) if bitmap >> place & 1]
    need(not is_branch or len(filled) >= (1 if has_value else 2), "a branch that does not branch")
    children = {}
    for place in filled:
        child = _read_bytes(reader)
        need(1 <= len(child) <= 32, "a child of no bytes, or longer than a hash")
        children[place] = child
    reader.finish("trie node")
    return _Node(path, children, value, is_hashed)


def trie_value(root: bytes, key: bytes, nodes: Sequence[bytes]) -> Optional[bytes]:
    """Value under the key; ``None`` where the trie shows that there is none."""
    need(bool(nodes), "the trie proof is empty")
    left = list(reversed(nodes))

    def fetch(expected: bytes) -> bytes:
        need(bool(left), "the trie proof ends before its key")
        found = left.pop()
        need(blake2b_256(found) == expected, "a trie node has another hash than its parent names")
        return found

    value = _walk(fetch(root), nibbles(key), fetch)
    need(not left, "the trie proof has nodes too many")
    return value


def _walk(data: bytes, rest: List[int], fetch: Any) -> Optional[bytes]:
    if data == b"\x00":
        return None
    while True:
        node = _decode(data)
        length = len(node.path)
        if rest[:length] != node.path:
            return None
        if length == len(rest):
            return _value(node, fetch)
        child = node.children.get(rest[length])
        rest = rest[length + 1 :]
        if child is None:
            return None
        if len(child) < 32:
            data = child
            continue
        data = fetch(child)
        need(len(data) >= 32, "a hashed trie node under 32 bytes that is not the root")


def _value(node: _Node, fetch: Any) -> Optional[bytes]:
    if node.value is None or not node.is_hashed:
        return node.value
    value: bytes = fetch(node.value)
    need(len(value) > _INLINE_VALUE_MAX, "a value by its hash that is not longer than the hash")
    return value


def _root(of_header: Optional[bytes], nodes: Sequence[bytes]) -> bytes:
    if of_header is not None:
        return of_header
    need(bool(nodes), "the trie proof is empty")
    return blake2b_256(nodes[0])


@dataclass
class ExtrinsicEntry(Entry):
    """Nodes to the extrinsic and, for an event, to the block's list of events."""

    extrinsic: List[bytes]
    events: Optional[List[bytes]]

    def check_parts(self, subject: Subject) -> None:
        is_event = subject.kind == EVENT
        need(is_event == (self.events is not None), "the list of events is missing, or there without an event")

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        root = _root(None if header is None else header.transactions_root, self.extrinsic)
        shown = Shown(transactions_root=root)
        if subject.tx_index is None:
            return shown
        leaf = trie_value(root, compact(subject.tx_index), self.extrinsic)
        if subject.kind == ABSENCE:
            need(leaf is None, f"something is at index {subject.tx_index} of the extrinsics trie")
            return shown
        if leaf is None:
            raise Refused(f"nothing is at index {subject.tx_index} of the extrinsics trie")
        reader = Reader(leaf)
        _read_bytes(reader)
        reader.finish("extrinsic")
        shown.transaction = Transaction(blake2b_256(leaf), leaf)
        if self.events is not None and subject.log_index is not None:
            state_root = None if header is None else header.fields["stateRoot"]
            shown.event = _event_list(state_root, self.events, subject.log_index)
        return shown


def _event_list(state_root: Optional[bytes], nodes: List[bytes], log_index: int) -> Event:
    root = _root(state_root, nodes)
    value = trie_value(root, EVENTS_KEY, nodes)
    if value is None:
        raise Refused("the state has no list of events")
    reader = Reader(value)
    count = read_compact(reader)
    need(count * _RECORD_BYTES_MIN <= reader.remaining(), "a list of events that is too short for its count")
    need(log_index < count, f"event index {log_index} is past the {count} events of the block")
    return Event("event_list", {"state_root": root, "value": value, "record_count": count})


def read_entry(subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    need(has_transaction, "the extrinsic is missing")
    extrinsic = read_nodes(reader, EXTRINSIC_NODES_MAX)
    return ExtrinsicEntry(extrinsic, read_nodes(reader, EVENTS_NODES_MAX) if has_receipt else None)
