"""What the command line's forms share: the anchor, exit codes, and how a result is printed."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from .cli_finality import STEP, CheckedFinality, NotFinal, checked_finality
from .errors import NotAnchored, ProofError
from .facts import Anchored, Facts
from .report import not_shown, plain, report, step_lines
from .store import TrustStoreError
from .trust import Trust, TrustedStore

TRUE, FALSE, UNUSABLE = 0, 1, 2


@dataclass(frozen=True)
class Result:
    """Exit code, members for ``--json``, and lines with the verdict behind them."""

    code: int
    members: Dict[str, Any]
    lines: List[str]
    verdict: str


def judge(facts: Anchored, trust: Optional[Trust], store: Optional[TrustedStore]) -> None:
    """Sets the anchor; raises :class:`ProofError`. Pins count with ``--key`` and ``--superroot`` too."""
    why = None if store is None else store.contradiction(facts)
    if why is not None:
        raise ProofError("anchor", why)
    if trust is None:
        sequence = "" if facts.super_root is None else f", that of SuperRoot {facts.super_root.sequence}"
        raise NotAnchored(f"give --key VKEY, or --superroot HASH{sequence}, or pin the log's key: superroot trust pin")
    facts.anchor = trust.judge(facts)


def fail(args: argparse.Namespace, step: str, reason: str) -> int:
    """Nothing was judged."""
    if args.json:
        print_json({"valid": False, "exit": UNUSABLE, "error": {"step": step, "reason": reason}})
    else:
        print(f"error: {plain(reason)}", file=sys.stderr)
    return UNUSABLE


def print_json(value: Dict[str, Any]) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def verdict(failure: Optional[ProofError], truth: str) -> Tuple[int, str]:
    """Exit code and last line, by what failed: the anchor, or finality."""
    if isinstance(failure, NotAnchored):
        return UNUSABLE, f"NOT ANCHORED: anchor: not anchored to anything you trust: {failure.reason}"
    if isinstance(failure, NotFinal):
        return UNUSABLE, f"NOT FINAL: {STEP}: {failure.reason}"
    if failure is not None:
        return FALSE, f"FALSE: {failure.step}: {failure.reason}"
    return TRUE, truth


def end(args: argparse.Namespace, result: Result) -> int:
    """Prints the result and returns the exit code."""
    if args.json:
        print_json(json_of(result))
    else:
        print("\n".join([*result.lines, "", plain(result.verdict)]))
    return result.code


def json_of(result: Result) -> Dict[str, Any]:
    return {"valid": result.code == TRUE, "exit": result.code, **result.members}


def error_of(error: Optional[ProofError]) -> Optional[Dict[str, str]]:
    return None if error is None else {"step": error.step, "reason": error.reason}


def false_result(kind: str, statement: str, error: ProofError) -> Result:
    """A form that fails before its statement is read."""
    lines = [f"Statement  {statement}", "", *step_lines(error)]
    return Result(FALSE, {"kind": kind, "error": error_of(error)}, lines, f"FALSE: {error.step}: {error.reason}")


def facts_result(args: argparse.Namespace, facts: Facts, of_anchor: Optional[ProofError]) -> Result:
    """A proof whose levels hold; ``of_anchor`` is what failed at its anchor. Its finality is checked here."""
    try:
        finality = checked_finality(args, facts)
    except TrustStoreError as error:
        damaged = NotFinal(str(error))
        return Result(UNUSABLE, {"error": error_of(damaged)}, [], verdict(damaged, "")[1])
    failure = finality.failure(of_anchor)
    code, words = verdict(failure, "TRUE: every level holds and leads to what you trust")
    lines = report(facts, of_anchor, finality.line(), finality.shown)
    return Result(code, facts_json(facts, failure, finality), lines, words)


def failure_of(facts: Anchored, trust: Optional[Trust], store: Optional[TrustedStore]) -> Optional[ProofError]:
    """Judges the anchor; what fails there."""
    try:
        judge(facts, trust, store)
    except ProofError as error:
        return error
    return None


def null_hex_of(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else "0x" + value.hex()


def facts_json(facts: Facts, failure: Optional[ProofError], finality: CheckedFinality) -> Dict[str, Any]:
    statement, root, anchor = facts.statement, facts.super_root, facts.anchor
    return {
        "network": facts.network,
        "origin": facts.origin,
        "statement": {
            "kind": statement.subject.kind,
            "chain": facts.chain_name,
            "family": statement.family_name,
            "chain_id": statement.chain_id,
            "block_number": statement.number,
            "block_bound": facts.block_bound,
            "transaction_index": statement.tx_index,
            "log_index": statement.log_index,
            "sentence": facts.sentence,
        },
        "level": facts.level,
        "block_hash": null_hex_of(facts.block_hash),
        "transaction_hash": None if facts.transaction is None else null_hex_of(facts.transaction.hash),
        "super_root": None if root is None else {
            "super_root_hash": null_hex_of(root.hash),
            "log_id": null_hex_of(root.log_id),
            "sequence": root.sequence,
            "timestamp": root.timestamp,
            "tree_root": null_hex_of(root.tree_root),
        },
        "anchored": None if anchor is None else {
            "by": anchor.by, "size": anchor.size, "joined": anchor.joined, "first_use": anchor.first_use,
            "witnessed": anchor.witnessed, "note_fault": anchor.note_fault, "source": anchor.source,
        },
        "finality": finality.to_json(),
        "not_shown": not_shown(facts, finality.shown),
        "error": error_of(failure),
    }


