"""A scan in words, as ``superroot verify`` says it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .errors import ProofError
from .report import anchor_words, check_line, head_lines, plain
from .scan import ScanEvent, ScanFacts, ScanFilter

_EVENTS_MAX = 10
_INDENT = " " * 23


def _filter_words(scan_filter: ScanFilter) -> str:
    parts: List[str] = []
    if scan_filter.addresses:
        parts.append("of " + " or ".join("0x" + address.hex() for address in scan_filter.addresses))
    for position, topics in enumerate(scan_filter.topics):
        if topics:
            parts.append(f"with topic {position} " + " or ".join("0x" + topic.hex() for topic in topics))
    if scan_filter.anywhere:
        parts.append("with topic " + " and ".join("0x" + topic.hex() for topic in scan_filter.anywhere))
    return " ".join(parts) or "of anybody"


def scan_words(facts: ScanFacts) -> str:
    """The scan's statement in words, without its noun."""
    chain = f"{facts.proof.chain_name} ({facts.proof.statement.chain})"
    return f"{_filter_words(facts.filter)} in blocks {facts.first} to {facts.last} of {chain}"


def scan_truth(facts: ScanFacts, listed: Optional[int] = None) -> str:
    """Verdict on a scan that is true. ``listed``: events on a page with a next page."""
    count = len(facts.events)
    if listed is not None:
        noun = "event" if count == 1 else "events"
        return f"TRUE: this page lists {listed} of the {count} {noun} {scan_words(facts)}, and goes on"
    if count == 0:
        return f"TRUE: there is no event {scan_words(facts)}"
    if count == 1:
        return f"TRUE: the one event shown is the only one {scan_words(facts)}"
    return f"TRUE: the {count} events shown are all {scan_words(facts)}"


def _event_words(event: ScanEvent) -> str:
    topic = f", topic 0 0x{event.topics[0].hex()}" if event.topics else ""
    place = f"block {event.block_number}, transaction {event.tx_index}, log {event.log_index}"
    return f"{place}: 0x{event.address.hex()}{topic}"


def scan_not_shown(facts: ScanFacts) -> List[str]:
    lines: List[str] = []
    if facts.by_bloom:
        lines.append("that blooms are right: of skipped blocks it rests on the chain's consensus")
    if facts.outside_receipts is not None:
        lines.append(facts.outside_receipts)
    lines += [
        "other blocks than those of the range",
        "calls, transfers and changes of state without an event: they leave nothing in blooms and receipts",
        "hashes of transactions: a receipt does not name its transaction",
        "canonicity: that the chain's own consensus chose these blocks",
        "finality: that the blocks can no longer be replaced",
        "the SuperRoot's time: its timestamp is the service's word",
    ]
    if facts.proof.anchor is None or not facts.proof.anchor.witnessed:
        lines.append("publication: that everybody else is shown this same SuperRoot")
    return lines


def scan_report(facts: ScanFacts, failure: Optional[ProofError]) -> List[str]:
    """Report on a scan whose blocks hold; ``failure`` is that of its anchor."""
    proof = facts.proof
    lines = head_lines(f"events {scan_words(facts)}", proof.origin, proof.network)
    sequence = 0 if proof.super_root is None else proof.super_root.sequence
    lines.append(check_line("✓", "last block", f"block {facts.last} leads to SuperRoot {sequence}"))
    count = facts.last - facts.first + 1
    lines.append(check_line("✓", "headers", f"{count} blocks hang together by their parents"))
    if facts.by_bloom:
        lines.append(check_line("✓", "blooms", f"{facts.by_bloom} blocks: their bloom rules the events out"))
    if facts.by_receipts:
        why = "" if facts.blooms_not_binding is None else f" ({facts.blooms_not_binding})"
        lines.append(check_line("✓", "receipts", f"{facts.by_receipts} blocks: all their receipts{why}"))
    found = f"{len(facts.events)}, and these are all" if facts.events else "none"
    lines.append(check_line("✓", "events", found))
    lines += [_INDENT + _event_words(event) for event in facts.events[:_EVENTS_MAX]]
    if len(facts.events) > _EVENTS_MAX:
        lines.append(f"{_INDENT}and {len(facts.events) - _EVENTS_MAX} more, all of them with --json")
    if failure is not None:
        lines.append(check_line("✗", "anchor", failure.reason))
    elif proof.anchor is not None:
        lines.append(check_line("✓", "anchor", anchor_words(proof.anchor)))
    return [*lines, "", "Not shown:", *(f"  - {plain(line)}" for line in scan_not_shown(facts))]


def scan_json(facts: ScanFacts) -> Dict[str, Any]:
    """What a scan shows, for programs."""
    events = [
        {
            "block_number": event.block_number,
            "block_hash": "0x" + event.block_hash.hex(),
            "timestamp": event.timestamp,
            "transaction_index": event.tx_index,
            "log_index": event.log_index,
            "address": "0x" + event.address.hex(),
            "topics": ["0x" + topic.hex() for topic in event.topics],
            "data": "0x" + event.data.hex(),
        }
        for event in facts.events
    ]
    return {
        "kind": "scan",
        "origin": facts.proof.origin,
        "network": facts.proof.network,
        "sentence": f"events {scan_words(facts)}",
        "by_bloom": facts.by_bloom,
        "by_receipts": facts.by_receipts,
        "events": events,
        "not_shown": scan_not_shown(facts),
    }
