"""Evidence of finality at the end of a file with format 2: docs/protocol/finality.md.

It is read with its bounds. Whether the chain's consensus signed it, ``superroot.check_finality`` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Tuple

from .._bytes import Reader
from ..errors import need
from .kinds import CHECKED_KINDS, KINDS

EVIDENCE_BYTES_MAX = 128 << 10
LINK_BYTES_MAX = 96 << 10
STEPS_BYTES_MAX = 2 << 20
#: Status of a kind that is not checked here, and of one that is.
NOT_CHECKED, NOT_YET_CHECKED = "not checked here", "not checked yet"


@dataclass(frozen=True)
class LinkHeader:
    """A whole header. The next one of the link is its parent, or an ancestor in the header's state: docs/protocol/finality.md,
    "ancestor"."""

    header: bytes
    has_ancestor: bool = False


@dataclass(frozen=True)
class FinalityEvidence:
    """Evidence as a file carries it. Nothing of it is shown before ``superroot.check_finality``.

    ``number`` is a claim where the kind does not bind it; ``link`` leads from ``block_hash`` down to the proof's block,
    newest first; ``steps`` lead in order from an earlier set of signers to the signing one.
    """

    kind: str
    number: int
    block_hash: bytes
    body: bytes
    link: Tuple[LinkHeader, ...]
    steps: List[bytes]

    @property
    def status(self) -> str:
        """``not checked here`` for the kinds that are signed with BLS, else ``not checked yet``."""
        return NOT_YET_CHECKED if self.kind in CHECKED_KINDS else NOT_CHECKED

    @property
    def link_count(self) -> int:
        return len(self.link)


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


def _read_link(data: bytes) -> Tuple[LinkHeader, ...]:
    """Headers of the link. Nothing before a length of 0 means: an ancestor for the header before, at most one each."""
    reader = Reader(data)
    headers: List[LinkHeader] = []
    while not reader.is_empty():
        header = reader.long()
        if header:
            headers.append(LinkHeader(header))
            continue
        _check_ancestor(reader.long())
        takes_ancestor = bool(headers) and not headers[-1].has_ancestor
        need(takes_ancestor, "an ancestor without a header, or the second of one header")
        headers[-1] = LinkHeader(headers[-1].header, True)
    return tuple(headers)


def read_finality(reader: Reader) -> FinalityEvidence:
    """``length:u32 ‖ evidence ‖ length:u32 ‖ link ‖ count:u16 ‖ (length:u32 ‖ step)*``."""
    evidence = Reader(reader.long(EVIDENCE_BYTES_MAX))
    kind = evidence.u8()
    need(kind in KINDS, f"evidence of an unknown kind {kind:#04x}")
    rest = Reader(evidence.long())
    evidence.finish("evidence")
    number, block_hash = rest.u64(), rest.hash()
    body = rest.take(rest.remaining())
    link = _read_link(reader.long(LINK_BYTES_MAX))
    need(reader.remaining() <= STEPS_BYTES_MAX, "more than 2 MiB of steps")
    steps = [reader.long() for _ in range(reader.u16())]
    return FinalityEvidence(KINDS[kind].name, number, block_hash, body, link, steps)
