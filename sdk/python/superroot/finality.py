"""Evidence of finality at the end of a file with format 2: docs/protocol/finality.md.

It is read with its bounds and *not checked here*: signatures of validators and proof of work need a set of signers that
the client pinned. ``superroot verify --finality`` checks them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List

from ._bytes import Reader
from .errors import need

EVIDENCE_BYTES_MAX = 128 << 10
LINK_BYTES_MAX = 96 << 10
STEPS_BYTES_MAX = 2 << 20
NOT_CHECKED = "not checked here"

KINDS = {
    0x10: "beacon", 0x11: "work", 0x12: "checkpoint", 0x13: "certificate", 0x14: "vote", 0x15: "anchor", 0x16: "commit",
    0x17: "milestone", 0x18: "producers", 0x19: "grandpa", 0x1B: "ledger_info",
}


@dataclass(frozen=True)
class FinalityEvidence:
    """Evidence as a file carries it. Nothing of it is shown: ``status`` is always ``not checked here``."""

    kind: str
    number: int
    block_hash: bytes
    body: bytes
    link_count: int
    steps: List[bytes]

    @property
    def status(self) -> str:
        return NOT_CHECKED


def _skip_state_nodes(reader: Reader) -> None:
    for _ in range(reader.u8()):
        reader.long()


def _check_ancestor(data: bytes) -> None:
    """``number:u64`` and two lists of state nodes."""
    reader = Reader(data)
    reader.u64()
    _skip_state_nodes(reader)
    _skip_state_nodes(reader)
    reader.finish("ancestor")


def _link_count(data: bytes) -> int:
    """Headers of the link. Nothing before a length of 0 means: an ancestor for the header before, at most one each."""
    reader = Reader(data)
    count = 0
    takes_ancestor = False
    while not reader.is_empty():
        if reader.long():
            count += 1
            takes_ancestor = True
            continue
        _check_ancestor(reader.long())
        need(takes_ancestor, "an ancestor without a header, or the second of one header")
        takes_ancestor = False
    return count


def read_finality(reader: Reader) -> FinalityEvidence:
    """``length:u32 ‖ evidence ‖ length:u32 ‖ link ‖ count:u16 ‖ (length:u32 ‖ step)*``."""
    evidence = Reader(reader.long(EVIDENCE_BYTES_MAX))
    kind = evidence.u8()
    need(kind in KINDS, f"evidence of an unknown kind {kind:#04x}")
    rest = Reader(evidence.long())
    evidence.finish("evidence")
    number, block_hash = rest.u64(), rest.hash()
    body = rest.take(rest.remaining())
    link_count = _link_count(reader.long(LINK_BYTES_MAX))
    need(reader.remaining() <= STEPS_BYTES_MAX, "more than 2 MiB of steps")
    steps = [reader.long() for _ in range(reader.u16())]
    return FinalityEvidence(KINDS[kind], number, block_hash, body, link_count, steps)
