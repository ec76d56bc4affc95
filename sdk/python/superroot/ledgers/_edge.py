"""Level 1 of ledgers whose header names no transaction count (Tron, Cosmos): how index and count are judged."""

from __future__ import annotations

from typing import List, Optional, Sequence

from .._trees import EdgePath, edge_path
from ..errors import Refused, need
from ..statement import ABSENCE, Subject


def way_of(subject: Subject, tx_count: int, most: int) -> Optional[EdgePath]:
    """Way to the transaction that shows the subject; ``None`` for a block, or where there is no transaction."""
    need(tx_count <= most, f"a block of {tx_count} transactions, expected at most {most}")
    if subject.tx_index is None:
        return None
    if subject.kind == ABSENCE:
        need(subject.tx_index >= tx_count, f"something is at index {subject.tx_index} of the transaction tree")
    index = subject.branch_index(tx_count)
    if index is None:
        return None
    way = edge_path(index, tx_count)
    if way is None:
        raise Refused(f"nothing is at index {subject.tx_index} of the transaction tree")
    return way


def shown_count(subject: Subject, tx_count: int) -> Optional[int]:
    """The count, where nothing is right of the reached transaction."""
    return tx_count if subject.branch_index(tx_count) == tx_count - 1 else None


def check_shape(way: EdgePath, siblings: Sequence[bytes], peaks: Sequence[List[bytes]]) -> None:
    """Refuses a branch or peaks of another shape than the way has. In a file the shape follows from the way."""
    need(len(siblings) == way.sibling_count, f"a path of {len(siblings)} hashes, index and count give {way.sibling_count}")
    heights = tuple(len(peak) for peak in peaks)
    need(heights == way.peaks, f"peaks of heights {heights[:8]}, index and count give {way.peaks}")
