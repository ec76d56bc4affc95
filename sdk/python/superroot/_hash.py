"""Hash functions.

Everything but Keccak-256 is in ``hashlib`` (SHA-2, SHA3-256, BLAKE2b). ``hashlib.sha3_256`` pads otherwise than
Keccak-256, so Keccak comes from ``pycryptodome``: maintained, typed, with wheels for all platforms, written in C.
"""

from __future__ import annotations

from hashlib import blake2b, sha3_256, sha256

from Crypto.Hash import keccak as _keccak

_new = _keccak.new


def keccak256(data: bytes) -> bytes:
    """``H`` of docs/protocol.md."""
    return _new(digest_bits=256, data=data).digest()


def node(left: bytes, right: bytes) -> bytes:
    """Inner node of a Keccak tree: ``H(01 ‖ left ‖ right)``."""
    return _new(digest_bits=256, data=b"\x01" + left + right).digest()


def sha256_of(data: bytes) -> bytes:
    return sha256(data).digest()


def sha256d(data: bytes) -> bytes:
    return sha256(sha256(data).digest()).digest()


def sha256_node(left: bytes, right: bytes) -> bytes:
    """Inner node of an RFC 6962 tree."""
    return sha256(b"\x01" + left + right).digest()


def sha3_256_of(data: bytes) -> bytes:
    return sha3_256(data).digest()


def blake2b_256(data: bytes) -> bytes:
    return blake2b(data, digest_size=32).digest()
