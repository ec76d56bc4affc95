"""Path from a value in a store of Heimdall to the root over all stores. Nodes are in parts instead of raw prefixes, so only
nodes of the two forms can be written; what ICS 23 checks besides is in ``store_root``. Sources: cosmos/iavl ``node.go``,
``proof_ics23.go``; cosmos/ics23 ``go/ops.go``, ``go/proof.go``.

    path       version:varint ‖ count:u8 ‖ (side:u8 ‖ height:varint ‖ size:varint ‖ version:varint ‖ sibling:32)*
    stores     count:u8 ‖ (side:u8 ‖ sibling:32)*
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Sequence, Tuple

from .._bytes import Reader
from .._hash import sha256_of
from ..errors import need
from ..ledgers._protobuf import read_varint, varint
from .rules import U64_MAX

#: Most inner nodes on a path in a store, and on one over the stores.
_IAVL_DEPTH_MAX, _STORES_DEPTH_MAX = 64, 16
#: Longest prefix of an inner node, with the first child's length.
_PREFIX_BYTES_MAX = 12
_KEY_BYTES_MAX = 0x7F
_HASH_LENGTH = b"\x20"
_LEAF, _NODE = b"\x00", b"\x01"


@dataclass(frozen=True)
class StoreStep:
    """A sibling, on the left or on the right."""

    is_sibling_left: bool
    sibling: bytes

    def ordered(self, node: bytes) -> Tuple[bytes, bytes]:
        return (self.sibling, node) if self.is_sibling_left else (node, self.sibling)


@dataclass(frozen=True)
class IavlStep:
    """An inner node of a store: height, size and version, and the sibling."""

    numbers: Tuple[int, int, int]
    at: StoreStep


@dataclass(frozen=True)
class IavlPath:
    """The leaf's version, and the inner nodes above it."""

    version: int
    steps: List[IavlStep]


def _read_side(reader: Reader) -> bool:
    """Whether the sibling is on the left."""
    side = reader.u8()
    need(side <= 1, "a side that is neither left nor right")
    return side == 1


def _read_count(reader: Reader, most: int) -> int:
    count = reader.u8()
    need(count <= most, f"a path of {count} nodes, expected at most {most}")
    return count


def _read_iavl_step(reader: Reader) -> IavlStep:
    is_left = _read_side(reader)
    numbers = read_varint(reader), read_varint(reader), read_varint(reader)
    return IavlStep(numbers, StoreStep(is_left, reader.hash()))


def read_iavl_path(reader: Reader) -> IavlPath:
    version = read_varint(reader)
    return IavlPath(version, [_read_iavl_step(reader) for _ in range(_read_count(reader, _IAVL_DEPTH_MAX))])


def read_store_path(reader: Reader) -> List[StoreStep]:
    count = _read_count(reader, _STORES_DEPTH_MAX)
    return [StoreStep(_read_side(reader), reader.hash()) for _ in range(count)]


def _prefix(numbers: Tuple[int, int, int]) -> bytes:
    """Height, size and version, each doubled as zigzag does."""
    need(all(number * 2 <= U64_MAX for number in numbers), "a number that doubled has more than 64 bits")
    return b"".join(varint(number * 2) for number in numbers)


def _leaf(prefix: bytes, key: bytes, value: bytes) -> bytes:
    """``prefix ‖ length ‖ key ‖ 20 ‖ sha256(value)``, hashed."""
    need(1 <= len(key) <= _KEY_BYTES_MAX and bool(value), "a key out of bounds, or no value")
    return sha256_of(prefix + bytes([len(key)]) + key + _HASH_LENGTH + sha256_of(value))


def store_root(path: IavlPath, key: bytes, value: bytes) -> bytes:
    """Root of a store over a key and its value. Heights rise."""
    below = 0
    node = _leaf(_prefix((0, 1, path.version)), key, value)
    for step in path.steps:
        prefix = _prefix(step.numbers)
        need(step.numbers[0] > below and len(prefix) < _PREFIX_BYTES_MAX, "no inner node of a store")
        below = step.numbers[0]
        left, right = step.at.ordered(node)
        node = sha256_of(prefix + _HASH_LENGTH + left + _HASH_LENGTH + right)
    return node


def root_of_stores(steps: Sequence[StoreStep], name: bytes, store: bytes) -> bytes:
    """Root over all stores, from the name and the root of one."""
    node = _leaf(_LEAF, name, store)
    for step in steps:
        node = sha256_of(_NODE + b"".join(step.ordered(node)))
    return node
