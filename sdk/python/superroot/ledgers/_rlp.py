"""Strict RLP: exactly one encoding is read."""

from __future__ import annotations

from typing import List, Tuple

from ..errors import Refused

#: (is a list, start of the payload, end of the item)
Item = Tuple[bool, int, int]


def item(data: bytes, at: int, end: int) -> Item:
    """Head of the item at ``at``; its payload ends at the item's end."""
    if at >= end:
        raise Refused("RLP is cut short")
    first = data[at]
    if first < 0x80:
        return False, at, at + 1
    is_list = first >= 0xC0
    length = first - (0xC0 if is_list else 0x80)
    start = at + 1
    if length > 55:
        size = length - 55
        start += size
        if start > end or data[at + 1] == 0:
            raise Refused("an RLP length in a longer form than needed, or cut short")
        length = int.from_bytes(data[at + 1 : start], "big")
        if length < 56:
            raise Refused("an RLP length in a longer form than needed")
    stop = start + length
    if stop > end:
        raise Refused("RLP is cut short")
    if length == 1 and not is_list and data[start] < 0x80:
        raise Refused("an RLP byte with a length of its own")
    return is_list, start, stop


class Fields:
    """Items of a list, read one after the other."""

    __slots__ = ("at", "data", "end")

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.data = data
        self.at = at
        self.end = end

    @classmethod
    def of_list(cls, data: bytes, what: str) -> "Fields":
        """Items of the one list that ``data`` is."""
        is_list, start, stop = item(data, 0, len(data))
        if not is_list or stop != len(data):
            raise Refused(f"the {what} is not one RLP list")
        return cls(data, start, stop)

    def is_empty(self) -> bool:
        return self.at == self.end

    def count(self) -> int:
        at = self.at
        count = 0
        while at < self.end:
            at = item(self.data, at, self.end)[2]
            count += 1
        return count

    def sublist(self, field: str) -> "Fields":
        is_list, start, stop = item(self.data, self.at, self.end)
        if not is_list:
            raise Refused(f"{field} is not a list")
        self.at = stop
        return Fields(self.data, start, stop)

    def string(self, field: str) -> bytes:
        is_list, start, stop = item(self.data, self.at, self.end)
        if is_list:
            raise Refused(f"{field} is a list")
        self.at = stop
        return self.data[start:stop]

    def fixed(self, field: str, length: int) -> bytes:
        value = self.string(field)
        if len(value) != length:
            raise Refused(f"{field} has {len(value)} bytes, expected {length}")
        return value

    def integer(self, field: str, most: int) -> int:
        """Big-endian without leading zeros, of at most ``most`` bytes."""
        value = self.string(field)
        if len(value) > most or value[:1] == b"\x00":
            raise Refused(f"{field} is no integer of at most {most} bytes")
        return int.from_bytes(value, "big")

    def finish(self, what: str) -> None:
        if self.at != self.end:
            raise Refused(f"more fields follow in the {what}")


def index_key(index: int) -> bytes:
    """``rlp(index)``, the key of a leaf."""
    if index == 0:
        return b"\x80"
    if index < 0x80:
        return bytes([index])
    encoded = index.to_bytes((index.bit_length() + 7) // 8, "big")
    return bytes([0x80 + len(encoded)]) + encoded


def nibbles(key: bytes) -> List[int]:
    """Half bytes, the high one first."""
    return [half for byte in key for half in (byte >> 4, byte & 15)]
