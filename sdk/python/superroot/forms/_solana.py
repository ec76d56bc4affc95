"""Solana in JSON. Signatures, hashes and addresses are in base58; hashes of the proof itself in hex."""

from __future__ import annotations

from typing import List

from .._member import MISSING, Member, hexed
from ..errors import Refused
from ..facts import Facts
from ..ledgers import Header, Transaction
from ..ledgers.solana import RECORDS_MAX, Message, RecordEntry, read_transaction
from ..statement import Subject
from ._form import Json, LedgerForm, no_event
from ._spelling import base58, hex_list, shown_hex

_SIGNATURES_MAX, _PATH_MAX = 19, 16


def _transaction(transaction: Transaction, signatures: List[bytes], message: Message) -> Json:
    header = {
        "numRequiredSignatures": len(signatures), "numReadonlySignedAccounts": message.readonly_signed,
        "numReadonlyUnsignedAccounts": message.readonly_unsigned,
    }
    instructions = [
        {"programIdIndex": program, "accounts": list(accounts), "data": base58(data)}
        for program, accounts, data in message.instructions
    ]
    lookups = [
        {"accountKey": base58(table), "writableIndexes": list(writable), "readonlyIndexes": list(readonly)}
        for table, writable, readonly in message.lookups
    ]
    return {
        "hash": hexed(transaction.hash), "signatures": [base58(one) for one in signatures],
        "version": "legacy" if message.version is None else str(message.version),
        "message": {
            "header": header, "accountKeys": [base58(key) for key in message.account_keys],
            "recentBlockhash": base58(message.recent_blockhash), "instructions": instructions,
            "addressTableLookups": lookups,
        },
    }


def _parse(root: Member, subject: Subject) -> RecordEntry:
    return RecordEntry(
        root.get("hashBefore").hash(),
        root.get("rawTransaction").raw(),
        root.get("signatureIndex").position(),
        root.get("signatureCount").position(),
        root.get("signatureSiblings").list_of(_SIGNATURES_MAX, lambda path: path.hashes(_PATH_MAX)),
        root.get("records").list_of(
            RECORDS_MAX, lambda record: (record.get("numHashes").position(), record.get("mixin").hash())
        ),
        root.get("tailHashes").position(),
    )


def _header(header: Header) -> Json:
    return {"hash": hexed(header.block_hash), "blockhash": base58(header.block_hash)}


def _entry(entry: RecordEntry, facts: Facts) -> Json:
    transaction = facts.transaction
    row = first = MISSING
    if transaction is not None:
        try:
            signatures, message = read_transaction(transaction.raw)
            row, first = _transaction(transaction, signatures, message), base58(signatures[0])
        except Refused:
            pass
    return {
        "transactionsRoot": shown_hex(facts.transactions_root),
        "rawTransaction": shown_hex(None if transaction is None else transaction.raw),
        "transactionHash": shown_hex(None if transaction is None else transaction.hash),
        "transaction": row, "transactionSignature": first, "indexBound": facts.index_bound,
        "blockBound": facts.block_bound, "hashBefore": hexed(entry.before), "signatureIndex": entry.signature_index,
        "signatureCount": entry.signature_count, "signatureSiblings": [hex_list(path) for path in entry.paths],
        "records": [{"numHashes": count, "mixin": hexed(mixin)} for count, mixin in entry.records],
        "tailHashes": entry.tail_hashes,
    }


FORM = LedgerForm(
    _parse, _header, _entry, no_event,
    "a blockhash commits to signatures alone: neither status nor logs are committed to",
)
