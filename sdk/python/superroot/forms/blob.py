"""What is behind a SuperRoot except the block leaves: docs/protocol/log.md. Every slot is computed again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from .._hash import sha256_node, sha256_of
from .._member import Member, compare, root_member
from .._trees import range_root
from ..consistency import Blob, preimage_of
from ..consistency_json import TWIGS_MAX, blob_json, read_blob, read_twig, twig_json
from ..errors import NoteError, Refused, at, need
from ..facts import RootFacts, ShownNote
from ..note import Checkpoint, Note
from ..statement import SAFE_INTEGER_MAX, log_id
from ..trust import Trust, TrustedSuperRoot
from .answer import Body, parsed

_PATH_MAX = 64


@dataclass(frozen=True)
class BlobFacts:
    """The content of a SuperRoot. Which twigs were sealed since the one before, ``appended_count`` of them, is the
    service's word: only the blob before shows it. ``unproven``: paths of other members that nothing shows."""

    blob: Blob
    appended_count: int
    unproven: List[str]
    root: RootFacts


def is_blob(body: Any) -> bool:
    return isinstance(body, dict) and "slots" in body and ("superRoot" in body or "super_root" in body)


def check_blob(body: Any) -> BlobFacts:
    """Checks the content of a blob, and judges no anchor.

    Raises :class:`ProofError`: ``body``, or ``blob`` where the content is not the SuperRoot's.
    """
    with at("body"):
        if not isinstance(body, dict):
            raise Refused("the body is no JSON object")
        root = root_member(body, "miniMmrs")
        blob = read_blob(root)
        count = root.get("appendedTwigCount").integer()
        listed = root.optional("appendedTwigs")
        twigs = None if listed is None else [twig_json(one) for one in listed.list_of(TWIGS_MAX, read_twig)]
        need(twigs is None or len(twigs) == count, "another number of appended twigs")
        unproven = compare(body, {**blob_json(blob), "appendedTwigCount": count, "appendedTwigs": twigs})
    with at("blob"):
        blob.check()
    return BlobFacts(blob, count, [*unproven, "appended_twigs"], RootFacts(blob.super_root))


def _published_note(body: Dict[str, Any], blob: Blob) -> Optional[ShownNote]:
    """The note that an answer publishes with a SuperRoot as the last entry of its log."""
    publication = Member(body, True).optional("publication")
    text = None if publication is None else publication.optional("note")
    if publication is None or text is None:
        return None
    try:
        note = Note.parse(text.text())
        checkpoint = Checkpoint.parse(note.text)
    except NoteError as error:
        raise Refused(error.reason) from None
    super_root = blob.super_root
    need(log_id(checkpoint.origin) == super_root.log_id, "the SuperRoot is of another log than the note")
    need(checkpoint.size == super_root.sequence + 1, "the note ends in another SuperRoot")
    need(checkpoint.size <= SAFE_INTEGER_MAX, "the note is of a size of 2^53 or more")
    leaf = sha256_of(b"\x00" + preimage_of(super_root))
    path = publication.get("siblings").hashes(_PATH_MAX)
    root = range_root(leaf, super_root.sequence, checkpoint.size, path, sha256_node)
    need(root == checkpoint.root, "the SuperRoot leads to another root of the note's log")
    return ShownNote(note, checkpoint)


def with_note(body: Dict[str, Any], shown: BlobFacts) -> BlobFacts:
    """The same with the note next to the blob, if there is one: it and its path hold, and which keys sign now is the
    service's word. Raises :class:`ProofError` with the step ``anchor`` for a note of another SuperRoot."""
    with at("anchor"):
        note = _published_note(body, shown.blob)
    if note is None:
        return shown
    unproven = ["publication.keys" if path == "publication" else path for path in shown.unproven]
    return BlobFacts(shown.blob, shown.appended_count, unproven, RootFacts(shown.blob.super_root, note))


def verify_blob(body: Body, trust: Trust) -> BlobFacts:
    """Checks a blob, and that its SuperRoot is trusted: by its hash, by the note next to it, or by a pin.

    Raises :class:`ProofError`: ``encoding``, ``body``, ``blob`` or ``anchor``.
    """
    read = parsed(body)
    shown = check_blob(read)
    if not isinstance(trust, TrustedSuperRoot):
        shown = with_note(read, shown)
    shown.root.anchor = trust.judge(shown.root)
    return shown
