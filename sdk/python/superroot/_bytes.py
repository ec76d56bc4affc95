"""Bounded reader for bytes from outside: each length is checked against the bytes that remain."""

from __future__ import annotations

from typing import List, Optional

from .errors import Refused


class Reader:
    """Reads forward; too few bytes raise :class:`Refused`."""

    __slots__ = ("at", "data", "end")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.end = len(data)

    def remaining(self) -> int:
        return self.end - self.at

    def is_empty(self) -> bool:
        return self.at == self.end

    def take(self, length: int) -> bytes:
        start = self.at
        stop = start + length
        if stop > self.end:
            raise Refused("the bytes are cut short")
        self.at = stop
        return self.data[start:stop]

    def peek(self) -> Optional[int]:
        return self.data[self.at] if self.at < self.end else None

    def u8(self) -> int:
        at = self.at
        if at >= self.end:
            raise Refused("the bytes are cut short")
        self.at = at + 1
        return self.data[at]

    def u16(self) -> int:
        return int.from_bytes(self.take(2), "big")

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def u64(self) -> int:
        return int.from_bytes(self.take(8), "big")

    def u16_little(self) -> int:
        return int.from_bytes(self.take(2), "little")

    def u32_little(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def u64_little(self) -> int:
        return int.from_bytes(self.take(8), "little")

    def hash(self) -> bytes:
        return self.take(32)

    def hashes(self, count: int) -> List[bytes]:
        if count * 32 > self.remaining():
            raise Refused("the bytes are cut short")
        return [self.take(32) for _ in range(count)]

    def long(self, most: Optional[int] = None) -> bytes:
        """Bytes after a four-byte length of at most ``most``."""
        length = self.u32()
        if most is not None and length > most:
            raise Refused(f"a part of {length} bytes, expected at most {most}")
        return self.take(length)

    def finish(self, what: str) -> None:
        """Raises :class:`Refused` if bytes remain."""
        if self.at != self.end:
            raise Refused(f"{self.remaining()} bytes follow the {what}")


def read_nodes(reader: Reader, most: int) -> List[bytes]:
    """``count:u8 ‖ (length:u32 ‖ node)*`` with at most ``most`` nodes."""
    count = reader.u8()
    if count > most:
        raise Refused(f"{count} trie nodes, expected at most {most}")
    return [reader.long() for _ in range(count)]
