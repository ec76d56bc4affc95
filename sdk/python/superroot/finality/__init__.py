"""Finality by a chain's own consensus, checked from a set of signers that the client pinned: docs/finality.md.

    pinned set ──step──► set ──step──► set ──┐
                                             ├──► shown: a final block, and what is still trusted
    evidence about one block ────────────────┘          │
                                                      link: the headers from it down to the block in question

Set, steps, evidence and link come from anywhere: each is checked. Of the eleven kinds five are checked here: work, commit,
milestone, producers and grandpa. The others are signed with BLS, which takes seconds in Python: they are ``unchecked``.
"""

from __future__ import annotations

from .check import FinalityQuestion, advance, check_block, read_set
from .evidence import NOT_CHECKED, FinalityEvidence, read_finality
from .kinds import CHECKED_KINDS
from .params import checkable_chains, params_of
from .rules import FinalityParams, FinalitySet
from .verdict import FinalityNotEnough, FinalityRefused, FinalityShown, FinalityVerdict

__all__ = [
    "CHECKED_KINDS", "FinalityEvidence", "FinalityNotEnough", "FinalityParams", "FinalityQuestion", "FinalityRefused",
    "FinalitySet", "FinalityShown", "FinalityVerdict", "NOT_CHECKED", "advance", "check_block", "checkable_chains",
    "params_of", "read_finality", "read_set",
]
