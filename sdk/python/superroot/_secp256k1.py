"""ECDSA over secp256k1: whether a key signed (SEC 1, 4.1.4), and the address that signed (4.1.6). Nothing here is secret."""

from __future__ import annotations

from typing import Optional, Tuple

from ._hash import keccak256

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
#: Jacobian coordinates; z = 0 is the point at infinity.
_Point = Tuple[int, int, int]
_INFINITY: _Point = (1, 1, 0)
_G: _Point = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    1,
)


def _double(point: _Point) -> _Point:
    x, y, z = point
    b = y * y % P
    c = 4 * x * b % P
    m = 3 * x * x % P
    doubled = (m * m - 2 * c) % P
    return doubled, (m * (c - doubled) - 8 * b * b) % P, 2 * y * z % P


def _add(one: _Point, other: _Point) -> _Point:
    if one[2] == 0:
        return other
    if other[2] == 0:
        return one
    z1, z2 = one[2] * one[2] % P, other[2] * other[2] % P
    u1, u2 = one[0] * z2 % P, other[0] * z1 % P
    s1, s2 = one[1] * z2 * other[2] % P, other[1] * z1 * one[2] % P
    h, r = (u2 - u1) % P, (s2 - s1) % P
    if h == 0:
        return _double(one) if r == 0 else _INFINITY
    h2 = h * h % P
    h3 = h * h2 % P
    v = u1 * h2 % P
    x = (r * r - h3 - 2 * v) % P
    return x, (r * (v - x) - s1 * h3) % P, h * one[2] * other[2] % P


def _sum(first: int, one: _Point, second: int, other: _Point) -> _Point:
    """``first * one + second * other``, both in one row of doublings."""
    table = (_INFINITY, one, other, _add(one, other))
    result = _INFINITY
    for place in range(max(first.bit_length(), second.bit_length()) - 1, -1, -1):
        result = _double(result)
        both = (first >> place & 1) | (second >> place & 1) << 1
        if both:
            result = _add(result, table[both])
    return result


def recover_address(hashed: bytes, r: int, s: int, is_odd: bool) -> Optional[bytes]:
    """The address that signed a hash of 32 bytes; ``None`` for no signature. ``is_odd``: parity of R's y."""
    if not (0 < r < N and 0 < s < N):
        return None
    square = (r * r * r + 7) % P
    y = pow(square, (P + 1) // 4, P)
    if y * y % P != square:
        return None
    if bool(y & 1) != is_odd:
        y = P - y
    inverse = pow(r, N - 2, N)
    z = int.from_bytes(hashed, "big")
    x, w, k = _sum(-z * inverse % N, _G, s * inverse % N, (r, y, 1))
    if k == 0:
        return None
    over = pow(k, P - 2, P)
    over2 = over * over % P
    key = (x * over2 % P).to_bytes(32, "big") + (w * over2 * over % P).to_bytes(32, "big")
    return keccak256(key)[12:]


def is_canonical(signature: bytes) -> bool:
    """Whether ``r:32 ‖ s:32 ‖ v:1`` has the one form: ``r`` and ``s`` in range, the lower ``s``, ``v`` of 0 or 1."""
    return len(signature) == 65 and signature[64] <= 1 and _read(signature[:64]) is not None


def recover_signer(hashed: bytes, signature: bytes) -> Optional[bytes]:
    """The address behind a canonical signature ``r:32 ‖ s:32 ‖ v:1``; ``None`` where no key signed."""
    read = _read(signature[:64])
    return None if read is None else recover_address(hashed, *read, signature[64] == 1)


def _read(signature: bytes) -> Optional[Tuple[int, int]]:
    """``r`` and ``s`` of ``r:32 ‖ s:32``; ``None`` where one is out of range, or ``s`` the higher one."""
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    return (r, s) if 0 < r < N and 0 < s and 2 * s < N else None


def is_signed_by_key(key: bytes, hashed: bytes, signature: bytes) -> Optional[bool]:
    """Whether ``r:32 ‖ s:32`` with the lower ``s`` is the key's signature over a hash of 32 bytes; ``None`` where the key,
    ``04 ‖ x:32 ‖ y:32``, is no point."""
    x, y = int.from_bytes(key[1:33], "big"), int.from_bytes(key[33:], "big")
    is_point = len(key) == 65 and key[0] == 4 and x < P and y < P and (y * y - x * x * x - 7) % P == 0
    if not is_point:
        return None
    read = _read(signature)
    if read is None or len(signature) != 64:
        return False
    r, s = read
    inverse = pow(s, N - 2, N)
    z = int.from_bytes(hashed, "big")
    at, _, k = _sum(z * inverse % N, _G, r * inverse % N, (x, y, 1))
    if k == 0:
        return False
    over = pow(k, P - 2, P)
    return at * over * over % P % N == r
