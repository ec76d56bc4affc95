"""Signatures by number of a member, and by scheme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, List, Optional

from .. import _ed25519
from .._bytes import Reader
from .._hash import keccak256
from .._secp256k1 import is_signed_by_key
from ..errors import need

ED25519_KEY_BYTES, UNCOMPRESSED_KEY_BYTES = 32, 65
SIGNATURE_BYTES = 64


@dataclass(frozen=True)
class KeyScheme:
    """Signature scheme of validators: bytes of a key, its field in message ``PublicKey``, and whether a signature is valid;
    ``None`` for an invalid key."""

    key_bytes: int
    field: int
    is_signed: Callable[[bytes, bytes, bytes], Optional[bool]]


def is_signed_by_ed25519(key: bytes, message: bytes, signature: bytes) -> Optional[bool]:
    """RFC 8032 without the cofactor, strictly; ``None`` where the key is no point."""
    if _ed25519.verify(key, message, signature):
        return True
    return False if _ed25519.is_point(key) else None


def _is_signed_by_secp256k1(key: bytes, message: bytes, signature: bytes) -> Optional[bool]:
    return is_signed_by_key(key, keccak256(message), signature)


ED25519 = KeyScheme(ED25519_KEY_BYTES, 1, is_signed_by_ed25519)
#: Signatures are over Keccak-256.
SECP256K1 = KeyScheme(UNCOMPRESSED_KEY_BYTES, 3, _is_signed_by_secp256k1)


def read_bits(reader: Reader, count: int) -> List[int]:
    """The numbers of the bits that are set among ``count``, the lowest bit of the first byte first. A bit past them is
    malformed."""
    data = reader.take((count + 7) // 8)
    bits = int.from_bytes(data, "little")
    need(bits >> count == 0, "a bit past the last member")
    return [index for index in range(count) if bits >> index & 1]
