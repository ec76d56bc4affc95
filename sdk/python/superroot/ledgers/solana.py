"""Solana: from the hash before a transaction's record to the blockhash. docs/protocol/solana.md."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import List, Optional, Tuple

from .._bytes import Reader
from .._ed25519 import verify as verify_signature
from .._hash import sha256_node, sha256_of
from .._trees import pair_path_length, pair_root
from ..errors import Refused, need
from ..statement import BLOCK, TRANSACTION, Subject
from .form import Entry, Header, Shown, Transaction

TRANSACTION_BYTES_MAX = 1_232
SIGNATURES_MAX = 65_536
RECORDS_MAX = 32_768
SLOT_HASHES_MAX = 4_000_000
MAINNET = 200
_EPOCH_SLOTS = 432_000
#: (first epoch, hashes in a slot)
_SLOT_HASHES = (
    (0, 800_000), (587, 1_120_000), (591, 1_760_000), (592, 3_040_000), (595, 3_680_000), (597, SLOT_HASHES_MAX),
)


def read_header(rule: int, data: bytes) -> Header:
    need(len(data) == 32, "a Solana header is the blockhash, 32 bytes")
    return Header(block_hash=data, transactions_root=data, fields={"blockhash": data})


def _short_count(reader: Reader) -> int:
    """One to three bytes with seven bits each, in the shortest form."""
    value = 0
    for place in range(3):
        byte = reader.u8()
        bits = byte & 0x7F
        value |= bits << (7 * place)
        if byte < 0x80:
            need(value <= 0xFFFF and (place == 0 or bits > 0), "a count in a longer form than needed, or above 65,535")
            return value
    raise Refused("a count of more than three bytes")


def _read_signatures(reader: Reader) -> List[bytes]:
    count = _short_count(reader)
    need(count > 0, "a transaction without signatures")
    need(count * 64 <= reader.remaining(), "the signatures are cut short")
    return [reader.take(64) for _ in range(count)]


def _signatures(raw: bytes) -> List[bytes]:
    need(len(raw) <= TRANSACTION_BYTES_MAX, "a transaction above 1,232 bytes")
    return _read_signatures(Reader(raw))


def _check_transaction(raw: bytes) -> List[bytes]:
    """Signatures of a transaction that is read whole, each by its key over the message."""
    need(len(raw) <= TRANSACTION_BYTES_MAX, "a transaction above 1,232 bytes")
    reader = Reader(raw)
    signatures = _read_signatures(reader)
    message = raw[reader.at :]
    keys = _read_message(reader, len(signatures)).account_keys
    for index, (signature, key) in enumerate(zip(signatures, keys)):
        need(verify_signature(key, message, signature), f"signature {index} does not verify")
    return signatures


@dataclass(frozen=True)
class Message:
    """What a transaction's signatures sign. Instructions have a program's index, indexes of accounts, and data; lookups
    a table, and indexes of writable and of read-only accounts."""

    version: Optional[int]
    readonly_signed: int
    readonly_unsigned: int
    account_keys: List[bytes]
    recent_blockhash: bytes
    instructions: List[Tuple[int, bytes, bytes]]
    lookups: List[Tuple[bytes, bytes, bytes]]


def read_transaction(raw: bytes) -> Tuple[List[bytes], Message]:
    """Signatures and message of a transaction that is read whole; the signatures are not checked."""
    reader = Reader(raw)
    signatures = _read_signatures(reader)
    return signatures, _read_message(reader, len(signatures))


def _read_message(reader: Reader, signature_count: int) -> Message:
    """A message that is read to its end."""
    required = reader.u8()
    is_versioned = required >= 0x80
    if is_versioned:
        need(required == 0x80, "a message of a version other than 0")
        required = reader.u8()
    need(required == signature_count, "another number of signatures than the message requires")
    readonly = reader.u8(), reader.u8()
    keys = reader.hashes(_short_count(reader))
    need(len(keys) >= signature_count, "fewer keys than signatures")
    blockhash = reader.hash()
    instructions = [
        (reader.u8(), reader.take(_short_count(reader)), reader.take(_short_count(reader)))
        for _ in range(_short_count(reader))
    ]
    lookups = []
    if is_versioned:
        lookups = [
            (reader.hash(), reader.take(_short_count(reader)), reader.take(_short_count(reader)))
            for _ in range(_short_count(reader))
        ]
    reader.finish("transaction")
    return Message(0 if is_versioned else None, *readonly, keys, blockhash, instructions, lookups)


def _leaf(signature: bytes) -> bytes:
    return sha256_of(b"\x00" + signature)


def _plain(current: bytes, count: int) -> bytes:
    for _ in range(count):
        current = sha256(current).digest()
    return current


@dataclass
class RecordEntry(Entry):
    """The record, a path for each signature, the later records (hashes, mixin), and the plain hashes at the end."""

    before: bytes
    transaction: bytes
    signature_index: int
    signature_count: int
    paths: List[List[bytes]]
    records: List[Tuple[int, bytes]]
    tail_hashes: int

    def check_parts(self, subject: Subject) -> None:
        need(subject.kind in (BLOCK, TRANSACTION), "a proof of this ledger is of a transaction")

    def hash_count(self) -> int:
        """Hashes from the record to the blockhash."""
        return 1 + sum(count for count, _ in self.records) + self.tail_hashes

    def shows_block(self, chain_id: int, number: int, network: str) -> bool:
        if network == "simulated" or chain_id != MAINNET:
            return False
        least = [hashes for epoch, hashes in _SLOT_HASHES if epoch * _EPOCH_SLOTS <= number][-1]
        return self.hash_count() <= least

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        self.check_parts(subject)
        signatures = _check_transaction(self.transaction)
        need(len(self.paths) == len(signatures), "there is not one path for each signature")
        got = self._blockhash(self._mixin(signatures))
        need(header is None or header.block_hash == got, "the record leads to another blockhash")
        shown = Shown(transactions_root=got)
        fields = {"signature": signatures[0]}
        shown.transaction = Transaction(_leaf(signatures[0]), self.transaction, fields)
        return shown

    def _mixin(self, signatures: List[bytes]) -> bytes:
        mixin: Optional[bytes] = None
        for place, (signature, path) in enumerate(zip(signatures, self.paths)):
            index = self.signature_index + place
            expected = pair_path_length(index, self.signature_count, SIGNATURES_MAX)
            need(len(path) == expected, f"a path of {len(path)} hashes, index and count give {expected}")
            root = pair_root(_leaf(signature), index, self.signature_count, path, sha256_node)
            need(mixin is None or mixin == root, "the paths of the signatures lead to different roots")
            mixin = root
        if mixin is None:
            raise Refused("a transaction without signatures")
        return mixin

    def _blockhash(self, mixin: bytes) -> bytes:
        # before anything is hashed
        need(self.hash_count() <= SLOT_HASHES_MAX, "more than 4,000,000 hashes from the record to the blockhash")
        current = sha256_of(self.before + mixin)
        for count, later in self.records:
            need(count > 0, "a record without hashes")
            current = sha256_of(_plain(current, count - 1) + later)
        return _plain(current, self.tail_hashes)


def read_entry(subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    need(not has_receipt and subject.kind == TRANSACTION, "a proof of this ledger is of a transaction")
    before = reader.hash()
    transaction = reader.long(TRANSACTION_BYTES_MAX)
    index, count = reader.u32(), reader.u32()
    paths = []
    for place in range(len(_signatures(transaction))):
        # an index does not grow past 32 bits
        at = min(index + place, 0xFFFF_FFFF)
        paths.append(reader.hashes(pair_path_length(at, count, SIGNATURES_MAX)))
    record_count = reader.u32()
    need(record_count <= RECORDS_MAX, "more than 32,768 records")
    need(record_count * 36 <= reader.remaining(), "the records are cut short")
    records = [(reader.u32(), reader.hash()) for _ in range(record_count)]
    return RecordEntry(before, transaction, index, count, paths, records, reader.u32())
