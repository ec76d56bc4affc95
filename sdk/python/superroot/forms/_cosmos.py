"""The Cosmos family in JSON. Hashes are 0x hex and, as explorers show them, in upper case without 0x."""

from __future__ import annotations

from .._hash import sha256_of
from .._member import MISSING, Member, camel, hexed
from ..facts import Facts
from ..ledgers import Header
from ..ledgers.cosmos import TreeEntry
from ..statement import ABSENCE, Subject
from ._form import Json, LedgerForm, no_event
from ._spelling import bech32, hex_list, shown_hex

_BRANCH_MAX = 20
_HEADER_HASHES = (
    "last_commit_hash", "data_hash", "validators_hash", "next_validators_hash", "consensus_hash", "app_hash",
    "last_results_hash", "evidence_hash",
)


def _explorer_hash(hashed: bytes) -> str:
    return hashed.hex().upper()


def _parse(root: Member, subject: Subject) -> TreeEntry:
    count = root.get("transactionCount").position()
    own = root.optional("lastTransaction") if subject.kind == ABSENCE else root
    listed = root.optional("peaks")
    peaks = [] if listed is None else [
        (peak.get("transactionHash").hash(), peak.get("siblings").hashes(_BRANCH_MAX)) for peak in listed.items(_BRANCH_MAX)
    ]
    if own is None:
        return TreeEntry(count, None, [], peaks)
    return TreeEntry(count, own.get("rawTransaction").raw(), own.get("siblings").hashes(_BRANCH_MAX), peaks)


def _header(header: Header) -> Json:
    fields = header.fields
    parts = fields["last_block_parts"]
    proposer = fields["proposer_address"]
    is_hub = fields["chain_id"].startswith("cosmoshub-")
    return {
        **{camel(name): hexed(fields[name]) for name in _HEADER_HASHES},
        "hash": hexed(header.block_hash), "explorerHash": _explorer_hash(header.block_hash),
        "parentHash": shown_hex(header.parent_hash),
        "parentPartsHash": None if parts is None else hexed(parts[1]),
        "parentPartCount": None if parts is None else parts[0],
        "chainId": fields["chain_id"], "number": header.number, "timestamp": header.timestamp,
        "timestampNanos": fields["nanos"], "versionBlock": fields["version"][0], "versionApp": fields["version"][1],
        "proposer": {"hex": hexed(proposer), "bech32": bech32("cosmosvalcons", proposer) if is_hub else None},
    }


def _entry(entry: TreeEntry, facts: Facts) -> Json:
    peaks = [{"transactionHash": hexed(first), "siblings": hex_list(siblings)} for first, siblings in entry.peaks]
    members: Json = {
        "transactionsRoot": shown_hex(facts.transactions_root),
        "transactionCount": entry.tx_count,
        "peaks": peaks or MISSING,
    }
    if entry.transaction is None:
        return members
    hashed = sha256_of(entry.transaction)
    branch = {
        "transactionHash": hexed(hashed), "rawTransaction": hexed(entry.transaction),
        "siblings": hex_list(entry.siblings),
    }
    if facts.transaction is None:
        return {**members, "lastTransaction": branch}
    transaction = {
        "hash": hexed(hashed), "explorerHash": _explorer_hash(hashed),
        "transactionIndex": facts.statement.subject.tx_index, "byteCount": len(entry.transaction),
    }
    return {**members, **branch, "explorerTransactionHash": _explorer_hash(hashed), "transaction": transaction}


FORM = LedgerForm(
    _parse, _header, _entry, no_event,
    "no header of a CometBFT chain commits to events: last_results_hash of the next block covers each transaction's "
    "code, data and gas alone",
)
