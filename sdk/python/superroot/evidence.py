"""Evidence that one key signed two histories: docs/protocol/log.md, "Evidence of a fork"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Type, Union

from ._hash import sha256_node, sha256_of
from ._member import BodyError, Disagreement, Member, compare, hexed, parse_body
from ._trees import range_root
from .consistency import History, preimage_of
from .errors import NoteError, Refused
from .facts import SuperRoot
from .keys import LOG, VerifierKey
from .note import NOTE_BYTES_MAX, Checkpoint, Note, read_note
from .statement import log_id
from .verifier import read_preimage

_PATH_MAX = 128


class EvidenceError(Exception):
    """Evidence that shows nothing. ``fault`` is ``body``, ``key``, ``note``, ``origins``, ``sizes``, ``entry``, ``path``,
    ``opening`` or ``agree``. ``is_readable`` is false for what is no evidence at all."""

    def __init__(self, fault: str, reason: str, is_readable: bool = True) -> None:
        super().__init__(f"{fault}: {reason}")
        self.fault = fault
        self.reason = reason
        self.is_readable = is_readable

    def __reduce__(self) -> Tuple[Type[Exception], Tuple[object, ...]]:
        return type(self), (self.fault, self.reason, self.is_readable)


@dataclass(frozen=True)
class Contradiction:
    """The key signed two roots for a log of this size."""

    key: VerifierKey
    origin: str
    size: int
    roots: Tuple[bytes, bytes]


@dataclass(frozen=True)
class _Entry:
    super_root: SuperRoot
    path: List[bytes]
    history: History


@dataclass(frozen=True)
class _Evidence:
    key: VerifierKey
    notes: List[str]
    entry: Optional[_Entry]


def _note(member: Member) -> str:
    text = member.text()
    if len(text.encode("utf-8", "surrogatepass")) > NOTE_BYTES_MAX:
        raise member.wrong("a note of at most 64 KiB")
    return text


def _read_entry(member: Member) -> _Entry:
    try:
        super_root = read_preimage(member.get("preimage").raw())
    except Refused as error:
        raise BodyError(str(error)) from None
    opening = member.get("history")
    leaf_count, log_root = opening.get("leafCount").integer(), opening.get("logRoot").hash()
    history = History(leaf_count, log_root, opening.get("siblings").path_of(6))
    return _Entry(super_root, member.get("inclusionPath").hashes(_PATH_MAX), history)


def _entry_json(entry: _Entry) -> Dict[str, Any]:
    history = {
        "leafCount": entry.history.leaf_count, "logRoot": hexed(entry.history.log_root),
        "siblings": [hexed(one) for one in entry.history.siblings],
    }
    preimage = hexed(preimage_of(entry.super_root))
    path = [hexed(one) for one in entry.path]
    return {"index": entry.super_root.sequence, "preimage": preimage, "inclusionPath": path, "history": history}


def _read(body: Dict[str, Any]) -> _Evidence:
    root = Member(body, is_snake=True)
    kind = root.get("evidence").text()
    if kind not in ("two_notes", "another_history"):
        raise root.get("evidence").wrong("two_notes or another_history")
    entry = _read_entry(root.get("entry")) if kind == "another_history" else None
    try:
        key = VerifierKey.parse(root.get("key").text())
    except NoteError as error:
        raise BodyError(error.reason) from None
    notes = root.get("notes").list_of(2, _note)
    if len(notes) != 2:
        raise root.get("notes").wrong("a list of 2 notes")
    if entry is None and root.optional("entry") is not None:
        raise root.get("entry").wrong("no entry in two_notes")
    proven: Dict[str, Any] = {"evidence": kind, "key": str(key), "notes": notes}
    if entry is not None:
        proven["entry"] = _entry_json(entry)
    unproven = compare(body, proven)
    if any(name.startswith("entry.") for name in unproven):
        raise BodyError("an entry with unknown members")
    return _Evidence(key, notes, entry)


def _signed(evidence: _Evidence, text: str) -> Checkpoint:
    """Checkpoint that the key signed; with an entry, its origin is the key's name."""
    try:
        if evidence.entry is not None:
            return read_note(text, evidence.key)
        note = Note.parse(text)
        note.verify(evidence.key)
        return Checkpoint.parse(note.text)
    except NoteError as error:
        raise EvidenceError("note", error.reason) from None


def _other_root(entry: _Entry, key: VerifierKey, first: Checkpoint, second: Checkpoint) -> bytes:
    """Root of the history of ``first``'s size to which the log of ``second`` commits."""
    super_root = entry.super_root
    if super_root.sequence != first.size:
        raise EvidenceError("entry", f"the entry is SuperRoot {super_root.sequence}, the smaller note has {first.size}")
    try:
        is_its = log_id(key.name) == super_root.log_id
    except Refused:
        is_its = False
    if not is_its:
        raise EvidenceError("entry", "the entry is of another log")
    leaf = sha256_of(b"\x00" + preimage_of(super_root))
    try:
        root = range_root(leaf, super_root.sequence, second.size, entry.path, sha256_node)
    except Refused as error:
        raise EvidenceError("path", str(error)) from None
    if root != second.root:
        raise EvidenceError("path", "the entry is not in the log of the larger note")
    try:
        entry.history.check(super_root)
    except Refused as error:
        raise EvidenceError("opening", str(error)) from None
    return entry.history.log_root


def verify_evidence(body: Union[bytes, Dict[str, Any]]) -> Contradiction:
    """Checks evidence of a fork. It says nothing about any other key: compare the key with the one that you pinned.

    Raises :class:`EvidenceError`.
    """
    try:
        evidence = _read(parse_body(body) if isinstance(body, bytes) else body)
    except BodyError as error:
        raise EvidenceError("body", str(error), isinstance(error, Disagreement)) from None
    except RecursionError:
        raise EvidenceError("body", "members are nested too deep", False) from None
    if evidence.key.kind != LOG:
        raise EvidenceError("key", "the key is that of a witness, not of a log")
    first, second = (_signed(evidence, text) for text in evidence.notes)
    if first.origin != second.origin:
        raise EvidenceError("origins", f"notes of {first.origin!r} and {second.origin!r}")
    if evidence.entry is None:
        if first.size != second.size:
            raise EvidenceError("sizes", "two notes are of one size")
        other = second.root
    else:
        if first.size >= second.size:
            raise EvidenceError("sizes", "the first note is the smaller")
        other = _other_root(evidence.entry, evidence.key, first, second)
    if other == first.root:
        raise EvidenceError("agree", "both say the same root: nothing is contradicted")
    return Contradiction(evidence.key, first.origin, first.size, (first.root, other))
