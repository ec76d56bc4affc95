"""ICP: the ledger's encoded block is header and only leaf. docs/protocol/icp.md."""

from __future__ import annotations

from binascii import crc32
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

from .._bytes import Reader
from .._hash import sha256_of
from ..errors import Refused, need
from ..statement import ABSENCE, EVENT, Subject
from ._protobuf import read_varint
from .form import Entry, Event, Header, Shown, Transaction

BLOCK_BYTES_MAX = 1_024
_DEFAULT_FEE = 10_000
_ICRC1_MEMO_BYTES_MAX = 32
_Value = Union[int, bytes, None]


def _fields(what: str, data: bytes, count: int) -> List[_Value]:
    """Fields 1 to ``count`` of a message: rising, each once, no number written that is 0."""
    reader = Reader(data)
    found: List[_Value] = [None] * count
    before = 0
    while not reader.is_empty():
        tag = read_varint(reader)
        number = tag >> 3
        need(before < number <= count, f"{what} has a field out of order or unknown")
        before = number
        if tag & 7 == 0:
            value = read_varint(reader)
            need(value > 0, f"{what} has a number that is written though it is 0")
            found[number - 1] = value
        else:
            need(tag & 7 == 2, f"{what} has a field of another kind")
            found[number - 1] = reader.take(read_varint(reader))
    return found


def _optional(name: str, value: _Value) -> Optional[bytes]:
    if isinstance(value, int):
        raise Refused(f"{name} is no message")
    return value


def _required(name: str, value: _Value) -> bytes:
    found = _optional(name, value)
    if found is None:
        raise Refused(f"{name} is missing")
    return found


def _number(name: str, data: bytes) -> int:
    value = _fields(name, data, 1)[0]
    if isinstance(value, bytes):
        raise Refused(f"{name} is no number")
    return value or 0


def _wrapped(name: str, data: bytes) -> bytes:
    inner = _optional(name, _fields(name, data, 1)[0])
    need(inner != b"", f"{name} is written though it is empty")
    return inner or b""


def _optional_number(name: str, value: _Value) -> Optional[int]:
    data = _optional(name, value)
    return None if data is None else _number(name, data)


def _account(name: str, value: _Value) -> Optional[str]:
    """Text of an account: its CRC-32 and 28 bytes, in hex."""
    data = _optional(name, value)
    if data is None:
        return None
    raw = _wrapped(name, data)
    account = raw if len(raw) == 28 else raw[4:]
    whole = crc32(account).to_bytes(4, "big") + account
    need(len(account) == 28 and raw in (account, whole), f"{name} is no account")
    return whole.hex()


def _own_account(name: str, value: _Value) -> str:
    account = _account(name, value)
    if account is None:
        raise Refused(f"{name} is missing")
    return account


def _read_burn(data: bytes) -> Dict[str, Any]:
    source, none, amount, spender = _fields("burn", data, 4)
    need(none is None, "burn has a field 2")
    return {
        "kind": "burn",
        "from": _own_account("from", source),
        "amount_e8s": _number("amount", _required("amount", amount)),
        "spender": _account("spender", spender),
    }


def _read_mint(data: bytes) -> Dict[str, Any]:
    none, target, amount = _fields("mint", data, 3)
    need(none is None, "mint has a field 1")
    target_account = _own_account("to", target)
    return {"kind": "mint", "to": target_account, "amount_e8s": _number("amount", _required("amount", amount))}


def _read_send(data: bytes) -> Dict[str, Any]:
    source, target, amount, max_fee, approve, transfer_from = _fields("send", data, 6)
    sent: Dict[str, Any] = {
        "kind": "transfer",
        "from": _own_account("from", source),
        "to": _own_account("to", target),
        "amount_e8s": _number("amount", _required("amount", amount)),
    }
    fee = _optional_number("max_fee", max_fee)
    sent["fee_e8s"] = _DEFAULT_FEE if fee is None else fee
    approval, by_spender = _optional("approve", approve), _optional("transfer_from", transfer_from)
    need(approval is None or by_spender is None, "send has two extensions")
    sent["spender"] = None
    if by_spender is not None:
        sent["spender"] = _own_account("spender", _fields("transfer_from", by_spender, 1)[0])
    return sent if approval is None else _read_approve(approval, sent)


def _read_approve(data: bytes, sent: Dict[str, Any]) -> Dict[str, Any]:
    need(sent["amount_e8s"] == 0, "an approval has an amount")
    allowance, expires_at, expected = _fields("approve", data, 3)
    return {
        "kind": "approve",
        "from": sent["from"],
        "spender": sent["to"],
        "allowance_e8s": _number("allowance", _required("allowance", allowance)),
        "expected_allowance_e8s": _optional_number("expected_allowance", expected),
        "expires_at_nanos": _optional_number("expires_at", expires_at),
        "fee_e8s": sent["fee_e8s"],
    }


def _read_transaction(data: bytes) -> Dict[str, Any]:
    burn, mint, send, memo, created_at, created_at_time, icrc1_memo = _fields("transaction", data, 7)
    _optional_number("created_at", created_at)
    need(sum(one is not None for one in (burn, mint, send)) == 1, "a transaction has exactly one operation")
    if burn is not None:
        operation = _read_burn(_required("burn", burn))
    elif mint is not None:
        operation = _read_mint(_required("mint", mint))
    else:
        operation = _read_send(_required("send", send))
    memo_bytes = _optional("icrc1_memo", icrc1_memo)
    if memo_bytes is not None:
        memo_bytes = _wrapped("icrc1_memo", memo_bytes)
        need(len(memo_bytes) <= _ICRC1_MEMO_BYTES_MAX, "icrc1_memo has more than 32 bytes")
    return {
        "operation": operation,
        "memo": _optional_number("memo", memo) or 0,
        "created_at_nanos": _optional_number("created_at_time", created_at_time),
        "icrc1_memo": memo_bytes,
    }


def read_header(rule: int, data: bytes) -> Header:
    need(len(data) <= BLOCK_BYTES_MAX, "a block above 1,024 bytes")
    parent, timestamp, transaction = _fields("block", data, 3)
    parent_bytes = _optional("parent_hash", parent)
    parent_hash = bytes(32) if parent_bytes is None else _wrapped("parent_hash", parent_bytes)
    need(len(parent_hash) == 32, "parent_hash has not 32 bytes")
    nanos = _number("timestamp", _required("timestamp", timestamp))
    raw = _required("transaction", transaction)
    hashed = sha256_of(data)
    return Header(
        block_hash=hashed,
        parent_hash=parent_hash,
        timestamp=nanos // 1_000_000_000,
        transactions_root=hashed,
        fields={"timestamp_nanos": nanos, "transaction": _read_transaction(raw), "raw_transaction": raw},
    )


def _head(major: int, number: int) -> bytes:
    """Head of a CBOR item, in the shortest form."""
    if number < 24:
        return bytes([major << 5 | number])
    for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << 8 * size:
            return bytes([major << 5 | info]) + number.to_bytes(size, "big")
    raise Refused("a number of more than 64 bits")


def _text(account: str) -> bytes:
    return _head(3, len(account)) + account.encode("ascii")


def _tokens(number: int) -> bytes:
    return _map({0: _head(0, number)})


def _null_or_tokens(number: Optional[int]) -> bytes:
    return b"\xf6" if number is None else _tokens(number)


def _map(members: Dict[int, Optional[bytes]]) -> bytes:
    """A map; members without bytes are left out."""
    there = {key: value for key, value in members.items() if value is not None}
    return _head(5, len(there)) + b"".join(_head(0, key) + value for key, value in there.items())


def _cbor_operation(operation: Dict[str, Any]) -> bytes:
    kind = operation["kind"]
    spender = None if operation.get("spender") is None else _text(operation["spender"])
    if kind == "burn":
        return _map({0: _map({0: _text(operation["from"]), 1: _tokens(operation["amount_e8s"]), 2: spender})})
    if kind == "mint":
        return _map({1: _map({0: _text(operation["to"]), 1: _tokens(operation["amount_e8s"])})})
    fee = _tokens(operation["fee_e8s"])
    source = _text(operation["from"])
    if kind == "transfer":
        amount = _tokens(operation["amount_e8s"])
        return _map({2: _map({0: source, 1: _text(operation["to"]), 2: amount, 3: fee, 4: spender})})
    expected = _null_or_tokens(operation["expected_allowance_e8s"])
    expires = _null_or_tokens(operation["expires_at_nanos"])
    allowance = _tokens(operation["allowance_e8s"])
    return _map({3: _map({0: source, 1: spender, 2: allowance, 3: expected, 4: expires, 5: fee})})


def transaction_hash(transaction: Dict[str, Any]) -> bytes:
    """SHA-256 over the transaction's packed CBOR."""
    memo = transaction["icrc1_memo"]
    members: Dict[int, Optional[bytes]] = {
        0: _cbor_operation(transaction["operation"]),
        1: _head(0, transaction["memo"]),
        2: _null_or_tokens(transaction["created_at_nanos"]),
        3: None if memo is None else _head(2, len(memo)) + memo,
    }
    return sha256_of(_map(members))


@dataclass
class BlockEntry(Entry):
    """The encoded block."""

    block: bytes

    def check(self, subject: Subject, header: Optional[Header]) -> Shown:
        shown = Shown(transactions_root=None if header is None else header.block_hash)
        if subject.tx_index is None:
            return shown
        is_absence = subject.kind == ABSENCE
        need(is_absence == (subject.tx_index > 0), "a block has one transaction, at index 0")
        read = read_header(0, self.block)
        need(header is None or header.block_hash == read.block_hash, "the block has another hash than the header")
        shown.transactions_root = read.block_hash
        shown.tx_count = 1
        if is_absence:
            return shown
        transaction = read.fields["transaction"]
        if subject.kind == EVENT:
            need(subject.log_index == 0, "a transaction has one event, its operation, at index 0")
            shown.event = Event("operation", transaction["operation"])
        shown.transaction = Transaction(transaction_hash(transaction), read.fields["raw_transaction"], transaction)
        return shown


def read_entry(subject: Subject, has_transaction: bool, has_receipt: bool, reader: Reader) -> Entry:
    need(not has_receipt, "this ledger has one part at level 1")
    return BlockEntry(reader.long(BLOCK_BYTES_MAX))
