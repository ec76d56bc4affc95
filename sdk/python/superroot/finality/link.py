"""Headers from the evidence's block down to an earlier block."""

from __future__ import annotations

from typing import Sequence, Tuple

from .. import ledgers
from ..errors import Refused, need
from ..statement import effective_rule
from .evidence import LinkHeader
from .verdict import bad_link


def _below(rule: int, link: LinkHeader, block_hash: bytes, number: int) -> Tuple[int, bytes]:
    """Number and hash of the block under a header with this number and hash."""
    # an ancestor counts on chains with a history contract alone, and none of those is checked here
    need(not link.has_ancestor, "the chain has no history contract")
    header = ledgers.read_header(rule, link.header)
    need(header.block_hash == block_hash, "the header has another hash")
    if header.parent_hash is None:
        raise Refused("the header names no parent")
    return max(number - 1, 0), header.parent_hash


def follow(link: Sequence[LinkHeader], rule: int, number: int, block_hash: bytes) -> Tuple[int, bytes]:
    """Number and hash below the lowest header, or the block itself without headers.

    Raises ``Refusal`` at the first header that is not the one that is named, or has a rule that is unknown here.
    """
    for index, header in enumerate(link):
        try:
            need(effective_rule(rule, 0) is not None and rule > 0, "the rule is unknown")
            number, block_hash = _below(rule, header, block_hash, number)
        except Refused:
            raise bad_link(index) from None
    return number, block_hash
