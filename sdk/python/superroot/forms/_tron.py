"""Tron in JSON. Hashes are 0x hex and, as explorers show them, without 0x; addresses in Base58Check and hex."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from .._hash import sha256_of
from .._member import MISSING, Member, hexed
from ..errors import Refused
from ..facts import Facts
from ..ledgers import Header, Transaction
from ..ledgers.tron import Branch, EdgeEntry, read_fields
from ..statement import ABSENCE, Subject
from ._form import Json, LedgerForm, no_event
from ._spelling import base58_check, hex_list, null_hex, shown_hex

_BRANCH_MAX = 15
_Fields = List[Tuple[int, Any]]
#: Contract calls whose fields are shown: name, and the numbers of owner, receiver, amount, token and data.
_CALLS: Dict[int, Tuple[str, int, int, int, Optional[int], Optional[int]]] = {
    1: ("TransferContract", 1, 2, 3, None, None),
    2: ("TransferAssetContract", 2, 3, 4, 1, None),
    31: ("TriggerSmartContract", 1, 2, 3, None, 4),
}


def _address(data: Optional[bytes]) -> Optional[Json]:
    if data is None or len(data) != 21 or data[0] != 0x41:
        return None
    return {"base58": base58_check(data), "hex": hexed(data)}


def _only(fields: _Fields, wanted: Optional[int]) -> Optional[bytes]:
    """The one field of bytes with that number."""
    found = [value for number, value in fields if number == wanted]
    return found[0] if len(found) == 1 and isinstance(found[0], bytes) else None


def _number(fields: _Fields, wanted: int) -> Optional[str]:
    found = [value for number, value in fields if number == wanted]
    if not found:
        return "0"
    return str(found[0]) if len(found) == 1 and isinstance(found[0], int) else None


def _contract(raw_data: bytes) -> Optional[Json]:
    contract = _only(list(read_fields(raw_data)), 11)
    if contract is None:
        return None
    fields = list(read_fields(contract))
    parameter = _only(fields, 2)
    value = None if parameter is None else _only(list(read_fields(parameter)), 2)
    if value is None:
        return None
    kinds = [kind for number, kind in fields if number == 1 and isinstance(kind, int)]
    kind = kinds[-1] if kinds else 0
    members = list(read_fields(value))
    call = _CALLS.get(kind)
    if call is None:
        return {
            "contractType": kind, "name": None, "owner": None, "to": None, "amount": None, "token": None, "data": None,
        }
    name, owner, to, amount, token, data = call
    return {
        "contractType": kind, "name": name, "owner": _address(_only(members, owner)),
        "to": _address(_only(members, to)), "amount": _number(members, amount),
        "token": null_hex(_only(members, token)), "data": null_hex(_only(members, data)),
    }


def _transaction(transaction: Transaction, tx_index: Optional[int]) -> Json:
    try:
        contract = _contract(transaction.fields["raw_data"])
    except Refused:
        contract = None
    return {
        "hash": hexed(transaction.hash), "txid": transaction.hash.hex(), "transactionIndex": tx_index,
        "contractRet": transaction.fields.get("contractRet"), "contract": contract,
    }


def _read_branch(member: Member) -> Branch:
    return Branch(member.get("rawTransaction").raw(), member.get("siblings").hashes(_BRANCH_MAX + 1))


def _branch(branch: Branch) -> Json:
    return {
        "leafHash": hexed(sha256_of(branch.leaf)), "rawTransaction": hexed(branch.leaf),
        "siblings": hex_list(branch.siblings),
    }


def _parse(root: Member, subject: Subject) -> EdgeEntry:
    count = root.get("transactionCount").position()
    own = root.optional("lastTransaction") if subject.kind == ABSENCE else root
    peaks = root.optional("peaks")
    return EdgeEntry(
        count,
        None if own is None else _read_branch(own),
        [] if peaks is None else peaks.list_of(_BRANCH_MAX, _read_branch),
    )


def _header(header: Header) -> Json:
    fields = header.fields
    return {
        "hash": hexed(header.block_hash), "explorerHash": header.block_hash.hex(),
        "parentHash": shown_hex(header.parent_hash), "number": header.number,
        "timestampMs": fields.get("timestamp", 0), "txTrieRoot": shown_hex(header.transactions_root),
        "witness": _address(fields.get("witness_address")), "version": fields.get("version", 0),
    }


def _entry(entry: EdgeEntry, facts: Facts) -> Json:
    members: Json = {
        "transactionsRoot": shown_hex(facts.transactions_root),
        "transactionCount": entry.tx_count,
        "peaks": [_branch(peak) for peak in entry.peaks] or MISSING,
    }
    if entry.transaction is None:
        return members
    if facts.transaction is None:
        return {**members, "lastTransaction": _branch(entry.transaction)}
    return {
        **members,
        "siblings": hex_list(entry.transaction.siblings),
        "rawTransaction": hexed(entry.transaction.leaf),
        "transactionHash": hexed(facts.transaction.hash),
        "txid": facts.transaction.hash.hex(),
        "transaction": _transaction(facts.transaction, facts.statement.subject.tx_index),
    }


FORM = LedgerForm(
    _parse, _header, _entry, no_event,
    "no header of Tron commits to receipts or logs; contractRet, which is inside the transaction's leaf, says what came "
    "of it",
)
