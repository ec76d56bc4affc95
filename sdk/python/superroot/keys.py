"""Keys that a client pins: C2SP ``vkey``. docs/protocol/log.md."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from hashlib import sha256
from typing import Optional

from . import _ed25519
from .errors import NoteError
from .statement import has_white_space_or_plus

LOG, WITNESS = "log", "witness"
_KINDS = {1: LOG, 4: WITNESS}


def decode_base64(text: str) -> Optional[bytes]:
    """RFC 4648 section 4 with padding and no stray bits; ``None`` for anything else."""
    try:
        raw = text.encode("ascii")
        decoded = base64.b64decode(raw, validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        return None
    return decoded if base64.b64encode(decoded) == raw else None


def is_name(name: str) -> bool:
    """A key's name: not empty, no white space, control character or ``+``."""
    has_control = any(letter < " " or "\x7f" <= letter <= "\x9f" for letter in name)
    return bool(name) and not has_control and not has_white_space_or_plus(name)


@dataclass(frozen=True)
class VerifierKey:
    """A ``vkey``: ``name+id+base64(kind ‖ public key)``. ``kind`` is ``log`` or ``witness``."""

    name: str
    kind: str
    public_key: bytes
    key_id: bytes
    text: str

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """Raises :class:`NoteError` with the fault ``key``."""
        parts = text.split("+", 2)
        if len(parts) != 3:
            raise NoteError("key", "a key is name+id+base64, the id in 8 hex digits")
        name, hex_id, encoded = parts
        raw = decode_base64(encoded)
        is_hex = len(hex_id) == 8 and all(digit in "0123456789abcdefABCDEF" for digit in hex_id)
        if not raw or not is_hex:
            raise NoteError("key", "a key is name+id+base64, the id in 8 hex digits")
        kind, public_key = _KINDS.get(raw[0]), raw[1:]
        if kind is None or not _ed25519.is_point(public_key):
            raise NoteError("key", "the key is neither an Ed25519 key of a log (01) nor one of a witness (04)")
        if not is_name(name):
            raise NoteError("key", "the name of a key is not empty and has no white space and no plus sign")
        key_id = sha256(name.encode("utf-8", "surrogatepass") + b"\n" + raw).digest()[:4]
        if key_id.hex() != hex_id.lower():
            raise NoteError("key", "the id is not that of this name and key")
        return cls(name, kind, public_key, key_id, f"{name}+{key_id.hex()}+{encoded}")

    def __str__(self) -> str:
        return self.text
