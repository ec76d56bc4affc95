"""Ed25519 as docs/protocol/log.md asks: without cofactor, ``s`` below the group's order, neither the key nor R of
small order.

``cryptography`` checks the signature: OpenSSL recomputes R without cofactor and compares bytes, and refuses an ``s`` at
or above the order. What OpenSSL does not refuse, points of small order, is refused here. ``pycryptodome`` multiplies by
the cofactor: of 108 signatures with points of mixed order it judged 73 otherwise than the service's own verifier.
``PyNaCl`` judged all of them alike; ``cryptography`` is typed and in more installations already.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
_SIGN = 1 << 255
_Y8 = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
#: y of the eight points whose order divides 8.
_SMALL = frozenset((0, 1, P - 1, _Y8, P - _Y8))


def _y(encoded: bytes) -> int:
    return (int.from_bytes(encoded, "little") & (_SIGN - 1)) % P


def is_point(encoded: bytes) -> bool:
    """Whether 32 bytes are a point: some x has ``x² = (y² - 1) / (d y² + 1)``. Any y below 2^255 is read."""
    if len(encoded) != 32:
        return False
    square = _y(encoded) ** 2 % P
    ratio = (square - 1) * pow(D * square + 1, P - 2, P) % P
    return ratio == 0 or pow(ratio, (P - 1) // 2, P) == 1


def has_small_order(encoded: bytes) -> bool:
    """Whether a point's order divides 8."""
    return _y(encoded) in _SMALL


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the key signed the message, strictly."""
    if len(key) != 32 or len(signature) != 64:
        return False
    if has_small_order(key) or has_small_order(signature[:32]):
        return False
    if int.from_bytes(signature[32:], "little") >= L:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
