"""``python -m superroot verify FILE``: exit codes and words as ``superroot verify``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any, Dict, List, Optional, Tuple

from ._member import BodyError, parse_body
from .errors import NotAnchored, NoteError, ProofError, UnknownChain
from .evidence import EvidenceError, verify_evidence
from .facts import Facts, statement_words
from .file import FILE_BYTES_MAX, ProofFile, read_proof
from .report import check_line, head_lines, not_shown, plain, report, step_lines
from .report_scan import scan_json, scan_report, scan_truth
from .scan import MAGIC as SCAN_MAGIC
from .scan import check_scan
from .statement import CHAINS, network_of
from .store import TrustStoreError
from .trust import Trust, TrustedKey, TrustedStore, TrustedSuperRoot
from .verifier import check_levels

TRUE, FALSE, UNUSABLE = 0, 1, 2
_EXIT_CODES = (
    "Exits with 0 when the proof is true, 1 when it is false, 2 when it is no proof, leads to no SuperRoot that you "
    "trust, or is of a chain without a row here."
)


def _parser() -> argparse.ArgumentParser:
    about = "Proofs of blockchain facts, checked by hashing alone"
    parser = argparse.ArgumentParser(prog="superroot", description=about)
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="check a proof file offline", epilog=_EXIT_CODES)
    verify.add_argument("file", help="proof (.srproof), scan (.srscan) or evidence of a fork (JSON); - reads standard input")
    by = verify.add_mutually_exclusive_group()
    by.add_argument("--superroot", metavar="HASH", help="trusted SuperRoot hash, from elsewhere than the service")
    by.add_argument("--key", metavar="VKEY", help="trusted key of the log: the proof must carry a note signed by it")
    verify.add_argument("--policy", metavar="FILE", help="witnesses that must have signed with the key")
    verify.add_argument("--trust", metavar="FILE", help="trust store, by default the command line's own trust.toml")
    verify.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _default_store() -> Optional[str]:
    """The command line's trust store, if it is there."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    path = os.path.join(config, "superroot", "trust.toml")
    return path if os.path.exists(path) else None


def _trusts(args: argparse.Namespace) -> Tuple[Optional[Trust], Optional[TrustedStore]]:
    """What judges the proof, and the store whose pins may contradict it."""
    path = args.trust or _default_store()
    store = None if path is None else TrustedStore.load(path)
    if args.superroot is not None:
        return TrustedSuperRoot.of(args.superroot), store
    if args.key is not None:
        policy = None
        if args.policy is not None:
            with open(args.policy, encoding="utf-8", newline="") as file:
                policy = file.read(1 << 20)
        return TrustedKey.of(args.key, policy), store
    return store, None


def _read(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read(FILE_BYTES_MAX + 1)
    with open(path, "rb") as file:
        return file.read(FILE_BYTES_MAX + 1)


def _judge(facts: Facts, trust: Optional[Trust], store: Optional[TrustedStore]) -> None:
    """Sets the anchor; raises :class:`ProofError`. Pins count with ``--key`` and ``--superroot`` too."""
    why = None if store is None else store.contradiction(facts)
    if why is not None:
        raise ProofError("anchor", why)
    if trust is None:
        sequence = "" if facts.super_root is None else f", that of SuperRoot {facts.super_root.sequence}"
        raise NotAnchored(f"give --key VKEY, or --superroot HASH{sequence}, or pin the log's key: superroot trust pin")
    facts.anchor = trust.judge(facts)


def _fail(args: argparse.Namespace, step: str, reason: str) -> int:
    """Nothing was judged."""
    if args.json:
        _print_json({"valid": False, "exit": UNUSABLE, "error": {"step": step, "reason": reason}})
    else:
        print(f"error: {plain(reason)}", file=sys.stderr)
    return UNUSABLE


def _print_json(value: Dict[str, Any]) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def _verify(args: argparse.Namespace) -> int:
    if args.policy is not None and args.key is None:
        return _fail(args, "file", "--policy needs --key")
    try:
        trust, store = _trusts(args)
        data = _read(args.file)
    except (TrustStoreError, NoteError, ValueError, OSError) as error:
        return _fail(args, "file", str(error))
    if data.startswith(SCAN_MAGIC):
        return _verify_scan(args, data, trust, store)
    if data[:1] == b"{":
        return _verify_json(args, data)
    return _verify_proof(args, data, trust, store)


def _verify_json(args: argparse.Namespace, data: bytes) -> int:
    """Evidence of a fork: its truth depends on no trust."""
    try:
        body = parse_body(data)
        if "evidence" not in body or "notes" not in body:
            why = "is no proof file, scan or evidence; `superroot verify` reads proofs in JSON"
            return _fail(args, "file", f"{args.file} {why}")
        shown = verify_evidence(body)
    except BodyError as error:
        return _fail(args, "file", f"{args.file} holds no proof: {error}")
    except EvidenceError as error:
        if not error.is_readable:
            return _fail(args, "file", f"{args.file} looks like evidence and is unreadable: {error.reason}")
        failed = {"step": "evidence", "reason": error.reason}
        lines = ["Statement  one key signed two histories", "", *step_lines(ProofError("evidence", error.reason))]
        return _end(args, FALSE, {"kind": "evidence", "error": failed}, lines, f"FALSE: evidence: {error.reason}")
    members = {
        "origin": shown.origin, "key": str(shown.key), "size": shown.size,
        "first_root": _hex(shown.roots[0]), "second_root": _hex(shown.roots[1]),
    }
    lines = ["Statement  one key signed two histories", "", check_line("✓", "evidence", "both signatures hold")]
    lines += [f"{'':23}{name.replace('_', ' '):<17} {plain(str(value))}" for name, value in members.items()]
    verdict = "TRUE: the holder of this key signed two histories; compare the key with the one that you pinned"
    return _end(args, TRUE, {"kind": "evidence", "shown": members, "error": None}, lines, verdict)


def _verify_proof(
    args: argparse.Namespace, data: bytes, trust: Optional[Trust], store: Optional[TrustedStore]
) -> int:
    try:
        proof = read_proof(data)
    except ProofError as error:
        return _fail(args, "file", f"{args.file} holds no proof: {error.reason}")
    try:
        facts = check_levels(proof)
    except UnknownChain as error:
        return _fail(args, "statement", f"{args.file} holds a proof of a chain without a row here: {error.reason}")
    except ProofError as error:
        return _print_false(args, proof, error)
    failure: Optional[ProofError] = None
    try:
        _judge(facts, trust, store)
    except ProofError as error:
        failure = error
    return _print_facts(args, facts, failure)


def _verify_scan(
    args: argparse.Namespace, data: bytes, trust: Optional[Trust], store: Optional[TrustedStore]
) -> int:
    failure: Optional[ProofError] = None
    try:
        facts = check_scan(data)
    except UnknownChain as error:
        return _fail(args, error.step, error.reason)
    except ProofError as error:
        if error.step == "encoding":
            return _fail(args, "file", f"{args.file} holds no proof: {error.reason}")
        failed = {"step": error.step, "reason": error.reason}
        lines = ["Statement  a scan of a range of blocks", "", *step_lines(error)]
        return _end(args, FALSE, {"kind": "scan", "error": failed}, lines, f"FALSE: {error.step}: {error.reason}")
    try:
        _judge(facts.proof, trust, store)
    except ProofError as error:
        failure = error
    code, verdict = _verdict(failure, scan_truth(facts))
    failed_at = None if failure is None else {"step": failure.step, "reason": failure.reason}
    return _end(args, code, {**scan_json(facts), "error": failed_at}, scan_report(facts, failure), verdict)


def _verdict(failure: Optional[ProofError], truth: str) -> Tuple[int, str]:
    """Exit code and last line, by what happened at the anchor."""
    if isinstance(failure, NotAnchored):
        return UNUSABLE, f"NOT ANCHORED: anchor: not anchored to anything you trust: {failure.reason}"
    if failure is not None:
        return FALSE, f"FALSE: anchor: {failure.reason}"
    return TRUE, truth


def _end(args: argparse.Namespace, code: int, members: Dict[str, Any], lines: List[str], verdict: str) -> int:
    """Prints the result and returns the exit code."""
    if args.json:
        _print_json({"valid": code == TRUE, "exit": code, **members})
    else:
        print("\n".join([*lines, "", plain(verdict)]))
    return code


def _sentence(proof: ProofFile) -> str:
    statement = proof.statement
    row = CHAINS.get((statement.family, statement.chain_id))
    block_bound = proof.entry is None or proof.entry.shows_block(
        statement.chain_id, statement.number, network_of(proof.origin)
    )
    return statement_words(statement, "chain" if row is None else row.name, block_bound)


def _print_false(args: argparse.Namespace, proof: ProofFile, error: ProofError) -> int:
    failed = {"step": error.step, "reason": error.reason}
    lines = head_lines(_sentence(proof), proof.origin, network_of(proof.origin)) + step_lines(error)
    members = {"origin": proof.origin, "error": failed}
    return _end(args, FALSE, members, lines, f"FALSE: {error.step}: {error.reason}")


def _print_facts(args: argparse.Namespace, facts: Facts, failure: Optional[ProofError]) -> int:
    code, verdict = _verdict(failure, "TRUE: every level holds and leads to what you trust")
    return _end(args, code, _facts_json(facts, failure), report(facts, failure), verdict)


def _hex(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else "0x" + value.hex()


def _facts_json(facts: Facts, failure: Optional[ProofError]) -> Dict[str, Any]:
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
        "block_hash": _hex(facts.block_hash),
        "transaction_hash": None if facts.transaction is None else _hex(facts.transaction.hash),
        "super_root": None if root is None else {
            "super_root_hash": _hex(root.hash),
            "log_id": _hex(root.log_id),
            "sequence": root.sequence,
            "timestamp": root.timestamp,
            "tree_root": _hex(root.tree_root),
        },
        "anchored": None if anchor is None else {
            "by": anchor.by, "size": anchor.size, "joined": anchor.joined, "first_use": anchor.first_use,
            "witnessed": anchor.witnessed, "note_fault": anchor.note_fault, "source": anchor.source,
        },
        "finality": None if facts.finality is None else {
            "kind": facts.finality.kind, "status": facts.finality.status,
        },
        "not_shown": not_shown(facts),
        "error": None if failure is None else {"step": failure.step, "reason": failure.reason},
    }


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line and returns its exit code."""
    return _verify(_parser().parse_args(arguments))
