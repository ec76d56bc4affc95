"""Sui: checkpoint summaries, contents, effects and events. docs/protocol/sui.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from .._bytes import Reader
from .._hash import blake2b_256
from ..errors import Refused, need
from ..statement import ABSENCE, BLOCK, EVENT, TRANSACTION, Subject
from ._bcs import DIGEST_BYTES, Bcs, read_struct
from .form import Entry, Event, Header, Shown, Transaction

TRANSACTION_BYTES_MAX = 8 << 20
_GAS_BYTES = 32
_MEMBER_BYTES = 105
_MODIFIED_BYTES = 40
_REFERENCE_BYTES = 32 + 8 + DIGEST_BYTES
_EVENT_BYTES_MIN = 32 + 2 + 32 + 32 + 2 + 2 + 1 + 1


def _digest(name: bytes, data: bytes) -> bytes:
    return blake2b_256(name + b"::" + data)


def _skip_commitments(bcs: Bcs) -> None:
    for _ in range(bcs.count(DIGEST_BYTES)):
        need(bcs.number() <= 1, "a commitment of an unknown kind")
        bcs.digest()


def _skip_end_of_epoch(bcs: Bcs) -> None:
    for _ in range(bcs.count(_MEMBER_BYTES)):
        need(len(bcs.blob()) == 96, "a committee member's key has not 96 bytes")
        bcs.u64_little()
    bcs.u64_little()
    _skip_commitments(bcs)


def read_header(rule: int, data: bytes) -> Header:
    bcs = Bcs(data)
    fields: Dict[str, Any] = {
        "epoch": bcs.u64_little(),
        "sequence_number": bcs.u64_little(),
        "network_total_transactions": bcs.u64_little(),
        "content_digest": bcs.digest(),
        "previous_digest": bcs.optional_digest(),
    }
    bcs.take(_GAS_BYTES)
    fields["timestamp_ms"] = bcs.u64_little()
    _skip_commitments(bcs)
    fields["ends_epoch"] = bcs.flag()
    if fields["ends_epoch"]:
        _skip_end_of_epoch(bcs)
    bcs.blob()
    bcs.finish("summary")
    number, parent = fields["sequence_number"], fields["previous_digest"]
    need((parent is None) == (number == 0), "previous_digest is missing exactly in checkpoint 0")
    return Header(
        block_hash=_digest(b"CheckpointSummary", data),
        number=number,
        parent_hash=parent or bytes(32),
        timestamp=fields["timestamp_ms"] // 1000,
        transactions_root=fields["content_digest"],
        fields=fields,
    )


def _read_contents(data: bytes) -> List[Tuple[bytes, bytes]]:
    """Digests of each transaction and of its effects."""
    bcs = Bcs(data)
    version = bcs.number()
    need(version <= 1, "checkpoint contents of an unknown version")
    count = bcs.count(2 * DIGEST_BYTES)
    listed: List[Tuple[bytes, bytes]] = []
    for _ in range(count):
        listed.append((bcs.digest(), bcs.digest()))
        if version == 1:
            _skip_signatures_v2(bcs)
    if version == 0:
        need(bcs.count(1) == count, "not one list of signatures for each transaction")
        for _ in range(count):
            for _ in range(bcs.count(1)):
                bcs.blob()
    bcs.finish("contents")
    return listed


def _skip_signatures_v2(bcs: Bcs) -> None:
    for _ in range(bcs.count(2)):
        bcs.blob()
        if bcs.flag():
            bcs.u64_little()


def _skip_owner(bcs: Bcs) -> None:
    kind = bcs.number()
    need(kind <= 4, "an owner of an unknown kind")
    bcs.take((32, 32, 8, 0, 40)[kind])


def _skip_objects_v1(bcs: Bcs) -> None:
    for size in (_MODIFIED_BYTES, _REFERENCE_BYTES):
        bcs.take(bcs.count(size) * size)
    bcs.digest()
    for _ in ("created", "mutated", "unwrapped"):
        for _ in range(bcs.count(_REFERENCE_BYTES)):
            bcs.take(_REFERENCE_BYTES)
            _skip_owner(bcs)
    for _ in ("deleted", "unwrapped_then_deleted", "wrapped"):
        bcs.take(bcs.count(_REFERENCE_BYTES) * _REFERENCE_BYTES)
    bcs.take(_REFERENCE_BYTES)
    _skip_owner(bcs)


def read_effects(data: bytes) -> Tuple[bool, Optional[bytes]]:
    """Whether the transaction succeeded, and the digest of its events."""
    bcs = Bcs(data)
    version = bcs.number()
    need(version <= 1, "transaction effects of an unknown version")
    if bcs.flag():
        return False, None
    bcs.u64_little()
    bcs.take(_GAS_BYTES)
    if version == 0:
        _skip_objects_v1(bcs)
    else:
        bcs.digest()
        if bcs.flag():
            bcs.take(4)
    return True, bcs.optional_digest()


def _read_events(data: bytes) -> List[Dict[str, Any]]:
    bcs = Bcs(data)
    events: List[Dict[str, Any]] = []
    for _ in range(bcs.count(_EVENT_BYTES_MIN)):
        event: Dict[str, Any] = {"package": bcs.hash(), "module": bcs.identifier(), "sender": bcs.hash()}
        event["type"] = read_struct(bcs)
        event["contents"] = bcs.blob()
        events.append(event)
    bcs.finish("events")
    return events


@dataclass
class ContentsEntry(Entry):
    """Contents of the checkpoint, and parts of one transaction."""

    contents: bytes
    transaction: Optional[bytes]
    effects: Optional[bytes]
    events: Optional[bytes]

    def check_parts(self, subject: Subject) -> None:
        there = (self.transaction is not None, self.effects is not None, self.events is not None)
        if subject.kind == TRANSACTION:
            need(there == (True, True, False), "a transaction is shown by itself and its effects")
        elif subject.kind == EVENT:
            need(there[1:] == (True, True), "an event is shown by its transaction's effects and events")
        elif subject.kind == ABSENCE:
            need(there == (False, False, False), "an absence is shown by the contents alone")

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        self.check_parts(subject)
        listed = _read_contents(self.contents)
        digest = _digest(b"CheckpointContents", self.contents)
        need(header is None or header.transactions_root == digest, "the contents are not those of the checkpoint")
        shown = Shown(transactions_root=digest, tx_count=len(listed))
        index = subject.tx_index
        if subject.kind == BLOCK or index is None:
            return shown
        is_there = index < len(listed)
        need(is_there != (subject.kind == ABSENCE), f"index {index} of {len(listed)} transactions shows the contrary")
        if is_there:
            self._check_listed(subject, listed[index], shown)
        return shown

    def _check_listed(self, subject: Subject, listed: Tuple[bytes, bytes], shown: Shown) -> None:
        if self.transaction is not None:
            _check_length(self.transaction)
            got = _digest(b"TransactionData", self.transaction)
            need(got == listed[0], "the transaction is another than the listed one")
            shown.transaction = Transaction(got, self.transaction)
        if self.effects is None:
            return
        _check_length(self.effects)
        need(_digest(b"TransactionEffects", self.effects) == listed[1], "the effects are others than the listed ones")
        is_success, events_digest = read_effects(self.effects)
        shown.receipt = {"raw": self.effects, "status": "success" if is_success else "failure"}
        if self.events is None or subject.log_index is None:
            return
        _check_length(self.events)
        got = _digest(b"TransactionEvents", self.events)
        need(events_digest is not None, "the transaction has no events")
        need(got == events_digest, "the events are not those of the effects")
        events = _read_events(self.events)
        need(subject.log_index < len(events), f"event index {subject.log_index} is past the {len(events)} events")
        fields = {**events[subject.log_index], "event_count": len(events), "transaction_hash": listed[0]}
        shown.event = Event("move_event", fields)


def _check_length(data: bytes) -> None:
    need(len(data) <= TRANSACTION_BYTES_MAX, "a part of a transaction above 8,388,608 bytes")


def read_entry(subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    is_absence = subject.kind == ABSENCE
    if is_absence and has_receipt:
        raise Refused("an absence is shown by the contents alone")
    contents = reader.long()
    transaction = reader.long() if has_transaction and not is_absence else None
    effects = reader.long() if has_receipt else None
    events = reader.long() if has_receipt and subject.kind == EVENT else None
    return ContentsEntry(contents, transaction, effects, events)
