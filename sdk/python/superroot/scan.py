"""Scans: all events of a block range that pass a filter, or that there are none. docs/protocol/files.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, FrozenSet, List, Optional, Tuple

from ._bytes import Reader
from ._hash import keccak256
from .errors import NotAnchored, ProofError, Refused, at, need
from .facts import Facts
from .file import ProofFile, read_part
from .ledgers import Header
from .ledgers import read_header as read_header_of
from .ledgers._trie_root import ordered_root
from .ledgers.evm import bloom_bits, read_logs
from .statement import BLOCK, CHAINS, EVM, FAMILIES, Chains, Profile, Statement, Subject, read_profile, rule_of
from .trust import Trust
from .verifier import check_levels

MAGIC = b"SRSCAN"
SCAN_BYTES_MAX = 16 << 20
BLOCKS_MAX = 2_048
_LIST_MAX = 100
_ANYWHERE_MAX = 4
_RECEIPT_BYTES_MIN = 256
_CELO_RULES = (0x0003, 0x0004)
#: Chains whose nodes refuse a block with a bloom without one of its logs, and from which number on.
_BLOOMS_BIND = {
    1: 0, 10: 0, 56: 0, 100: 0, 130: 0, 143: 0, 146: 0, 480: 0, 1868: 0, 8453: 0, 42161: 22_207_818,
    42220: 31_056_500, 43114: 0, 57073: 0, 59144: 0, 167000: 0, 534352: 0,
}
_OUTSIDE_RECEIPTS = {
    137: "the logs of state-sync entries stand outside bloom and receipts of the header",
    999: "the logs of system entries stand outside bloom and receipts of the header",
}


@dataclass(frozen=True)
class ScanFilter:
    """An event passes with one of ``addresses``, at each position one of its ``topics``, and all of ``anywhere``. An
    empty list lets any pass."""

    addresses: Tuple[bytes, ...]
    topics: Tuple[Tuple[bytes, ...], ...]
    anywhere: Tuple[bytes, ...]

    def passes(self, log: Dict[str, Any]) -> bool:
        topics = log["topics"]
        if self.addresses and log["address"] not in self.addresses:
            return False
        for place, listed in enumerate(self.topics):
            if listed and (place >= len(topics) or topics[place] not in listed):
                return False
        return all(topic in topics for topic in self.anywhere)


@dataclass(frozen=True)
class ScanEvent:
    """An event in the range. ``log_index`` counts in the transaction's receipt; ``timestamp`` is in Unix seconds."""

    block_number: int
    block_hash: bytes
    timestamp: int
    tx_index: int
    log_index: int
    address: bytes
    topics: Tuple[bytes, ...]
    data: bytes


@dataclass
class ScanFacts:
    """All events that pass the filter in blocks ``first`` to ``last``, or that there are none.

    ``by_bloom`` blocks rest on a header's bloom, and so on the chain's consensus; ``by_receipts`` blocks were shown by
    hashing alone. ``outside_receipts`` names logs of the chain about which nothing is shown.
    """

    family: int
    chain_id: int
    first: int
    last: int
    filter: ScanFilter
    proof: Facts
    by_bloom: int = 0
    by_receipts: int = 0
    events: List[ScanEvent] = field(default_factory=list)
    blooms_not_binding: Optional[str] = None
    outside_receipts: Optional[str] = None


@dataclass(frozen=True)
class _Scan:
    family: int
    chain_id: int
    first: int
    last: int
    filter: ScanFilter
    headers: List[bytes]
    receipts: Dict[int, List[bytes]]
    proof: ProofFile


def _items(reader: Reader, size: int, most: int) -> Tuple[bytes, ...]:
    """A rising list without anything twice."""
    count = reader.u8()
    need(count <= most, f"a filter list of {count}, expected at most {most}")
    items = tuple(reader.take(size) for _ in range(count))
    need(all(one < following for one, following in zip(items, items[1:])), "a filter list that does not rise")
    return items


def _read_receipts(reader: Reader, block_count: int) -> Dict[int, List[bytes]]:
    """Leaves by the block's place in the range."""
    receipts: Dict[int, List[bytes]] = {}
    before = -1
    for _ in range(reader.u16()):
        place = reader.u16()
        need(before < place < block_count, "receipts of blocks that do not rise, or are past the range")
        before = place
        count = reader.u32()
        need(count * (4 + _RECEIPT_BYTES_MIN) <= reader.remaining(), "receipts that are cut short")
        leaves = [reader.long() for _ in range(count)]
        need(all(len(leaf) >= _RECEIPT_BYTES_MIN for leaf in leaves), "a receipt under 256 bytes")
        receipts[place] = leaves
    return receipts


def _read(data: bytes) -> _Scan:
    need(len(data) <= SCAN_BYTES_MAX, f"a scan of {len(data)} bytes, at most {SCAN_BYTES_MAX} are read")
    reader = Reader(data)
    need(data[: len(MAGIC)] == MAGIC, "not a scan: it does not begin with SRSCAN")
    reader.take(len(MAGIC))
    need(reader.u8() == 1, "a scan of another format than 1")
    family, chain_id = reader.u8(), reader.u64()
    need(family < len(FAMILIES), "no such ledger family")
    first, last = reader.u64(), reader.u64()
    addresses = _items(reader, 20, _LIST_MAX)
    topics = tuple(_items(reader, 32, _LIST_MAX) for _ in range(4))
    scan_filter = ScanFilter(addresses, topics, _items(reader, 32, _ANYWHERE_MAX))
    block_count = last - first + 1
    need(1 <= block_count <= BLOCKS_MAX, f"blocks {first} to {last} are no range of 1 to {BLOCKS_MAX} blocks")
    check = keccak256(data[: reader.at])[:4]
    need(reader.take(4) == check, "the statement is damaged: its check does not fit")
    headers = [reader.long() for _ in range(block_count - 1)]
    receipts = _read_receipts(reader, block_count)
    proof = read_part(reader.long())
    reader.finish("scan")
    need(proof.finality is None, "the proof of the last block is of another format than 1")
    return _Scan(family, chain_id, first, last, scan_filter, headers, receipts, proof)


def _check_statement(scan: _Scan) -> None:
    need(scan.family == EVM, "headers of that chain commit to no receipts with logs")
    expected = Statement(scan.family, scan.chain_id, scan.last, Subject(BLOCK))
    need(scan.proof.statement == expected, "the proof is not of the last block of the range")


class _Sieve:
    """Which blocks a bloom settles."""

    def __init__(self, chain_id: int, scan_filter: ScanFilter) -> None:
        lists = [scan_filter.addresses, *scan_filter.topics, *((topic,) for topic in scan_filter.anywhere)]
        self._chain_id = chain_id
        self._one_of: List[FrozenSet[int]] = [frozenset(map(bloom_bits, listed)) for listed in lists if listed]

    def not_binding(self, rule: int, number: int) -> Optional[str]:
        """Why the bloom of a header does not bind."""
        outside = _OUTSIDE_RECEIPTS.get(self._chain_id)
        if outside is not None:
            return outside
        if rule in _CELO_RULES:
            return "the logs of a block's own receipt stand outside the header's bloom"
        start = _BLOOMS_BIND.get(self._chain_id)
        if start is None:
            return "the blooms of this chain are not known to have every log"
        return None if number >= start else "so old a header's bloom is not known to have every log"

    def allows(self, bloom: int) -> bool:
        """Whether the bloom allows an event that passes."""
        return all(any(bloom & bits == bits for bits in listed) for listed in self._one_of)


class _Walk:
    """Takes the blocks from the last to the first."""

    def __init__(self, scan: _Scan, facts: ScanFacts, chains: Chains, opened: Optional[Profile]) -> None:
        self._scan = scan
        self._facts = facts
        self._chains = chains
        self._opened = opened
        self._sieve = _Sieve(scan.chain_id, scan.filter)
        self._found: List[List[ScanEvent]] = []

    def _rule(self, number: int) -> int:
        statement = Statement(self._scan.family, self._scan.chain_id, number, Subject(BLOCK))
        return rule_of(statement, self._chains, self._opened)[0]

    def run(self, header: Header) -> None:
        scan = self._scan
        for number in range(scan.last, scan.first - 1, -1):
            with at("headers"):
                rule = self._rule(number)
                if number < scan.last:
                    header = self._parent(header, number, rule)
                need("settledHeight" not in header.fields, f"block {number} settles other blocks")
            with at("receipts"):
                self._take(number, rule, header)
        self._facts.events = [event for events in reversed(self._found) for event in events]

    def _parent(self, following: Header, number: int, rule: int) -> Header:
        raw = self._scan.headers[number - self._scan.first]
        need(keccak256(raw) == following.parent_hash, f"header {number} is not the parent of the next one")
        header = read_header_of(rule, raw)
        need(header.number == number, f"header {number} has another number")
        return header

    def _take(self, number: int, rule: int, header: Header) -> None:
        leaves = self._scan.receipts.get(number - self._scan.first)
        why = self._sieve.not_binding(rule, number)
        bloom = int.from_bytes(header.fields["logsBloom"], "big")
        if why is None and not self._sieve.allows(bloom):
            need(leaves is None, f"block {number} has receipts, though its bloom rules the filter out")
            self._facts.by_bloom += 1
            return
        if why is not None:
            self._facts.blooms_not_binding = why
        if leaves is None:
            raise Refused(f"block {number} has no receipts: {why or 'its bloom does not rule the filter out'}")
        self._facts.by_receipts += 1
        need(ordered_root(leaves) == header.receipts_root, f"the receipts of block {number} have another root")
        self._found.append(self._events(number, header, leaves))

    def _events(self, number: int, header: Header, leaves: List[bytes]) -> List[ScanEvent]:
        events: List[ScanEvent] = []
        for tx_index, leaf in enumerate(leaves):
            for log_index, log in enumerate(read_logs(leaf)):
                if self._scan.filter.passes(log):
                    place = (number, header.block_hash, header.timestamp or 0, tx_index, log_index)
                    events.append(ScanEvent(*place, log["address"], log["topics"], log["data"]))
        return events


def _read_scan(data: bytes) -> _Scan:
    with at("encoding"):
        scan = _read(bytes(data))
    with at("statement"):
        _check_statement(scan)
    return scan


def _check_blocks(scan: _Scan, proof: Facts, chains: Chains) -> ScanFacts:
    if proof.super_root is None or scan.proof.super_root is None or proof.header is None:
        raise ProofError("anchor", "last block: the proof ends below level 5 and names no SuperRoot")
    opened = read_profile(scan.proof.super_root.registry.profile)
    facts = ScanFacts(scan.family, scan.chain_id, scan.first, scan.last, scan.filter, proof)
    facts.outside_receipts = _OUTSIDE_RECEIPTS.get(scan.chain_id)
    _Walk(scan, facts, chains, opened).run(proof.header)
    return facts


def check_scan(data: bytes, chains: Optional[Chains] = None) -> ScanFacts:
    """Checks a scan up to its SuperRoot, and judges no anchor. Raises as :func:`verify_scan`."""
    known = CHAINS if chains is None else chains
    scan = _read_scan(data)
    return _check_blocks(scan, check_levels(scan.proof, known), known)


def verify_scan(data: bytes, trust: Trust, chains: Optional[Chains] = None) -> ScanFacts:
    """Checks a ``.srscan`` file and picks its events.

    Raises :class:`ProofError`; its step is one of a proof's, or ``headers`` (a header, or a block that settles others)
    or ``receipts``.
    """
    known = CHAINS if chains is None else chains
    scan = _read_scan(data)
    proof = check_levels(scan.proof, known)
    failure: Optional[NotAnchored] = None
    try:
        proof.anchor = trust.judge(proof)
    except NotAnchored as error:
        failure = error
    facts = _check_blocks(scan, proof, known)
    if failure is not None:
        raise failure
    return facts
