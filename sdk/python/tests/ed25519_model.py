"""Ed25519 over integers, slow and plain: makes signatures at the edges, and says by definition which are accepted."""

from __future__ import annotations

from hashlib import sha512
from typing import List, Optional, Tuple

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
Point = Tuple[int, int]
ZERO: Point = (0, 1)


def add(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    both = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + both, P - 2, P) % P
    return x, (y1 * y2 + x1 * x2) * pow(1 - both, P - 2, P) % P


def multiply(times: int, point: Point) -> Point:
    """In projective coordinates (X, Y, Z), which take one inversion at the end."""
    result, base = (0, 1, 1), (point[0], point[1], 1)
    while times:
        if times & 1:
            result = _add_projective(result, base)
        base = _add_projective(base, base)
        times >>= 1
    x, y, z = result
    inverse = pow(z, P - 2, P)
    return x * inverse % P, y * inverse % P


def _add_projective(one: Tuple[int, int, int], other: Tuple[int, int, int]) -> Tuple[int, int, int]:
    (x1, y1, z1), (x2, y2, z2) = one, other
    a = z1 * z2 % P
    b, c, d = a * a % P, x1 * x2 % P, y1 * y2 % P
    e = D * c * d % P
    f, g = (b - e) % P, (b + e) % P
    x = a * f * ((x1 + y1) * (x2 + y2) - c - d) % P
    return x, a * g * (d + c) % P, f * g % P


def negate(point: Point) -> Point:
    return -point[0] % P, point[1]


def decode(encoded: bytes) -> Optional[Point]:
    """Any y below 2^255 is read, also in a form that is not its one."""
    whole = int.from_bytes(encoded, "little")
    sign, y = whole >> 255, (whole & ((1 << 255) - 1)) % P
    ratio = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(ratio, (P + 3) // 8, P)
    if x * x % P != ratio:
        x = x * ROOT_OF_MINUS_1 % P
    if x * x % P != ratio:
        return None
    return (-x % P if x & 1 != sign else x), y


def encode(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def _base() -> Point:
    point = decode(bytes([0x58]) + bytes([0x66]) * 31)
    if point is None:
        raise ValueError("the base point is not on the curve")
    return point


BASE = _base()


def torsion() -> List[Point]:
    """The eight points whose order divides 8."""
    order_8 = decode(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"))
    if order_8 is None:
        raise ValueError("the point of order 8 is not on the curve")
    return [multiply(times, order_8) for times in range(8)]


def challenge(r: bytes, key: bytes, message: bytes) -> int:
    return int.from_bytes(sha512(r + key + message).digest(), "little") % L


def sign(secret: int, message: bytes, key_torsion: Point, r_torsion: Point, nonce: int) -> Tuple[bytes, bytes]:
    """Key and signature, each with an added point of small order."""
    key = encode(add(multiply(secret, BASE), key_torsion))
    r = encode(add(multiply(nonce, BASE), r_torsion))
    s = (nonce + challenge(r, key, message) * secret) % L
    return key, r + s.to_bytes(32, "little")


def accepts(key: bytes, message: bytes, signature: bytes) -> bool:
    """Strictly: without cofactor, s below L, neither the key nor R of small order, R in its one form."""
    own, nonce = decode(key), decode(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if own is None or nonce is None or s >= L:
        return False
    if ZERO in (multiply(8, own), multiply(8, nonce)):
        return False
    expected = add(multiply(s, BASE), negate(multiply(challenge(signature[:32], key, message), own)))
    return encode(expected) == signature[:32]
