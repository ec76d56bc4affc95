"""Merkle-Patricia trie: a walk along one key, each node checked against its hash. Yellow paper, appendix D."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple, Union

from .._hash import keccak256
from ..errors import Refused, need
from ._rlp import Item, item, nibbles

#: A child: nothing, a hash of 32 bytes, or the node itself (a list of fewer).
Child = Optional[bytes]


def _child(data: bytes, at: int, found: Item) -> Child:
    is_list, start, stop = found
    if is_list:
        need(stop - at < 32, "a trie node of 32 bytes or more inside its parent")
        return data[at:stop]
    length = stop - start
    if length == 0:
        return None
    need(length == 32, "a child that is neither empty nor a hash")
    return data[start:stop]


def _hex_prefix(path: bytes) -> Tuple[List[int], bool]:
    need(bool(path), "a path without its flag")
    flag = path[0] >> 4
    need(flag <= 3, "an unknown path flag")
    rest = nibbles(path[1:])
    if flag & 1:
        return [path[0] & 15, *rest], bool(flag & 2)
    need(path[0] & 15 == 0, "a padded path whose padding is not zero")
    return rest, bool(flag & 2)


#: ("leaf", path, value), ("extension", path, child) or ("branch", children, value)
_Leaf = Tuple[str, List[int], bytes]
_Branch = Tuple[str, List[Child], bytes]
_Node = Union[_Leaf, _Branch]


def _short(data: bytes, first: Item, at: int, second: Item) -> _Leaf:
    is_list, start, stop = first
    need(not is_list, "a path that is a list")
    path, is_leaf = _hex_prefix(data[start:stop])
    if is_leaf:
        is_list, start, stop = second
        need(not is_list and stop > start, "a leaf without a value, or with a list as value")
        return "leaf", path, data[start:stop]
    need(bool(path), "an extension without a path")
    child = _child(data, at, second)
    if child is None:
        raise Refused("an extension without a child")
    return "extension", path, child


def _decode(data: bytes) -> _Node:
    is_list, at, end = item(data, 0, len(data))
    need(is_list and end == len(data), "a trie node is not one list")
    starts: List[int] = []
    items: List[Item] = []
    while at < end:
        need(len(items) < 17, "a trie node with more than 17 items")
        found = item(data, at, end)
        starts.append(at)
        items.append(found)
        at = found[2]
    if len(items) == 2:
        return _short(data, items[0], starts[1], items[1])
    need(len(items) == 17, "a trie node with neither 2 nor 17 items")
    children = [_child(data, starts[place], items[place]) for place in range(16)]
    is_list, start, stop = items[16]
    need(not is_list, "a branch value that is a list")
    filled = sum(child is not None for child in children) + (stop > start)
    need(filled >= 2, "a branch that does not branch")
    return "branch", children, data[start:stop]


class _Nodes:
    """Nodes of a proof, taken in order."""

    def __init__(self, nodes: Sequence[bytes]) -> None:
        self._left = list(reversed(nodes))

    def fetch(self, expected: bytes) -> bytes:
        need(bool(self._left), "the trie proof ends before its key")
        found = self._left.pop()
        need(keccak256(found) == expected, "a trie node has another hash than its parent names")
        return found

    def finish(self) -> None:
        need(not self._left, "the trie proof has nodes too many")


def trie_value(root: bytes, key: bytes, nodes: Sequence[bytes]) -> Optional[bytes]:
    """Value under the key; ``None`` where the trie shows that there is none."""
    need(bool(nodes), "the trie proof is empty")
    source = _Nodes(nodes)
    value = _walk(root, nibbles(key), source)
    source.finish()
    return value


def _walk(root: bytes, rest: List[int], source: _Nodes) -> Optional[bytes]:
    data = source.fetch(root)
    if data == b"\x80":
        return None
    while True:
        kind, first, last = _decode(data)
        if kind == "leaf":
            return last if first == rest else None
        child: Child
        if kind == "extension":
            length = len(first)
            if rest[:length] != first:
                return None
            rest = rest[length:]
            child = last
        else:
            if not rest:
                return last or None
            found = first[rest[0]]
            child = found if isinstance(found, bytes) else None
            rest = rest[1:]
        if child is None:
            return None
        if len(child) < 32:
            data = child
            continue
        data = source.fetch(child)
        need(len(data) >= 32, "a hashed trie node under 32 bytes that is not the root")


def first_hash(nodes: Sequence[bytes]) -> bytes:
    """Hash of the first node: the root of a proof without a header."""
    need(bool(nodes), "the trie proof is empty")
    return keccak256(nodes[0])
