"""Signed notes and their checkpoints: docs/protocol/log.md (C2SP signed-note, tlog-checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from . import _ed25519
from .errors import NoteError
from .keys import WITNESS, VerifierKey, decode_base64, is_name
from .policy import WitnessPolicy

NOTE_BYTES_MAX = 64 << 10
SIGNATURES_MAX = 100
_DASH = "\u2014 "
_U64_MAX = (1 << 64) - 1


@dataclass(frozen=True)
class Note:
    """Signed text. A signature counts only under a key from the client."""

    text: str
    signatures: Tuple[Tuple[str, bytes, bytes], ...]

    @classmethod
    def parse(cls, note: str) -> "Note":
        """Raises :class:`NoteError` with the fault ``note``."""
        wrong = NoteError("note", "not a signed note: lines of text, an empty line, then 1 to 100 signatures")
        try:
            is_long = len(note.encode("utf-8")) > NOTE_BYTES_MAX
        except UnicodeEncodeError:
            raise wrong from None
        if is_long or any((letter < " " and letter != "\n") or letter == "\x7f" for letter in note):
            raise wrong
        text, gap, lines = note.rpartition("\n\n")
        if not gap or not lines.endswith("\n"):
            raise wrong
        signatures = [_signature(line) for line in lines[:-1].split("\n", SIGNATURES_MAX)]
        read = tuple(signature for signature in signatures if signature is not None)
        if len(read) != len(signatures) or len(read) > SIGNATURES_MAX:
            raise wrong
        return cls(text + "\n", read)

    def verify(self, key: VerifierKey) -> Optional[int]:
        """Time of a witness's cosignature in Unix seconds, ``None`` for a log's signature.

        Raises :class:`NoteError`: ``unsigned`` without a line of the key, ``signature`` if the first such line is
        invalid.
        """
        for name, key_id, signature in self.signatures:
            if name == key.name and key_id == key.key_id:
                break
        else:
            raise NoteError("unsigned", "the note has no signature of that key")
        time: Optional[int] = None
        message = self.text
        if key.kind == WITNESS:
            time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            message = f"cosignature/v1\ntime {time}\n{self.text}"
        if not _ed25519.verify(key.public_key, message.encode("utf-8"), signature):
            raise NoteError("signature", "the signature under the key's name does not hold")
        return time

    def is_signed_by(self, key: VerifierKey) -> bool:
        try:
            self.verify(key)
        except NoteError:
            return False
        return True


def _signature(line: str) -> Optional[Tuple[str, bytes, bytes]]:
    """Name, key id and signature of a line."""
    if not line.startswith(_DASH):
        return None
    name, space, encoded = line[len(_DASH) :].partition(" ")
    raw = decode_base64(encoded) if space else None
    if raw is None or len(raw) < 5 or not is_name(name):
        return None
    return name, raw[:4], raw[4:]


@dataclass(frozen=True)
class Checkpoint:
    """A log's size and root."""

    origin: str
    size: int
    root: bytes

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Raises :class:`NoteError` with the fault ``checkpoint``."""
        lines = text[:-1].split("\n")
        root = decode_base64(lines[2]) if len(lines) >= 3 else None
        if not text.endswith("\n") or not all(lines) or root is None or len(root) != 32:
            raise NoteError("checkpoint", "the text of the note is no checkpoint: origin, size, root")
        decimal = lines[1]
        is_plain = len(decimal) <= 20 and decimal.isascii() and decimal.isdigit()
        if not is_plain or str(int(decimal)) != decimal or int(decimal) > _U64_MAX:
            raise NoteError("checkpoint", "the size is no number in decimal")
        return cls(lines[0], int(decimal), root)


def check_signed(note: Note, checkpoint: Checkpoint, key: VerifierKey, policy: WitnessPolicy) -> None:
    """Raises :class:`NoteError` if the key or the policy's witnesses did not sign, or for another origin."""
    note.verify(key)
    if checkpoint.origin != key.name:
        raise NoteError("origin", f"the note is of {checkpoint.origin!r}, the key is of {key.name!r}")
    if not policy.is_met(note):
        raise NoteError("quorum", "the note has not the witnesses that the policy asks for")


def read_note(text: str, key: VerifierKey, policy: Optional[WitnessPolicy] = None) -> Checkpoint:
    """Checkpoint of a note signed by the key, and by the witnesses that the policy asks for.

    Raises :class:`NoteError`; its ``fault`` is the first failure, ``signature`` also where the key signed nothing.
    """
    note = Note.parse(text)
    try:
        note.verify(key)
    except NoteError as error:
        raise NoteError("signature", error.reason) from None
    checkpoint = Checkpoint.parse(note.text)
    check_signed(note, checkpoint, key, policy or WitnessPolicy.none())
    return checkpoint
