"""Reads a ``.srproof`` file: docs/protocol/files.md. Bounded, and only in its one encoding. Nothing is believed yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple, Union

from . import ledgers
from ._bytes import Reader
from ._hash import keccak256
from ._trees import EMPTY, range_path_length
from .errors import Refused, at, need
from .finality import FinalityEvidence, read_finality
from .statement import ABSENCE, BLOCK, EVENT, FAMILIES, TRANSACTION, Statement, Subject

MAGIC = b"SRPROOF"
FILE_BYTES_MAX = 16 << 20
NOTE_BYTES_MAX = 64 << 10
TWIG_HEIGHT = 11
SUPER_ROOT_HEIGHT = 6
PREIMAGE_BYTES = 82

_TRANSACTION, _RECEIPT, _HEADER, _TWIG, _SEALED, _OPEN, _SUPER_ROOT, _NOTE = (1 << bit for bit in range(8))
_MORE_FINALITY = 1


@dataclass(frozen=True)
class RegistryOpening:
    """The chain's profile and its way to slot 55."""

    profile: bytes
    row: int
    count: int
    row_siblings: List[bytes]
    siblings: List[bytes]


@dataclass(frozen=True)
class NotePath:
    """A signed note, and the path of the SuperRoot in the note's log."""

    note: str
    siblings: List[bytes]


@dataclass(frozen=True)
class SuperRootPart:
    siblings: List[bytes]
    preimage: bytes
    registry: RegistryOpening
    note: Optional[NotePath]


@dataclass(frozen=True)
class SealedPart:
    leaf_index: int
    leaf_count: int
    siblings: List[bytes]
    root: bytes


@dataclass(frozen=True)
class OpenPart:
    start: int
    number: int
    block_hash: bytes


@dataclass(frozen=True)
class TwigPart:
    siblings: List[bytes]
    root: bytes


@dataclass(frozen=True)
class ProofFile:
    """Parts of a file. A part without the parts before it does not occur."""

    origin: str
    statement: Statement
    entry: Optional[ledgers.Entry]
    header: Optional[bytes]
    block_hash: Optional[bytes]
    twig: Optional[TwigPart]
    place: Union[SealedPart, OpenPart, None]
    super_root: Optional[SuperRootPart]
    finality: Optional[FinalityEvidence]


def _utf8(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(f"the {what} is not UTF-8") from None


def _subject(reader: Reader) -> Subject:
    kind = reader.u8()
    need(kind <= 3, "a subject of an unknown kind")
    if kind == 0:
        return Subject(BLOCK)
    tx_index = reader.u32()
    if kind == 2:
        return Subject(EVENT, tx_index, reader.u32())
    return Subject(TRANSACTION if kind == 1 else ABSENCE, tx_index)


def _statement(reader: Reader) -> Statement:
    family = reader.u8()
    need(family < len(FAMILIES), "no such ledger family")
    return Statement(family, reader.u64(), reader.u64(), _subject(reader))


def _check_parts(parts: int) -> None:
    """Parts build on those before them."""

    def builds_on(part: int, below: int) -> bool:
        return not parts & part or bool(parts & below)

    is_sound = (
        builds_on(_TWIG, _HEADER)
        and builds_on(_SEALED | _OPEN, _TWIG)
        and parts & (_SEALED | _OPEN) != _SEALED | _OPEN
        and builds_on(_SUPER_ROOT, _SEALED | _OPEN)
        and builds_on(_OPEN, _SUPER_ROOT)
        and builds_on(_NOTE, _SUPER_ROOT)
    )
    need(is_sound, f"the parts {parts:#010b} do not make a proof")


def _perfect_path(reader: Reader, height: int) -> List[bytes]:
    """``mask ‖ sibling*``: a set bit leaves out a sibling that is the empty tree, which is never written."""
    mask = reader.u16()
    need(mask >> height == 0, "a path's mask has bits past its height")
    siblings: List[bytes] = []
    for level in range(height):
        empty = EMPTY[level]
        if mask >> level & 1:
            siblings.append(empty)
            continue
        sibling = reader.hash()
        need(sibling != empty, "a path writes a sibling that is the empty tree")
        siblings.append(sibling)
    return siblings


def _sealed(reader: Reader) -> SealedPart:
    leaf_index, leaf_count = reader.u64(), reader.u64()
    siblings = reader.hashes(range_path_length(leaf_index, leaf_count))
    return SealedPart(leaf_index, leaf_count, siblings, reader.hash())


def _note(reader: Reader) -> NotePath:
    note = _utf8(reader.long(NOTE_BYTES_MAX), "note")
    return NotePath(note, reader.hashes(reader.u8()))


def _super_root(reader: Reader, has_note: bool) -> SuperRootPart:
    siblings = _perfect_path(reader, SUPER_ROOT_HEIGHT)
    preimage = reader.take(PREIMAGE_BYTES)
    profile = reader.take(reader.u16())
    row, count = reader.u8(), reader.u8()
    row_siblings = _perfect_path(reader, SUPER_ROOT_HEIGHT)
    opening = RegistryOpening(profile, row, count, row_siblings, _perfect_path(reader, SUPER_ROOT_HEIGHT))
    return SuperRootPart(siblings, preimage, opening, _note(reader) if has_note else None)


def _head(data: bytes) -> Tuple[Reader, bool, str, Statement, int]:
    """Everything up to the parts: the reader, whether finality follows, origin, statement, parts."""
    need(len(data) <= FILE_BYTES_MAX, f"a proof of {len(data)} bytes, at most {FILE_BYTES_MAX} are read")
    reader = Reader(data)
    need(data[: len(MAGIC)] == MAGIC, "not a proof file: it does not begin with SRPROOF")
    reader.take(len(MAGIC))
    version = reader.u8()
    need(version in (1, 2), f"proof file of format {version}, this verifier reads formats 1 and 2")
    origin = _utf8(reader.take(reader.u8()), "origin")
    statement = _statement(reader)
    check = keccak256(data[: reader.at])[:4]
    need(reader.take(4) == check, "the statement is damaged: its check does not fit")
    parts = reader.u8()
    _check_parts(parts)
    has_finality = version == 2
    need(not has_finality or reader.u8() == _MORE_FINALITY, "the file has parts that this verifier does not know")
    return reader, has_finality, origin, statement, parts


def read_part(data: bytes) -> ProofFile:
    """Reads a file inside another; refuses without naming a step."""
    reader, has_finality, origin, statement, parts = _head(data)
    entry = None
    if parts & (_TRANSACTION | _RECEIPT):
        there = bool(parts & _TRANSACTION), bool(parts & _RECEIPT)
        entry = ledgers.read_entry(statement.family, statement.subject, there[0], there[1], reader)
    header = reader.long() if parts & _HEADER else None
    block_hash = reader.hash() if parts & _HEADER else None
    twig = TwigPart(_perfect_path(reader, TWIG_HEIGHT), reader.hash()) if parts & _TWIG else None
    place: Union[SealedPart, OpenPart, None] = None
    if parts & _SEALED:
        place = _sealed(reader)
    elif parts & _OPEN:
        place = OpenPart(reader.u64(), reader.u64(), reader.hash())
    super_root = _super_root(reader, bool(parts & _NOTE)) if parts & _SUPER_ROOT else None
    finality = read_finality(reader) if has_finality else None
    reader.finish("proof")
    return ProofFile(origin, statement, entry, header, block_hash, twig, place, super_root, finality)


def read_proof(data: bytes) -> ProofFile:
    """Reads a file.

    Raises :class:`ProofError` with the step ``encoding`` for anything that is not a proof in its one encoding.
    """
    with at("encoding"):
        return read_part(bytes(data))
