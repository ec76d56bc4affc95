"""BCS, and types of Move written in it. docs/protocol/sui.md."""

from __future__ import annotations

from typing import List, Optional, Tuple, Union

from .._bytes import Reader
from ..errors import Refused, need

DIGEST_BYTES = 33
_TYPE_DEPTH_MAX = 128
_TYPE_PARTS_MAX = 256
_PLAIN = {
    0: "bool", 1: "u8", 2: "u64", 3: "u128", 4: "address", 5: "signer", 8: "u16", 9: "u32", 10: "u256",
}
_VECTOR, _STRUCT = 6, 7


class Bcs(Reader):
    """Little-endian integers, lengths and variants in the shortest ULEB128."""

    __slots__ = ()

    def number(self) -> int:
        value = 0
        for shift in (0, 7, 14, 21, 28):
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                need(byte != 0 or shift == 0, "a number in a longer form than needed")
                need(value <= 0xFFFF_FFFF, "a number of 2^32 or more")
                return value
        raise Refused("a number of more than five bytes")

    def count(self, item_bytes: int) -> int:
        count = self.number()
        need(count * item_bytes <= self.remaining(), f"a count of {count} with too few bytes")
        return count

    def blob(self) -> bytes:
        return self.take(self.count(1))

    def flag(self) -> bool:
        flag = self.u8()
        need(flag <= 1, "a flag that is neither 00 nor 01")
        return flag == 1

    def digest(self) -> bytes:
        need(self.u8() == 32, "a digest has not 32 bytes")
        return self.hash()

    def optional_digest(self) -> Optional[bytes]:
        return self.digest() if self.flag() else None

    def identifier(self) -> str:
        raw = self.blob()
        need(_is_identifier(raw), "a name of Move has letters, digits and _, and begins with no digit")
        return raw.decode("ascii")


def _is_identifier(raw: bytes) -> bool:
    letters = raw.replace(b"_", b"a")
    return letters.isalnum() and letters.isascii() and not raw[:1].isdigit() and raw != b"_"


#: Text to write, or the depth of a type to read.
_Task = Union[str, int]


def _read_struct(bcs: Bcs, depth: int, parts: int) -> Tuple[str, List[_Task]]:
    text = f"0x{bcs.hash().hex()}::{bcs.identifier()}::{bcs.identifier()}"
    count = bcs.count(1)
    need(parts + count <= _TYPE_PARTS_MAX, "a type with more than 256 parts")
    if not count:
        return text, []
    tasks: List[_Task] = ["<"]
    for place in range(count):
        tasks += [", ", depth + 1] if place else [depth + 1]
    return text, [*tasks, ">"]


def _read_type(bcs: Bcs, tasks: List[_Task]) -> str:
    written: List[str] = []
    pending = list(reversed(tasks))
    parts = 0
    while pending:
        task = pending.pop()
        if isinstance(task, str):
            written.append(task)
            continue
        parts += 1
        need(task <= _TYPE_DEPTH_MAX and parts <= _TYPE_PARTS_MAX, "a type nested too deep, or with too many parts")
        variant = bcs.number()
        if variant == _VECTOR:
            written.append("vector<")
            pending += [">", task + 1]
        elif variant == _STRUCT:
            text, later = _read_struct(bcs, task, parts)
            written.append(text)
            pending.extend(reversed(later))
        else:
            need(variant in _PLAIN, f"type {variant} of Move is not known")
            written.append(_PLAIN[variant])
    return "".join(written)


def read_struct(bcs: Bcs) -> str:
    """A struct's type as text."""
    text, tasks = _read_struct(bcs, 0, 0)
    return text + _read_type(bcs, tasks)


def read_type(bcs: Bcs) -> str:
    """Any type as text."""
    return _read_type(bcs, [0])
