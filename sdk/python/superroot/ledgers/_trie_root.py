"""Root of the trie over a block's leaves, leaf i at ``rlp(i)``. Yellow paper, appendix D."""

from __future__ import annotations

from typing import List, Sequence, Tuple

from .._hash import keccak256
from ._rlp import index_key, nibbles

_Pair = Tuple[List[int], bytes]


def _head(length: int, short: int) -> bytes:
    if length < 56:
        return bytes([short + length])
    encoded = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([short + 55 + len(encoded)]) + encoded


def _string(data: bytes) -> bytes:
    if len(data) == 1 and data[0] < 0x80:
        return data
    return _head(len(data), 0x80) + data


def _list(items: Sequence[bytes]) -> bytes:
    payload = b"".join(items)
    return _head(len(payload), 0xC0) + payload


def _path(halves: List[int], is_leaf: bool) -> bytes:
    flag = 2 if is_leaf else 0
    whole = [flag + 1, *halves] if len(halves) % 2 else [flag, 0, *halves]
    return bytes(whole[at] << 4 | whole[at + 1] for at in range(0, len(whole), 2))


def _reference(node: bytes) -> bytes:
    """A node inside its parent: itself under 32 bytes, else its hash."""
    return node if len(node) < 32 else _string(keccak256(node))


def _node(pairs: Sequence[_Pair], depth: int) -> bytes:
    """Node over pairs that rise by key and share ``depth`` half bytes."""
    first, last = pairs[0][0], pairs[-1][0]
    if len(pairs) == 1:
        return _list([_string(_path(first[depth:], True)), _string(pairs[0][1])])
    shared = depth
    while shared < len(first) and shared < len(last) and first[shared] == last[shared]:
        shared += 1
    if shared > depth:
        below = _node(pairs, shared)
        return _list([_string(_path(first[depth:shared], False)), _reference(below)])
    value = b""
    if len(first) == depth:
        value, pairs = pairs[0][1], pairs[1:]
    items: List[bytes] = []
    at = 0
    for half in range(16):
        start = at
        while at < len(pairs) and pairs[at][0][depth] == half:
            at += 1
        items.append(_reference(_node(pairs[start:at], depth + 1)) if at > start else b"\x80")
    return _list([*items, _string(value)])


def ordered_root(leaves: Sequence[bytes]) -> bytes:
    """Root of the trie over all leaves; that of the empty trie without any."""
    if not leaves:
        return keccak256(b"\x80")
    pairs = sorted((nibbles(index_key(index)), leaf) for index, leaf in enumerate(leaves))
    return keccak256(_node(pairs, 0))
