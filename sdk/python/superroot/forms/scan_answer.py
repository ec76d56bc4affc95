"""A scan in JSON: a page of ``GET /v5/scan/{chain}``, or a search with ``completeness``. Its file is checked, and every
member is compared with what it shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from .._member import MISSING, Disagreement, Limits, Member, compare, hexed, shown
from ..errors import at
from ..scan import ScanEvent, ScanFacts, check_scan, verify_scan
from ..statement import Chains
from ..trust import Trust
from ._spelling import hex_list
from .answer import Body, parsed

_Json = Dict[str, Any]
_RESERVED = ("events", "answer", "filter", "scanBlob", "eventCount")
_PAGE = Limits(reserved=_RESERVED, closed=("filter", "events"))
_SEARCH = Limits(
    reserved=_RESERVED,
    closed=("completeness", "searched", "logs"),
    free=("transactionHash", "otherAddresses", "finality", "proofUrl"),
)


@dataclass(frozen=True)
class ScanAnswerFacts:
    """What a scan in JSON shows. ``listed``: events on a page with a next page, ``None`` for a complete list;
    ``unproven``: paths of members that no hash shows."""

    scan: ScanFacts
    listed: Optional[int]
    unproven: List[str]


def _is_search(body: _Json) -> bool:
    return "scanBlob" not in body and isinstance(body.get("completeness"), dict) and "logs" in body


def is_scan_answer(body: Any) -> bool:
    return isinstance(body, dict) and ("scanBlob" in body or _is_search(body))


def _goes_on(body: _Json) -> bool:
    """Whether a next page has more."""
    return body.get("nextCursor") is not None


def _listed(body: _Json) -> int:
    logs = body.get("logs")
    return len(logs) if isinstance(logs, list) else 0


def _event(event: ScanEvent) -> _Json:
    return {
        "blockNumber": event.block_number, "blockHash": hexed(event.block_hash), "blockTimestamp": event.timestamp,
        "transactionIndex": event.tx_index, "logIndex": event.log_index, "address": hexed(event.address),
        "topics": hex_list(event.topics), "data": hexed(event.data),
    }


def _end(facts: ScanFacts) -> _Json:
    root = facts.proof.super_root
    if root is None:
        return {"sequence": MISSING, "superRootHash": MISSING}
    return {"sequence": root.sequence, "superRootHash": hexed(root.hash)}


def _page(facts: ScanFacts, data: bytes) -> _Json:
    scan_filter = facts.filter
    return {
        "chainId": facts.chain_id, "fromBlock": facts.first, "toBlock": facts.last,
        "filter": {
            "address": hex_list(scan_filter.addresses), "topics": [hex_list(listed) for listed in scan_filter.topics],
            "topic": hex_list(scan_filter.anywhere),
        },
        "answer": "events" if facts.events else "absent", "events": [_event(event) for event in facts.events],
        "blocksByBloom": facts.by_bloom, "blocksByReceipts": facts.by_receipts,
        "bloomsNotBinding": facts.blooms_not_binding, "outsideReceipts": facts.outside_receipts,
        "origin": facts.proof.origin, **_end(facts), "scanFormat": "srscan/1", "scanBlob": hexed(data),
    }


def _searched(body: _Json, facts: ScanFacts, is_newest_first: bool) -> Tuple[int, int]:
    """The blocks that a page with a next page is of: all events in each but its last one are listed."""
    said = body.get("searched")
    first, last = (said.get("from"), said.get("to")) if isinstance(said, dict) else (None, None)
    if type(first) is not int or type(last) is not int or not _is_range(facts, first, last, is_newest_first):
        wanted = f"blocks from one end of {facts.first} to {facts.last} on"
        raise Disagreement(f"member searched says {shown(said)}, proven is {wanted}")
    numbers = [event.block_number for event in facts.events]
    inner: Callable[[int], bool] = (lambda number: number > first) if is_newest_first else (lambda number: number < last)
    outer: Callable[[int], bool] = (lambda number: number >= first) if is_newest_first else (lambda number: number <= last)
    least, most = sum(map(inner, numbers)), sum(map(outer, numbers))
    if not least <= _listed(body) <= most:
        raise Disagreement(f"member logs says {_listed(body)} events of blocks {first} to {last}, proven are {least} to {most}")
    return first, last


def _is_range(facts: ScanFacts, first: int, last: int, is_newest_first: bool) -> bool:
    if is_newest_first:
        return last == facts.last and facts.first <= first <= facts.last
    return first == facts.first and facts.first <= last <= facts.last


def _compare_search(body: _Json, facts: ScanFacts, data: bytes, is_newest_first: bool) -> List[str]:
    events = list(reversed(facts.events)) if is_newest_first else facts.events
    first, last = facts.first, facts.last
    if _goes_on(body):
        first, last = _searched(body, facts, is_newest_first)
        events = events[: _listed(body)]
    proven = {
        "chainId": facts.chain_id, "logs": [_event(event) for event in events], "gaps": [],
        "searched": {"from": first, "to": last},
        "completeness": {
            "fromBlock": facts.first, "toBlock": facts.last, "eventCount": len(facts.events),
            "outsideReceipts": facts.outside_receipts, **_end(facts), "scanFormat": "srscan/1", "scanBlob": hexed(data),
        },
    }
    paths = compare(body, proven, _SEARCH)
    return list(dict.fromkeys(re.sub(r"^logs\[\d+\]", "logs[]", path) for path in paths))


def _compare_either(body: _Json, facts: ScanFacts, data: bytes) -> List[str]:
    """Oldest first, or else newest first."""
    try:
        return _compare_search(body, facts, data, False)
    except Disagreement as error:
        if not str(error).startswith(("member logs", "member searched")):
            raise
        try:
            return _compare_search(body, facts, data, True)
        except Disagreement:
            raise error from None


def _file_of(body: Any) -> bytes:
    with at("encoding"):
        root = Member(body, False)
        return (root.get("completeness") if _is_search(root.value) else root).get("scanBlob").raw()


def _shown(body: _Json, facts: ScanFacts, data: bytes) -> ScanAnswerFacts:
    with at("body"):
        if _is_search(body):
            unproven = _compare_either(body, facts, data)
        else:
            unproven = compare(body, _page(facts, data), _PAGE)
    return ScanAnswerFacts(facts, _listed(body) if _goes_on(body) else None, unproven)


def check_scan_answer(body: Any, chains: Optional[Chains] = None) -> ScanAnswerFacts:
    """Checks a scan in JSON, and judges no anchor.

    Raises :class:`ProofError`: ``encoding``, a step of the scan, or ``body`` where a member contradicts it.
    """
    data = _file_of(body)
    return _shown(body, check_scan(data, chains), data)


def verify_scan_answer(body: Body, trust: Trust, chains: Optional[Chains] = None) -> ScanAnswerFacts:
    """Checks a scan in JSON up to a SuperRoot that the client trusts. Raises as :func:`check_scan_answer`."""
    read = parsed(body)
    data = _file_of(read)
    return _shown(read, verify_scan(data, trust, chains), data)
