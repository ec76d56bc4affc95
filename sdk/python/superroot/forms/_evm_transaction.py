"""Transactions of the EVM family, from their leaves. A leaf that is not wholly of a layout shows hash and type alone."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from .._hash import keccak256
from .._member import hexed
from ..errors import Refused, need
from ..ledgers._rlp import Item, item
from ._rlp import list_rlp, string_rlp
from .._secp256k1 import recover_address
from ._spelling import hex_list, quantity

_Members = Dict[str, Any]
_SONIC = 0x0006
_ITEMS_MAX = 1 << 18

#: How many bytes a number has at most in Ethereum's own types; 32 where it is not named.
_SMALL = {
    "chainId": 8, "nonce": 8, "gas": 8, "gasPrice": 16, "maxFeePerGas": 16, "maxPriorityFeePerGas": 16,
    "maxFeePerBlobGas": 16,
}
_HASHES = ("requestId", "sourceHash", "ticketId")
_ADDRESSES = ("beneficiary", "from", "refundTo", "sender")
_RECEIVERS = ("feeCurrency", "gatewayFeeRecipient", "retryTo", "to")
_BYTES = ("input", "retryData")

_FEES = "chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList"
#: Ethereum's own types, without their signature. Types 1 to 4 end with yParity, r and s.
_ETHEREUM = {
    0: "nonce gasPrice gas to value input",
    1: "chainId nonce gasPrice gas to value input accessList",
    2: _FEES,
    3: _FEES + " maxFeePerBlobGas blobVersionedHashes",
    4: _FEES + " authorizationList",
}
#: Other types, and unsigned ones. With yParity the last three are a signature over those before.
_OTHERS: Sequence[Tuple[int, str]] = (
    (0, "nonce gasPrice gas to value input v r s"),
    (0, "nonce gasPrice gas feeCurrency gatewayFeeRecipient gatewayFee to value input v r s"),
    (0x64, "chainId requestId from to value"),
    (0x65, "chainId from nonce maxFeePerGas gas to value input"),
    (0x66, "chainId requestId from maxFeePerGas gas to value input"),
    (0x68, "chainId nonce from maxFeePerGas gas to value input ticketId refundTo maxRefund submissionFeeRefund"),
    (0x69, "chainId requestId from l1BaseFee depositValue maxFeePerGas gas retryTo retryValue beneficiary "
           "maxSubmissionFee refundTo retryData"),
    (0x6A, "chainId input"),
    (0x7B, "chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList feeCurrency yParity r s"),
    (0x7C, "chainId nonce maxPriorityFeePerGas maxFeePerGas gas feeCurrency gatewayFeeRecipient gatewayFee to value "
           "input accessList yParity r s"),
    (0x7E, "sourceHash from to mint value gas isSystemTx input"),
    (0x7E, "queueIndex gas to value input sender"),
)


class _Field:
    """An RLP item: its payload, and the whole with its prefix."""

    def __init__(self, data: bytes, at: int, read: Item) -> None:
        self.is_list, start, stop = read
        self.payload = data[start:stop]
        self.whole = data[at:stop]

    def string(self, length: Optional[int] = None) -> bytes:
        need(not self.is_list and length in (None, len(self.payload)), "a malformed field")
        return self.payload

    def number(self, most: int) -> int:
        data = self.string()
        need(len(data) <= most and data[:1] != b"\x00", "a malformed number")
        return int.from_bytes(data, "big")

    def items(self) -> List["_Field"]:
        need(self.is_list, "a malformed list")
        return _items(self.payload)


def _items(data: bytes) -> List[_Field]:
    fields: List[_Field] = []
    at = 0
    while at < len(data):
        need(len(fields) < _ITEMS_MAX, "more items than any answer can show")
        read = item(data, at, len(data))
        fields.append(_Field(data, at, read))
        at = read[2]
    return fields


def _list(data: bytes) -> List[_Field]:
    """Items of the one list that the bytes are."""
    fields = _items(data)
    need(len(fields) == 1, "not one list")
    return fields[0].items()


def _access(field: _Field) -> _Members:
    parts = field.items()
    need(len(parts) == 2, "a malformed access list")
    keys = hex_list([key.string(32) for key in parts[1].items()])
    return {"address": hexed(parts[0].string(20)), "storageKeys": keys}


def _authorization(field: _Field) -> _Members:
    parts = field.items()
    need(len(parts) == 6, "a malformed authorization")
    numbers = (("chainId", 0, 32), ("nonce", 2, 8), ("yParity", 3, 1), ("r", 4, 32), ("s", 5, 32))
    read = {name: quantity(parts[at].number(most)) for name, at, most in numbers}
    return {**read, "address": hexed(parts[1].string(20))}


def _value(name: str, field: _Field, is_wide: bool) -> Any:
    if name in _HASHES:
        return hexed(field.string(32))
    if name in _ADDRESSES:
        return hexed(field.string(20))
    if name in _RECEIVERS:
        return None if field.string() == b"" else hexed(field.string(20))
    if name in _BYTES:
        return hexed(field.string())
    if name == "accessList":
        return [_access(one) for one in field.items()]
    if name == "authorizationList":
        return [_authorization(one) for one in field.items()]
    if name == "blobVersionedHashes":
        return hex_list([one.string(32) for one in field.items()])
    if name == "isSystemTx":
        need(field.string() in (b"", b"\x01"), "a malformed flag")
        return field.string() == b"\x01"
    return quantity(field.number(32 if is_wide else _SMALL.get(name, 32)))


def _signer(kind: int, fields: Sequence[_Field], more: bytes, r: int, s: int, is_odd: bool) -> _Members:
    """The signer of the fields, as the type's bytes are signed."""
    signed = list_rlp(b"".join(field.whole for field in fields) + more)
    address = recover_address(keccak256((bytes([kind]) if kind else b"") + signed), r, s, is_odd)
    return {} if address is None else {"from": hexed(address)}


def _ethereum(kind: int, fields: List[_Field]) -> Optional[_Members]:
    names = _ETHEREUM[kind].split(" ") if kind in _ETHEREUM else []
    if not names or len(fields) != len(names) + 3:
        return None
    signed, signature = fields[: len(names)], fields[len(names) :]
    v, r, s = signature[0].number(16), signature[1].number(32), signature[2].number(32)
    members = {name: _value(name, field, False) for name, field in zip(names, signed)}
    if kind in (3, 4) and members["to"] is None:
        return None
    members.update(r=quantity(r), s=quantity(s), v=quantity(v))
    if kind != 0:
        return None if v > 1 else {**members, "yParity": quantity(v), **_signer(kind, signed, b"", r, s, v == 1)}
    if v in (27, 28):
        return {**members, **_signer(0, signed, b"", r, s, v == 28)}
    chain_id = (v - 35) // 2
    if v < 35 or chain_id >= 1 << 64:
        return None
    more = string_rlp(chain_id.to_bytes((chain_id.bit_length() + 7) // 8, "big")) + b"\x80\x80"
    return {**members, "chainId": quantity(chain_id), **_signer(0, signed, more, r, s, (v - 35) % 2 == 1)}


def _other(kind: int, fields: List[_Field], rule: int) -> Optional[_Members]:
    layouts = [layout.split(" ") for own, layout in _OTHERS if own == kind]
    names = next((names for names in layouts if len(names) == len(fields)), None)
    if names is None:
        return None
    members = {name: _value(name, field, True) for name, field in zip(names, fields)}
    if "yParity" in members:
        parity, r, s = (int(members[name], 16) for name in ("yParity", "r", "s"))
        if parity <= 1:
            members.update(_signer(kind, fields[:-3], b"", r, s, parity == 1))
    if "sender" in members:
        members["from"] = members["sender"]
    if all(members.get(part) == "0x0" for part in ("v", "r", "s")):
        members["signed"] = False
        if rule == _SONIC:
            members["from"] = hexed(bytes(20))
    return members


def transaction_fields(raw: bytes, rule: int) -> _Members:
    """The members of a transaction, with hash and type."""
    kind = raw[0] if raw and raw[0] < 0x80 else 0
    named = {"hash": hexed(keccak256(raw)), "type": quantity(kind)}
    for is_ethereum in (True, False):
        try:
            fields = _list(raw[1:] if kind else raw)
            members = _ethereum(kind, fields) if is_ethereum else _other(kind, fields, rule)
        except Refused:
            continue  # not wholly of this layout
        if members is not None:
            return {**members, **named}
    return named
