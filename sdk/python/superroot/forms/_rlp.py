"""RLP, written."""

from __future__ import annotations


def _prefix(length: int, base: int) -> bytes:
    if length <= 55:
        return bytes([base + length])
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([base + 55 + len(digits)]) + digits


def string_rlp(data: bytes) -> bytes:
    return data if len(data) == 1 and data[0] < 0x80 else _prefix(len(data), 0x80) + data


def list_rlp(payload: bytes) -> bytes:
    """A list of items that are written."""
    return _prefix(len(payload), 0xC0) + payload
