"""Finality that the command line checked: what ``superroot verify`` says of it."""

from __future__ import annotations

import argparse
import datetime
import os
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from .errors import NotAnchored, ProofError
from .facts import Facts
from .finality import NOT_CHECKED, FinalityNotEnough, FinalityRefused, FinalityShown
from .finality.kinds import ROWS
from .judge_finality import FinalityJudgment, judge_finality
from .light_client import folder_beside, read_passed
from .report import FinalityLine, Members

STEP = "finality"
#: Classes that ``--finality`` asks for. Every kind that is checked here is of the first, which satisfies both.
CLASSES = ("consensus", "l1_anchored")
_NO_EVIDENCE = "the proof carries no evidence: ask for it with ?evidence=1 or `superroot prove --evidence`"
_STATUS = {"shown": "shown", "not_enough": "not enough", "refused": "refused"}


class NotFinal(ProofError):
    """Finality was demanded, and is not shown. Nothing is false."""

    def __init__(self, reason: str) -> None:
        super().__init__(STEP, reason)


@dataclass(frozen=True)
class CheckedFinality:
    """What the evidence of a proof showed. ``judgment`` is ``None`` where it carries none; ``pin_number`` is the number of
    the pinned set, if it is known."""

    facts: Facts
    demanded: Optional[str]
    judgment: Optional[FinalityJudgment]
    pin_number: Optional[int] = None
    advice: str = ""

    @property
    def shown(self) -> Optional[FinalityShown]:
        verdict = None if self.judgment is None else self.judgment.verdict
        return verdict if isinstance(verdict, FinalityShown) else None

    @property
    def _why(self) -> str:
        """Why it is not shown."""
        verdict = None if self.judgment is None else self.judgment.verdict
        if isinstance(verdict, FinalityNotEnough) and verdict.code not in ("unpinned", "unchecked"):
            return f"{verdict.reason}; {self.advice}"
        return verdict.reason if isinstance(verdict, (FinalityNotEnough, FinalityRefused)) else _NO_EVIDENCE

    @property
    def _is_refused(self) -> bool:
        return self.judgment is not None and isinstance(self.judgment.verdict, FinalityRefused)

    def failure(self, of_anchor: Optional[ProofError]) -> Optional[ProofError]:
        """What fails: false evidence makes a proof false, missing evidence unusable where it was asked for."""
        if of_anchor is not None and not isinstance(of_anchor, NotAnchored):
            return of_anchor
        if self._is_refused:
            return ProofError(STEP, self._why)
        if of_anchor is None and self.demanded is not None and self.shown is None:
            return NotFinal(self._why)
        return of_anchor

    def line(self) -> Optional[FinalityLine]:
        """A report's line: its mark, words, and what is shown."""
        if self.judgment is None:
            return None
        shown = self.shown
        if shown is not None:
            made_up = ", of a simulated chain" if self.facts.network == "simulated" else ""
            return "✓", self._words(shown) + made_up, self._members(shown)
        return ("✗", self._why, []) if self._is_refused else ("-", f"not shown: {self._why}", [])

    def _words(self, shown: FinalityShown) -> str:
        words = f"final by {shown.by}"
        if self.pin_number is not None:
            pin = f"your pin of {ROWS[shown.kind].set_noun} {self.pin_number}"
            words += f", which follows from {pin}" if shown.steps else f", {pin} or one passed since"
        behind = self._behind(shown)
        if behind is not None:
            words += f"; this block was {duration_text(behind)} behind the head of {self.facts.chain_name} when that was signed"
        return words

    def _behind(self, shown: FinalityShown) -> Optional[int]:
        """Seconds from the block to the signature."""
        made_at = None if self.facts.header is None else self.facts.header.timestamp
        if made_at is None or shown.at is None or shown.at < made_at:
            return None
        return shown.at - made_at

    def _members(self, shown: FinalityShown) -> Members:
        members: Members = []
        if shown.target != shown.block_hash:
            members.append(("signed_block", shown.target))
        if shown.at is not None:
            members.append(("signed_at", iso_8601(shown.at)))
        members.append(("set", shown.set_id))
        pinned = None if self.judgment is None else self.judgment.pinned
        if pinned is not None:
            members.append(("follows_from", f"0x{pinned.pin.hex()}, which you pinned on {iso_8601(pinned.pinned_at)}"))
        return [*members, ("steps", shown.steps), ("still_trusted", shown.trust)]

    def to_json(self) -> Optional[Dict[str, Any]]:
        if self.facts.finality is None or self.judgment is None:
            return None
        verdict, shown = self.judgment.verdict, self.shown
        is_unchecked = isinstance(verdict, FinalityNotEnough) and verdict.code == "unchecked"
        status = NOT_CHECKED if is_unchecked else _STATUS[verdict.verdict]
        members: Dict[str, Any] = {"kind": self.facts.finality.kind, "status": status, "shown": shown is not None}
        if shown is None:
            return {**members, "refused": self._is_refused, "why": self._why}
        pinned = self.judgment.pinned
        return {
            **members, "evidence_kind": CLASSES[0], "block_hash": "0x" + shown.block_hash.hex(), "number": shown.number,
            "target_hash": "0x" + shown.target.hex(), "set": "0x" + shown.set_id.hex(), "steps": shown.steps,
            "signed_at": shown.at, "by": shown.by, "from": "pinned",
            "pin": None if pinned is None else "0x" + pinned.pin.hex(), "pin_number": self.pin_number,
            "pinned_at": None if pinned is None else pinned.pinned_at, "behind_seconds": self._behind(shown),
            "trust": shown.trust, "why": None,
        }


def iso_8601(seconds: int) -> str:
    """A time in UTC, at most the last second of the year 9999."""
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=min(seconds, 253_402_300_799))
    return f"{moment.isoformat()}Z"


def duration_text(seconds: int) -> str:
    """``5 s``, ``3 min 20 s``, ``2 h 5 min``, ``4 d 3 h``."""
    days, hours, minutes = seconds // 86_400, seconds // 3_600 % 24, seconds // 60 % 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


def store_path(args: argparse.Namespace) -> str:
    """Path of the trust store: ``--trust``, or the command line's own, which may not exist."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return str(args.trust or os.path.join(config, "superroot", "trust.toml"))


def _advice(judgment: FinalityJudgment, first: Optional[int]) -> str:
    """Next step of a reader whose sets begin with set ``first``."""
    verdict = judgment.verdict
    sets = verdict.sets if isinstance(verdict, FinalityNotEnough) else None
    if sets is not None and first is not None and sets[0] < first:
        return "that was before your pin, which leads to later sets alone"
    if sets is not None and sets[0] < sets[1]:
        return "your set is a later one: `superroot verify` knows those that you passed since your pin"
    return "`superroot trust light-client update` moves your set on"


def checked_finality(args: argparse.Namespace, facts: Facts) -> CheckedFinality:
    """Checks the evidence of a proof whose levels hold. Raises :class:`TrustStoreError`."""
    demanded: Optional[str] = args.finality
    if facts.finality is None:
        return CheckedFinality(facts, demanded, None)
    folder = folder_beside(store_path(args))
    judgment = judge_finality(facts, facts.finality, folder, None, time.time())
    if judgment.pinned is None or judgment.signing is None:
        return CheckedFinality(facts, demanded, judgment)
    passed = read_passed(folder, judgment.signing, facts.network)
    pins: List[int] = [number for number, set_id in sorted(passed.items()) if set_id == judgment.pinned.pin]
    advice = _advice(judgment, min(passed, default=None))
    return CheckedFinality(facts, demanded, judgment, pins[0] if pins else None, advice)
