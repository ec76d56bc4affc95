"""The Bitcoin family in JSON. Hashes are in the order in which they are hashed, and reversed as explorers show them."""

from __future__ import annotations

from typing import Any, Dict

from .._hash import sha256d
from .._member import MISSING, Member, hexed
from ..facts import Facts
from ..ledgers import Header
from ..ledgers.bitcoin import Branch, BranchEntry, read_transaction
from ..statement import ABSENCE, Subject
from ._form import Json, LedgerForm
from ._spelling import hex_list, shown_hex

_BRANCH_MAX = 15


def _explorer_hash(hashed: bytes) -> str:
    return hashed[::-1].hex()


def _read_branch(member: Member) -> Branch:
    return Branch(member.get("rawTransaction").raw(), member.get("siblings").hashes(_BRANCH_MAX))


def _branch(branch: Branch) -> Json:
    hashed = sha256d(branch.leaf)
    return {
        "transactionHash": hexed(hashed), "txid": _explorer_hash(hashed), "rawTransaction": hexed(branch.leaf),
        "siblings": hex_list(branch.siblings),
    }


def _output(value: int, script: bytes, log_index: int) -> Json:
    return {"logIndex": log_index, "valueSats": str(value), "scriptPubKey": hexed(script)}


def _transaction(raw: bytes, tx_index: Any) -> Json:
    read = read_transaction(raw)
    hashed = sha256d(raw)
    inputs = []
    for previous, index, script, sequence in read.inputs:
        spent: Dict[str, Any] = {"coinbase": hexed(script)} if read.is_coinbase() else {
            "previousHash": hexed(previous), "previousTxid": _explorer_hash(previous), "previousIndex": index,
            "scriptSig": hexed(script),
        }
        inputs.append({**spent, "sequence": sequence})
    outputs = [_output(value, script, at) for at, (value, script) in enumerate(read.outputs)]
    return {
        "hash": hexed(hashed), "txid": _explorer_hash(hashed), "transactionIndex": tx_index, "version": read.version,
        "lockTime": read.lock_time, "inputs": inputs, "outputs": outputs,
    }


def _parse(root: Member, subject: Subject) -> BranchEntry:
    count = root.get("transactionCount").position()
    own = _read_branch(root.get("lastTransaction") if subject.kind == ABSENCE else root)
    coinbase = root.optional("coinbase")
    return BranchEntry(count, own, None if coinbase is None else _read_branch(coinbase))


def _header(header: Header) -> Json:
    fields = header.fields
    return {
        "hash": hexed(header.block_hash), "explorerHash": _explorer_hash(header.block_hash),
        "parentHash": hexed(fields["previousblockhash"]), "merkleRoot": hexed(fields["merkleroot"]),
        "version": fields["version"], "timestamp": fields["time"], "bits": f"0x{fields['bits']:08x}",
        "nonce": fields["nonce"],
    }


def _entry(entry: BranchEntry, facts: Facts) -> Json:
    members: Json = {
        "transactionsRoot": shown_hex(facts.transactions_root),
        "transactionCount": entry.tx_count,
        "coinbase": MISSING if entry.coinbase is None else _branch(entry.coinbase),
    }
    if facts.transaction is None:
        return {**members, "lastTransaction": _branch(entry.transaction)}
    raw = facts.transaction.raw
    transaction = _transaction(raw, facts.statement.subject.tx_index)
    return {**members, **_branch(entry.transaction), "transaction": transaction}


def _event(entry: BranchEntry, facts: Facts) -> Json:
    log_index = facts.statement.subject.log_index
    if facts.event is None or log_index is None:
        return {}
    return {"event": _output(facts.event["value_sats"], facts.event["script_pubkey"], log_index)}


FORM = LedgerForm(
    _parse, _header, _entry, _event,
    "Bitcoin has no receipts: the transaction itself, which is proven, has its outputs",
)
