"""Headers of Polkadot with GRANDPA's changes and BABE's slot in their digests, and votes for them: docs/protocol/polkadot.md,
docs/protocol/validators.md. Sources: paritytech/polkadot-sdk ``sp-consensus-grandpa`` ``lib.rs`` (``ConsensusLog``),
``sp-consensus-babe`` ``digests.rs`` (``PreDigest``).

    body, step set:u64 ‖ round:u64 ‖ count:u8 ‖ (length:u32 ‖ header)*count ‖ authority_count:u16 ‖ bits ‖
               (place:u8 ‖ signature:64)*
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence, Tuple

from .._bytes import Reader
from ..errors import need
from ..ledgers import Header
from ..ledgers.polkadot import read_compact, read_header
from .signed import ED25519_KEY_BYTES, SIGNATURE_BYTES, read_bits
from .verdict import bad_header, bad_link, encoding, order, reading

#: Most headers of a body: the block and descendants.
_HEADERS_MAX = 65
_AUTHORITIES_MAX = 1_024
_NUMBER_MAX = 0xFFFF_FFFF
#: Kinds of digest items.
_CONSENSUS, _PRE_RUNTIME = 4, 6
#: ``ConsensusLog``: others than these two, from 3 to 5, change nothing.
_SCHEDULED, _FORCED = 1, 2
_AUTHORITY_BYTES = ED25519_KEY_BYTES + 8


@dataclass(frozen=True)
class Authority:
    """An Ed25519 key and its weight."""

    key: bytes
    weight: int


@dataclass(frozen=True)
class NamedHeader:
    """A header, its slot if it has one, and ``next``: the authorities behind the block, if they change."""

    block_hash: bytes
    parent_hash: bytes
    number: int
    slot: Optional[int]
    next: Optional[Tuple[Authority, ...]]


@dataclass(frozen=True)
class Vote:
    """``place`` of the voted header: 0 for the block."""

    index: int
    place: int
    signature: bytes


@dataclass(frozen=True)
class GrandpaBody:
    """``line``: the block and descendants, each the parent of the next."""

    set_number: int
    round: int
    line: List[NamedHeader]
    authority_count: int
    votes: List[Vote]


def _items(header: Header, kind: int, engine: bytes) -> Iterator[bytes]:
    """Contents of the digest items with this kind and engine, in order."""
    for item in header.fields["digest"]:
        if item[0] == kind and item[1:5] == engine:
            reader = Reader(item[5:])
            yield reader.take(read_compact(reader))


def _babe_slot(header: Header) -> Optional[int]:
    """Slot in BABE's first pre-runtime item."""
    content = next(_items(header, _PRE_RUNTIME, b"BABE"), b"")
    if len(content) < 13 or not 1 <= content[0] <= 3:
        return None
    return int.from_bytes(content[5:13], "little")


@dataclass(frozen=True)
class _Change:
    """A change of authorities; ``next`` is ``None`` for a forced one."""

    next: Optional[Tuple[Authority, ...]]
    delay: int = 0


def _read_scheduled(data: bytes) -> _Change:
    reader = Reader(data)
    count = read_compact(reader)
    need(count * _AUTHORITY_BYTES <= reader.remaining(), "the authorities are cut short")
    members = tuple(Authority(reader.take(ED25519_KEY_BYTES), reader.u64_little()) for _ in range(count))
    delay = reader.u32_little()
    reader.finish("change of authorities")
    return _Change(members, delay)


def _change(header: Header) -> Optional[_Change]:
    """Change of GRANDPA's authorities, if any; two are malformed."""
    changes: List[_Change] = []
    for content in _items(header, _CONSENSUS, b"FRNK"):
        log = content[0] if content else 0
        if log == _SCHEDULED:
            changes.append(_read_scheduled(content[1:]))
        elif log == _FORCED:
            changes.append(_Change(None))
        else:
            need(3 <= log <= 5, "an unknown message of GRANDPA")
    need(len(changes) <= 1, "two changes of authorities")
    return changes[0] if changes else None


def read_named_header(data: bytes) -> NamedHeader:
    """A whole header, with the authorities behind the block if they change. Raises ``Refusal``."""
    with reading("header"):
        header = read_header(0, data)
        change = _change(header)
        number = header.number or 0
    if change is not None and change.next is None:
        raise bad_header(number, "a change of authorities is forced: pin again")
    if change is not None and change.delay != 0:
        raise bad_header(number, "a change of authorities is delayed, expected one behind the block")
    named = None if change is None else change.next
    return NamedHeader(header.block_hash, header.parent_hash or b"", number, _babe_slot(header), named)


def _voted(header: NamedHeader) -> NamedHeader:
    """A header whose number fits in a vote."""
    if header.number > _NUMBER_MAX:
        raise bad_header(header.number, "the number has more than 32 bits")
    return header


def _read_line(headers: Sequence[bytes]) -> List[NamedHeader]:
    """A block and descendants, each the parent of the next; only the last may name authorities."""
    if not headers:
        raise encoding("header")
    line = [_voted(read_named_header(headers[0]))]
    for index, data in enumerate(headers[1:], 1):
        above = line[-1]
        header = read_named_header(data)
        if header.parent_hash != above.block_hash or header.number != above.number + 1:
            raise bad_link(index)
        if above.next is not None:
            raise order("a vote is for a block past the set's last")
        line.append(_voted(header))
    return line


def _read_votes(reader: Reader, authority_count: int, header_count: int) -> List[Vote]:
    """Bits by authority, then a vote a bit, and nothing else; the last header has a vote."""
    need(authority_count <= _AUTHORITIES_MAX, "more than 1,024 authorities")
    indices = read_bits(reader, authority_count)
    votes = [Vote(index, reader.u8(), reader.take(SIGNATURE_BYTES)) for index in indices]
    reader.finish("votes")
    last = max((vote.place for vote in votes), default=0)
    need(last + 1 == header_count, "a header without a vote, or a vote without its header")
    return votes


def read_body(data: bytes) -> GrandpaBody:
    """Votes and the headers that they are for. Raises ``Refusal``."""
    with reading("votes"):
        reader = Reader(data)
        set_number, round_number, count = reader.u64(), reader.u64(), reader.u8()
        need(count <= _HEADERS_MAX, "more than 65 headers")
        headers = [reader.long() for _ in range(count)]
        authority_count = reader.u16()
        votes = _read_votes(reader, authority_count, count)
    return GrandpaBody(set_number, round_number, _read_line(headers), authority_count, votes)
