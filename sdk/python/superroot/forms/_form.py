"""What every ledger gives for its proofs in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Tuple

from .._member import Member
from ..facts import Facts
from ..ledgers import Entry, Header
from ..statement import Subject

Json = Dict[str, Any]


def no_event(entry: Any, facts: Facts) -> Json:
    """A ledger that proves no event."""
    return {}


@dataclass(frozen=True)
class LedgerForm:
    """``parse`` reads level 1 from members and checks nothing; ``header``, ``entry`` and ``event`` render what was
    proven. ``unshown_of_events``: members of events that no hash shows; ``no_receipts``: why the ledger has no receipts
    root."""

    parse: Callable[[Member, Subject], Entry]
    header: Callable[[Header], Json]
    entry: Callable[[Any, Facts], Json]
    event: Callable[[Any, Facts], Json]
    no_receipts: Optional[str]
    unshown_of_events: Tuple[str, ...] = ()
