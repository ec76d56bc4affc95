"""Kinds of evidence, one line a kind: docs/protocol/finality.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict

from .rules import FinalityParams, FinalitySet
from .verdict import unchecked

_BLS = "BLS signatures take seconds in Python, `superroot verify` and @superroot/client check them"


@dataclass(frozen=True)
class KindRow:
    """``binds_number``: whether evidence binds the number, not only the hash. ``set_noun``: what a set's number counts.
    ``trust``: what a client still trusts; empty for kinds that are not checked here."""

    name: str
    binds_number: bool
    set_noun: str = ""
    trust: str = ""


#: By the kind's byte in evidence.
KINDS: Dict[int, KindRow] = {
    0x10: KindRow("beacon", False),
    0x11: KindRow("work", True, "period", "that nobody spends this work on another branch"),
    0x12: KindRow("checkpoint", True),
    0x13: KindRow("certificate", False),
    0x14: KindRow("vote", True),
    0x15: KindRow("anchor", True),
    0x16: KindRow(
        "commit", True, "set",
        "that holders of a third of the pinned voting power did not sign falsely together, for which they are slashed",
    ),
    0x17: KindRow(
        "milestone", True, "set",
        "that holders of a third of Heimdall's pinned voting power did not sign falsely together, and that no fork takes "
        "the milestone back, as one did in 2025-09",
    ),
    0x18: KindRow(
        "producers", True, "day",
        "that 11 of the 27 producers did not build on two branches, for which they are not slashed, and that no 19 "
        "producers of the list sign falsely together within the trusting period",
    ),
    0x19: KindRow(
        "grandpa", True, "set",
        "that two thirds of the authorities of that set did not sign falsely together, for which they are slashed if "
        "they vote twice in a round",
    ),
    0x1B: KindRow("ledger_info", False),
}
ROWS: Dict[str, KindRow] = {row.name: row for row in KINDS.values()}
#: Kinds that are checked here.
CHECKED_KINDS = tuple(row.name for row in KINDS.values() if row.trust)


def why_unchecked(kind: str) -> str:
    """Why a kind is not checked here."""
    return f"evidence of kind {kind} is not checked here: {_BLS}"


@dataclass(frozen=True)
class UncheckedParams(FinalityParams):
    """A chain whose kind is not checked here."""

    kind: str

    def decode_set(self, data: bytes) -> FinalitySet:
        raise unchecked(why_unchecked(self.kind))
