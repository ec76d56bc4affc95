"""A usage bill (``.srusage``): hourly rows lead to the account's leaf, the leaf to the root of the day, and an event of
the registry contract has that root. docs/protocol/usage.md."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Any, List, Optional

from .._hash import keccak256, node
from .._member import Member
from .._trees import ZERO, range_root, tree_root
from ..errors import ProofError, Refused, at, need
from ..facts import Facts
from ..file import read_proof
from ..statement import EVM, FAMILIES, SAFE_INTEGER_MAX, Chains
from ..trust import Trust
from ..verifier import check_levels
from ._steps import all_at, bytes_of_hex, check_said_anchor
from .answer import Body, parsed

_DAY, _HOUR = 86400, 3600
_FIRST_ORDINAL = 719163
_LAST_ORDINAL = datetime.date.max.toordinal()
_ROWS_MAX = 16384
_PATH_MAX = 64
_TOPIC = keccak256(b"UsageCheckpoint(uint64,uint64,uint64,bytes32)")
_STATUSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
_ENVIRONMENTS = ("live", "test")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ADDRESS = re.compile(r"(0x)?[0-9a-fA-F]{40}")


@dataclass(frozen=True)
class UsageFacts:
    """An account's usage on a day. ``row_count`` is None where the hourly rows are not there. The address of the registry
    comes from elsewhere: compare ``contract`` with it. ``event`` is the proven event of the checkpoint."""

    user_id: str
    day: str
    environment: str
    requests: int
    billing_tokens: int
    row_count: Optional[int]
    accounts: int
    contract: bytes
    sequence: int
    root: bytes
    event: Facts


@dataclass(frozen=True)
class _Leaf:
    row_count: int
    requests: int
    tokens: int
    blind: bytes
    range_root: bytes
    index: int
    path: List[bytes]


@dataclass(frozen=True)
class _Row:
    """A row as it is typed: what is no row of the day is refused later, as ``rows``."""

    hour: int
    key: Optional[Member]
    route: int
    family: Optional[str]
    chain_id: Optional[int]
    status: str
    requests: int
    tokens: int


@dataclass(frozen=True)
class _Bill:
    user_id: str
    account: bytes
    environment: str
    day: str
    start: int
    end: int
    sequence: int
    chain_id: int
    accounts: int
    root: bytes
    range_root: bytes
    contract: str
    leaf: Optional[_Leaf]
    rows: Optional[List[_Row]]
    blob: Optional[str]


def _uuid(member: Member) -> bytes:
    text = member.text()
    if _UUID.fullmatch(text) is None:
        raise member.wrong("an id")
    return bytes.fromhex(text.replace("-", ""))


def _read_leaf(leaf: Member) -> _Leaf:
    return _Leaf(
        leaf.get("row_count").position(), leaf.get("requests").wide(), leaf.get("billing_tokens").wide(),
        leaf.get("blind").hash(), leaf.get("range_root").hash(), leaf.get("index").wide(),
        leaf.get("path").hashes(_PATH_MAX),
    )


def _read_row(row: Member) -> _Row:
    key, family, chain_id = row.optional("key_id"), row.optional("family"), row.optional("chain_id")
    if key is not None:
        key.text()
    row.get("endpoint").text()
    return _Row(
        row.get("hour").wide(), key, row.get("route").integer(0xFFFF), None if family is None else family.text(),
        None if chain_id is None else chain_id.wide(), row.get("status").text(), row.get("requests").wide(),
        row.get("billing_tokens").wide(),
    )


def _is_day(start: int, end: int, day: str) -> bool:
    ordinal = start // _DAY + _FIRST_ORDINAL
    if start % _DAY or end != start + _DAY or ordinal > _LAST_ORDINAL:
        return False
    return datetime.date.fromordinal(ordinal).isoformat() == day


def _read_bill(root: Member) -> _Bill:
    checkpoint = root.get("usage_checkpoint")
    start, end, day = checkpoint.get("start").wide(), checkpoint.get("end").wide(), checkpoint.get("day").text()
    checkpoint.get("state").text()
    need(_is_day(start, end, day), "its times are those of no day")
    leaf, rows, blob = root.optional("leaf"), root.optional("rows"), root.optional("proof_blob")
    return _Bill(
        user_id=root.get("user_id").text(),
        account=_uuid(root.get("user_id")),
        environment=checkpoint.get("environment").text(),
        day=day,
        start=start,
        end=end,
        sequence=checkpoint.get("sequence").wide(),
        chain_id=checkpoint.get("chain_id").wide(),
        accounts=checkpoint.get("accounts").wide(),
        root=checkpoint.get("root").hash(),
        range_root=checkpoint.get("range_root").hash(),
        contract=checkpoint.get("contract").text(),
        leaf=None if leaf is None else _read_leaf(leaf),
        rows=None if rows is None else rows.list_of(2 * _ROWS_MAX, _read_row),
        blob=None if blob is None else blob.text(),
    )


def _u64(value: int) -> bytes:
    return value.to_bytes(8, "big")


def _chain_bytes(row: _Row) -> bytes:
    if row.family is None or row.chain_id is None:
        need(row.family is None and row.chain_id is None, "a row has half a chain")
        return b"\xff" + bytes(8)
    need(row.family in FAMILIES, "a row is of no family")
    return bytes([FAMILIES.index(row.family)]) + _u64(row.chain_id)


def _row_hash(row: _Row, day: int) -> bytes:
    hour = row.hour // _HOUR
    is_hour = row.hour % _HOUR == 0 and hour < 1 << 32 and row.hour // _DAY == day
    need(is_hour and row.status in _STATUSES, "a row is none of this day")
    chain = _chain_bytes(row)
    key = bytes(16) if row.key is None else _uuid(row.key)
    head = b"\x0b" + hour.to_bytes(4, "big") + key + row.route.to_bytes(2, "big") + chain
    status = bytes([_STATUSES.index(row.status) + 1])
    return keccak256(head + status + _u64(row.requests) + _u64(row.tokens))


def _check_rows(rows: List[_Row], leaf: _Leaf, day: int) -> None:
    is_all = len(rows) <= _ROWS_MAX and len(rows) == leaf.row_count
    need(is_all, f"{len(rows)} rows are there, the leaf has {leaf.row_count}")
    root = tree_root([_row_hash(row, day) for row in rows], node, ZERO)
    need(root == leaf.range_root, "these are not the rows of the leaf: they have another root")
    sums = sum(row.requests for row in rows), sum(row.tokens for row in rows)
    need(sums == (leaf.requests, leaf.tokens), "the rows add up to other sums than the leaf's")


def _check_leaf(bill: _Bill, leaf: _Leaf, environment: int) -> None:
    day = (bill.start // _DAY).to_bytes(4, "big")
    counted = leaf.row_count.to_bytes(4, "big") + _u64(leaf.requests) + _u64(leaf.tokens)
    hashed = keccak256(b"\x0c" + bill.account + day + leaf.blind + counted + leaf.range_root)
    need(leaf.index < bill.accounts <= SAFE_INTEGER_MAX, "there is no such leaf in the day")
    got = range_root(hashed, leaf.index, bill.accounts, leaf.path, node)
    need(got == bill.range_root, "the leaf leads to another root over the day's leaves")
    root = keccak256(b"\x0d" + bytes([environment]) + day + _u64(bill.accounts) + bill.range_root)
    need(root == bill.root, f"the day has the root 0x{root.hex()}")


def _word(value: int) -> bytes:
    return value.to_bytes(32, "big")


def _check_event(bill: _Bill, facts: Facts) -> bytes:
    """The contract whose checkpoint the event is."""
    log, statement = facts.log, facts.statement
    if log is None:
        raise Refused("the proof shows no log")
    is_it = log.topics == (_TOPIC, _word(bill.sequence)) and log.data == _word(bill.start) + _word(bill.end) + bill.root
    need(is_it, "the proven event is not the checkpoint of this sequence, day and root")
    is_its = (statement.family, statement.chain_id) == (EVM, bill.chain_id)
    need(is_its, f"the event is of chain {statement.chain}")
    said = bytes_of_hex(bill.contract) if _ADDRESS.fullmatch(bill.contract) else b""
    need(said == log.address, "the event is not of the contract that is named")
    return log.address


def is_usage(body: Any) -> bool:
    return isinstance(body, dict) and "usage_checkpoint" in body


def check_usage(body: Any, chains: Optional[Chains] = None) -> UsageFacts:
    """Checks a usage bill and judges no anchor.

    Raises :class:`ProofError`: ``no_usage``, ``no_leaf``, ``rows``, ``leaf``, ``not_proven``, ``proof`` or ``event``.
    """
    with at("no_usage"):
        bill = _read_bill(Member(body, True))
    leaf = bill.leaf
    if leaf is None:
        raise ProofError("no_leaf", "the account has no usage in this checkpoint: there is nothing to prove")
    if bill.rows is not None:
        with at("rows"):
            _check_rows(bill.rows, leaf, bill.start // _DAY)
    with at("no_usage"):
        need(bill.environment in _ENVIRONMENTS, "environment is neither live nor test")
    with at("leaf"):
        _check_leaf(bill, leaf, _ENVIRONMENTS.index(bill.environment) + 1)
    if bill.blob is None:
        raise ProofError("not_proven", "the checkpoint is not proven at the registry contract yet: ask again later")
    with all_at("proof"):
        event = check_levels(read_proof(bytes_of_hex(bill.blob)), chains)
    with at("event"):
        check_said_anchor(body, event)
        contract = _check_event(bill, event)
    row_count = None if bill.rows is None else leaf.row_count
    return UsageFacts(
        bill.user_id, bill.day, bill.environment, leaf.requests, leaf.tokens, row_count, bill.accounts, contract,
        bill.sequence, bill.root, event,
    )


def verify_usage(body: Body, trust: Trust, chains: Optional[Chains] = None) -> UsageFacts:
    """Checks a usage bill up to a SuperRoot that the client trusts. Raises :class:`ProofError`: ``encoding``, a step of
    :func:`check_usage`, or ``anchor``."""
    shown = check_usage(parsed(body), chains)
    shown.event.anchor = trust.judge(shown.event)
    return shown
