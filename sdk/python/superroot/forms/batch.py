"""Many proofs in one answer, with each trie node and hash of a path written once: ``{ nodes, items }``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

from .._member import BodyError, Member
from ..errors import ProofError, at, need
from ..statement import Chains
from ..trust import Trust
from .answer import AnswerFacts, Body, check_answer, parsed

_ITEMS_MAX = 256
_NODES_MAX = 1 << 17
_TEXT_MAX = 64 << 20
_SHARED = ("siblings", "eventSiblings", "receiptSiblings")
_PARTS = ("block", "twig", "miniMmr", "superRoot", "registry", "note", "coinbase", "lastTransaction")


@dataclass(frozen=True)
class BatchFacts:
    """Each item's facts, or why it is false; and the other members of the batch, which are the service's word."""

    items: List[Union[AnswerFacts, ProofError]]
    unproven: List[str]


def is_batch(body: Any) -> bool:
    return isinstance(body, dict) and "items" in body and "nodes" in body


class _Expansion:
    """Writes nodes into items, at most so many letters."""

    def __init__(self, nodes: List[str]) -> None:
        self._nodes = nodes
        self._written = 0

    def _node(self, index: Any) -> str:
        is_there = isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(self._nodes)
        if not is_there:
            raise BodyError("an item names a node that is not there")
        node: str = self._nodes[index]
        self._written += len(node)
        need(self._written <= _TEXT_MAX, f"the batch is longer than {_TEXT_MAX} bytes")
        return node

    def expand(self, part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        whole: Dict[str, Any] = {}
        for name, value in part.items():
            if name in _SHARED and isinstance(value, list):
                whole[name] = [self._node(index) for index in value]
            else:
                whole[name] = self.expand(value) if name in _PARTS else value
        return whole


def expand_batch(body: Any) -> List[Any]:
    """Items as other routes answer them. Raises :class:`ProofError` with the step ``encoding``."""
    with at("encoding"):
        root = Member(body, False)
        expansion = _Expansion(root.get("nodes").list_of(_NODES_MAX, Member.text))
        items = [expansion.expand(item.value) for item in root.get("items").items(_ITEMS_MAX)]
        need(bool(items), "it is a batch without items")
        return items


def _verify_item(item: Any, trust: Optional[Trust], chains: Optional[Chains]) -> Union[AnswerFacts, ProofError]:
    try:
        shown = check_answer(item, chains)
        if trust is not None:
            shown.facts.anchor = trust.judge(shown.facts)
    except ProofError as error:
        return error
    return shown


def verify_batch(body: Body, trust: Trust, chains: Optional[Chains] = None) -> BatchFacts:
    """Checks a batch item by item. Raises :class:`ProofError` with the step ``encoding`` where it is none."""
    read = parsed(body)
    items = [_verify_item(item, trust, chains) for item in expand_batch(read)]
    return BatchFacts(items, [name for name in read if name not in ("items", "nodes")])
