"""Trees of the commitment and of the ledgers: paths lead from a leaf to a root.

Positions come from the statement or from index and count, never from the path itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, List, Optional, Sequence, Tuple

from ._hash import node
from .errors import Refused

ZERO = bytes(32)
NodeHash = Callable[[bytes, bytes], bytes]


def _empty_roots(height: int) -> Tuple[bytes, ...]:
    roots = [ZERO]
    for _ in range(height):
        roots.append(node(roots[-1], roots[-1]))
    return tuple(roots)


#: Roots of the empty perfect trees with heights 0 to 11.
EMPTY = _empty_roots(11)


def perfect_root(leaf: bytes, slot: int, siblings: Sequence[bytes]) -> bytes:
    """Root of a perfect tree; bit k of the slot says whether sibling k is on the left."""
    current = leaf
    for sibling in siblings:
        current = node(sibling, current) if slot & 1 else node(current, sibling)
        slot >>= 1
    return current


def range_path_length(index: int, count: int) -> int:
    """Siblings of a leaf in a range: RFC 9162 section 2.1.3."""
    if index >= count:
        raise Refused(f"leaf index {index} is past a range of {count} leaves")
    last = count - 1
    length = 0
    while last > 0:
        # a node that is last of its level and a left child has no sibling there
        if index & 1 or index < last:
            length += 1
        index >>= 1
        last >>= 1
    return length


def range_root(leaf: bytes, index: int, count: int, path: Sequence[bytes], of: NodeHash) -> bytes:
    """Root of a range over ``count`` leaves."""
    expected = range_path_length(index, count)
    if len(path) != expected:
        raise Refused(f"a path of {len(path)} hashes, index and count give {expected}")
    last = count - 1
    current = leaf
    for sibling in path:
        if index & 1 or index == last:
            current = of(sibling, current)
            while not index & 1 and index:
                index >>= 1
                last >>= 1
        else:
            current = of(current, sibling)
        index >>= 1
        last >>= 1
    return current


def _pair_rows(index: int, count: int) -> Iterator[Tuple[bool, bool]]:
    """Per row: whether the node is on the right, and whether it is paired with itself."""
    while count > 1:
        is_right = bool(index & 1)
        yield is_right, not is_right and index + 1 >= count
        index >>= 1
        count = (count + 1) // 2


def pair_path_length(index: int, count: int, most: int) -> int:
    """Siblings in a tree that pairs the last node of an odd row with itself; copies are not sent."""
    if not 1 <= count <= most:
        raise Refused(f"a tree over {count} leaves, expected 1 to {most}")
    if index >= count:
        raise Refused(f"index {index} is past the {count} leaves")
    return sum(1 for _, is_alone in _pair_rows(index, count) if not is_alone)


def pair_root(leaf: bytes, index: int, count: int, path: Sequence[bytes], of: NodeHash) -> bytes:
    """Root of such a tree; refuses a sibling equal to its paired node. The path has its length already."""
    current = leaf
    siblings = iter(path)
    for is_right, is_alone in _pair_rows(index, count):
        sibling = current if is_alone else next(siblings, None)
        if sibling is None:
            raise Refused("a path shorter than index and count give")
        if not is_alone and sibling == current:
            raise Refused("a node is paired with a copy of itself: the tail is duplicated")
        current = of(sibling, current) if is_right else of(current, sibling)
    if next(siblings, None) is not None:
        raise Refused("a path longer than index and count give")
    return current


@dataclass(frozen=True)
class EdgePath:
    """Way to a leaf of an RFC 9162 tree whose leaf count no header names: ``peaks`` are the heights of the perfect
    subtrees left of the way, from the root down; ``local`` is the index inside the last subtree."""

    peaks: Tuple[int, ...]
    local: int
    sibling_count: int

    def root(self, leaf: bytes, siblings: Sequence[bytes], peaks: Sequence[bytes], of: NodeHash) -> bytes:
        position = self.local
        current = leaf
        for sibling in siblings:
            # right of the subtree itself: its position is 0 by then
            current = of(sibling, current) if position & 1 else of(current, sibling)
            position >>= 1
        for peak in reversed(peaks):
            current = of(peak, current)
        return current


def edge_path(index: int, count: int) -> Optional[EdgePath]:
    """Way to the leaf; ``None`` for an index at or past the count."""
    if index >= count:
        return None
    start = 0
    size = count
    peaks: List[int] = []
    while size > 1:
        height = (size - 1).bit_length() - 1
        left = 1 << height
        if index - start < left:
            return EdgePath(tuple(peaks), index - start, height + 1)
        peaks.append(height)
        start += left
        size -= left
    return EdgePath(tuple(peaks), 0, 0)


def peak_root(first: bytes, siblings: Sequence[bytes], of: NodeHash) -> bytes:
    """Root of a perfect subtree over its first leaf."""
    current = first
    for sibling in siblings:
        current = of(current, sibling)
    return current


def tree_root(leaves: Sequence[bytes], of: NodeHash, empty: bytes) -> bytes:
    """Root over all leaves; an odd node goes up unchanged."""
    row = list(leaves)
    while len(row) > 1:
        above = [of(row[at], row[at + 1]) for at in range(0, len(row) - 1, 2)]
        if len(row) % 2:
            above.append(row[-1])
        row = above
    return row[0] if row else empty
