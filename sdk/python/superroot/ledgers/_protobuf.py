"""Protobuf in its one form: fields in rising order, numbers in their shortest form, nothing empty written."""

from __future__ import annotations

from .._bytes import Reader
from ..errors import Refused, need


def read_varint(reader: Reader) -> int:
    """At most 64 bits, in the shortest form."""
    value = 0
    for place in range(10):
        byte = reader.u8()
        bits = byte & 0x7F
        need(place < 9 or bits <= 1, "a number above 64 bits")
        value |= bits << (7 * place)
        if byte < 0x80:
            need(byte > 0 or place == 0, "a number in a longer form than needed")
            return value
    raise Refused("a number above 64 bits")


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Fields:
    """Fields of a message by number, each read in its turn."""

    def __init__(self, data: bytes) -> None:
        self._reader = Reader(data)

    def _is_next(self, key: int) -> bool:
        if self._reader.peek() != key:
            return False
        self._reader.u8()
        return True

    def number(self, number: int, name: str) -> int:
        """0 where the field is left out."""
        if not self._is_next(number << 3):
            return 0
        value = read_varint(self._reader)
        need(value > 0, f"{name} is written though it is 0")
        return value

    def message(self, number: int, name: str) -> bytes:
        """A message that is always there."""
        need(self._is_next(number << 3 | 2), f"{name} is missing")
        return self._reader.take(read_varint(self._reader))

    def blob(self, number: int, name: str) -> bytes:
        """Nothing where the field is left out."""
        if self._reader.peek() != number << 3 | 2:
            return b""
        value = self.message(number, name)
        need(bool(value), f"{name} is written though it is empty")
        return value

    def hash(self, number: int, name: str) -> bytes:
        value = self.blob(number, name)
        need(len(value) == 32, f"{name} has not 32 bytes")
        return value

    def finish(self, what: str) -> None:
        self._reader.finish(what)
