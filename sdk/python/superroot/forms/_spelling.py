"""Hashes, addresses and numbers as explorers and JSON write them."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from .._hash import sha256d
from .._member import MISSING, hexed

_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def shown_hex(data: Optional[bytes]) -> Any:
    """Hex of bytes; no member where there are none."""
    return MISSING if data is None else hexed(data)


def null_hex(data: Optional[bytes]) -> Optional[str]:
    """Hex of bytes; null where there are none."""
    return None if data is None else hexed(data)


def hex_list(all_bytes: Sequence[bytes]) -> List[str]:
    return [hexed(one) for one in all_bytes]


def quantity(value: int) -> str:
    """A JSON-RPC quantity."""
    return f"0x{value:x}"


def base58(data: bytes) -> str:
    value = int.from_bytes(data, "big")
    text = ""
    while value > 0:
        value, digit = divmod(value, 58)
        text = _DIGITS[digit] + text
    return _DIGITS[0] * (len(data) - len(data.lstrip(b"\x00"))) + text


def base58_check(data: bytes) -> str:
    """Base58 with four bytes of a double SHA-256 behind."""
    return base58(data + sha256d(data)[:4])


def _checksum(values: Sequence[int]) -> int:
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for at, generator in enumerate(_GENERATORS):
            checksum ^= generator if top >> at & 1 else 0
    return checksum


def bech32(prefix: str, data: bytes) -> str:
    """BIP 173."""
    bits = "".join(f"{byte:08b}" for byte in data)
    words = [int(bits[at : at + 5].ljust(5, "0"), 2) for at in range(0, len(bits), 5)]
    codes = [ord(letter) for letter in prefix]
    expanded = [code >> 5 for code in codes] + [0] + [code & 31 for code in codes]
    checksum = _checksum([*expanded, *words, 0, 0, 0, 0, 0, 0]) ^ 1
    check = [checksum >> 5 * (5 - at) & 31 for at in range(6)]
    return f"{prefix}1" + "".join(_BECH32[word] for word in words + check)
