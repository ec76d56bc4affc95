"""Aptos: a version's info under the transaction accumulator, and its events. docs/protocol/aptos.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from .._bytes import Reader
from .._hash import sha3_256_of
from ..errors import Refused, need
from ..statement import ABSENCE, BLOCK, EVENT, Subject
from ._bcs import Bcs, read_type
from .form import Entry, Event, Header, Shown, Transaction

INFO_BYTES_MAX = 65_536
EVENT_BYTES_MAX = 10 << 20
DEPTH_MAX = 63


def _seed(name: str) -> bytes:
    return sha3_256_of(b"APTOS::" + name.encode("ascii"))


_INFO = _seed("TransactionInfo")
_TRANSACTIONS = _seed("TransactionAccumulator")
_EVENT = _seed("ContractEvent")
_EVENTS = _seed("EventAccumulator")
_STATUSES = ("success", "out_of_gas", "move_abort", "execution_failure", "miscellaneous_error")


def read_header(rule: int, data: bytes) -> Header:
    need(len(data) == 32, "an Aptos header is the accumulator root, 32 bytes")
    return Header(block_hash=data, transactions_root=data, fields={"accumulator_root": data})


def _root(seed: bytes, leaf: bytes, index: int, siblings: List[bytes]) -> bytes:
    need(index >> len(siblings) == 0, "the tree is too flat for the index")
    current = leaf
    for sibling in siblings:
        pair = sibling + current if index & 1 else current + sibling
        current = sha3_256_of(seed + pair)
        index >>= 1
    return current


def _text(reader: Reader) -> str:
    length = 0
    for shift in (0, 7, 14):
        byte = reader.u8()
        length |= (byte & 0x7F) << shift
        if byte < 0x80:
            need(byte != 0 or shift == 0, "a length in a longer form than needed")
            try:
                return reader.take(length).decode("utf-8")
            except UnicodeDecodeError:
                raise Refused("a text that is not UTF-8") from None
    raise Refused("a length of more than three bytes")


def _option(reader: Reader) -> bool:
    flag = reader.u8()
    need(flag <= 1, "an option that is neither 00 nor 01")
    return flag == 1


def _location(reader: Reader) -> None:
    kind = reader.u8()
    need(kind <= 1, "a location of an unknown kind")
    if kind == 0:
        reader.hash()
        _text(reader)


def _status(reader: Reader) -> Dict[str, Any]:
    kind = reader.u8()
    need(kind < len(_STATUSES), "a status of an unknown kind")
    status: Dict[str, Any] = {"status": _STATUSES[kind]}
    if kind == 2:
        _location(reader)
        status["code"] = reader.u64_little()
        if _option(reader):
            status["reason"], status["description"] = _text(reader), _text(reader)
    elif kind == 3:
        _location(reader)
        reader.take(4)
    elif kind == 4 and _option(reader):
        status["code"] = reader.u64_little()
    return status


def _read_info(data: bytes) -> Dict[str, Any]:
    need(len(data) <= INFO_BYTES_MAX, "a transaction info above 65,536 bytes")
    reader = Reader(data)
    need(reader.u8() == 0, "a transaction info of a version other than 0")
    info: Dict[str, Any] = {"gas_used": reader.u64_little()}
    info.update(_status(reader))
    for name in ("transaction_hash", "event_root_hash", "state_change_hash"):
        info[name] = reader.hash()
    for name in ("state_checkpoint_hash", "auxiliary_info_hash"):
        info[name] = reader.hash() if _option(reader) else None
    reader.finish("transaction info")
    return info


def _event_fields(data: bytes) -> Dict[str, Any]:
    """Members of an event; only its bytes where they are not readable, for the proof binds them all the same."""
    fields: Dict[str, Any] = {"raw": data}
    try:
        bcs = Bcs(data)
        variant = bcs.number()
        need(variant <= 1, "an event of an unknown version")
        read: Dict[str, Any] = {}
        if variant == 0:
            read["creation_number"] = bcs.u64_little()
            read["account"] = bcs.hash()
            read["sequence_number"] = bcs.u64_little()
        read["type"] = read_type(bcs)
        read["data"] = bcs.blob()
        bcs.finish("event")
    except Refused:
        return fields
    fields.update(read)
    return fields


@dataclass
class VersionEntry(Entry):
    """A version's info with its path, and an event with its path."""

    version: int
    info: bytes
    siblings: List[bytes]
    event: Optional[Tuple[bytes, List[bytes]]]

    def check_parts(self, subject: Subject) -> None:
        need(subject.kind != ABSENCE, "a root of Aptos does not tell where a block ends: no absence is proven")
        need((subject.kind == EVENT) == (self.event is not None), "the event is missing, or there and not asked for")

    def shows_block(self, chain_id: int, number: int, network: str) -> bool:
        return False

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        self.check_parts(subject)
        expected = None if header is None else header.transactions_root
        if subject.kind == BLOCK:
            return Shown(transactions_root=expected)
        info = _read_info(self.info)
        root = _root(_TRANSACTIONS, sha3_256_of(_INFO + self.info), self.version, self.siblings)
        need(expected in (None, root), "the path leads to another root of the transaction accumulator")
        shown = Shown(transactions_root=root)
        shown.transaction = Transaction(info["transaction_hash"], self.info, {"version": self.version, **info})
        if self.event is not None and subject.log_index is not None:
            event, siblings = self.event
            got = _root(_EVENTS, sha3_256_of(_EVENT + event), subject.log_index, siblings)
            need(got == info["event_root_hash"], "the path leads to another root of the event accumulator")
            shown.event = Event("version_event", _event_fields(event))
        return shown


def _way(reader: Reader, most: int) -> Tuple[bytes, List[bytes]]:
    leaf = reader.long(most)
    count = reader.u8()
    need(count <= DEPTH_MAX, f"a path of {count} hashes, expected at most {DEPTH_MAX}")
    return leaf, reader.hashes(count)


def read_entry(subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    need(has_transaction, "the version is missing")
    version = reader.u64()
    info, siblings = _way(reader, INFO_BYTES_MAX)
    return VersionEntry(version, info, siblings, _way(reader, EVENT_BYTES_MAX) if has_receipt else None)
