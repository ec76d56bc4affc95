"""``python -m superroot verify FILE``: exit codes and words as ``superroot verify``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import List, Optional, Tuple

from ._member import BODY_BYTES_MAX
from .cli_common import FALSE, Result, end, error_of, facts_result, fail, failure_of, false_result, verdict
from .cli_finality import CLASSES, STEP, store_path
from .cli_json import has_no_block, verify_json
from .errors import NoteError, ProofError, UnknownChain
from .facts import statement_words
from .file import ProofFile, read_proof
from .forms.calldata import calldata_of, decode_calldata
from .report import head_lines, step_lines
from .report_scan import scan_json, scan_report, scan_truth
from .scan import MAGIC as SCAN_MAGIC
from .scan import check_scan
from .statement import CHAINS, network_of
from .store import TrustStoreError
from .trust import Trust, TrustedKey, TrustedStore, TrustedSuperRoot
from .verifier import check_levels

_EXIT_CODES = (
    "Exits with 0 when the proof is true, 1 when it is false, 2 when it is no proof, leads to no SuperRoot that you "
    "trust, or is of a chain without a row here."
)


def _parser() -> argparse.ArgumentParser:
    about = "Proofs of blockchain facts, checked by hashing alone"
    parser = argparse.ArgumentParser(prog="superroot", description=about)
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="check a proof file offline", epilog=_EXIT_CODES)
    forms = "proof (.srproof), scan (.srscan), proof for contracts (.calldata), or JSON with proofs"
    verify.add_argument("file", help=f"{forms}; - reads standard input")
    by = verify.add_mutually_exclusive_group()
    by.add_argument("--superroot", metavar="HASH", help="trusted SuperRoot hash, from elsewhere than the service")
    by.add_argument("--key", metavar="VKEY", help="trusted key of the log: the proof must carry a note signed by it")
    verify.add_argument("--policy", metavar="FILE", help="witnesses that must have signed with the key")
    verify.add_argument("--trust", metavar="FILE", help="trust store, by default the command line's own trust.toml")
    named = "log of a proof for contracts, by default that of --key, or the only one that is pinned"
    verify.add_argument("--origin", metavar="LOG", help=named)
    demand = "demand finality that is checked here, from a set of signers that you pinned; else the exit code is 2"
    verify.add_argument("--finality", nargs="?", choices=CLASSES, const=CLASSES[0], help=demand)
    verify.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _trusts(args: argparse.Namespace) -> Tuple[Optional[Trust], Optional[TrustedStore]]:
    """What judges the proof, and the store whose pins may contradict it."""
    path = store_path(args)
    store = TrustedStore.load(path) if args.trust or os.path.exists(path) else None
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
        return sys.stdin.buffer.read(BODY_BYTES_MAX + 1)
    with open(path, "rb") as file:
        return file.read(BODY_BYTES_MAX + 1)


def _verify(args: argparse.Namespace) -> int:
    if args.policy is not None and args.key is None:
        return fail(args, "file", "--policy needs --key")
    try:
        trust, store = _trusts(args)
        data = _read(args.file)
    except (TrustStoreError, NoteError, ValueError, OSError) as error:
        return fail(args, "file", str(error))
    if args.finality is not None and (data.startswith(SCAN_MAGIC) or has_no_block(data)):
        return fail(args, STEP, f"{args.file} is no proof of a block: finality is not shown by it")
    if data.startswith(SCAN_MAGIC):
        return _verify_scan(args, data, trust, store)
    calldata = calldata_of(data)
    if calldata is not None:
        return _verify_calldata(args, calldata, trust, store)
    if data[:256].lstrip()[:1] == b"{":
        return verify_json(args, data, trust, store)
    return _verify_proof(args, data, trust, store)


def _verify_proof(
    args: argparse.Namespace, data: bytes, trust: Optional[Trust], store: Optional[TrustedStore]
) -> int:
    try:
        proof = read_proof(data)
    except ProofError as error:
        return fail(args, "file", f"{args.file} holds no proof: {error.reason}")
    return _judge_proof(args, proof, trust, store)


def _judge_proof(
    args: argparse.Namespace, proof: ProofFile, trust: Optional[Trust], store: Optional[TrustedStore]
) -> int:
    try:
        facts = check_levels(proof)
    except UnknownChain as error:
        return fail(args, "statement", f"{args.file} holds a proof of a chain without a row here: {error.reason}")
    except ProofError as error:
        return _print_false(args, proof, error)
    return end(args, facts_result(args, facts, failure_of(facts, trust, store)))


def _origin(args: argparse.Namespace, trust: Optional[Trust], store: Optional[TrustedStore]) -> Optional[str]:
    """The log of a proof that does not name it."""
    if args.origin is not None:
        return str(args.origin)
    if isinstance(trust, TrustedKey):
        return trust.key.name
    pinned = trust if isinstance(trust, TrustedStore) else store
    logs = () if pinned is None else pinned.store.logs
    return logs[0].origin if len(logs) == 1 else None


def _verify_calldata(
    args: argparse.Namespace, data: bytes, trust: Optional[Trust], store: Optional[TrustedStore]
) -> int:
    origin = _origin(args, trust, store)
    if origin is None:
        return fail(args, "origin", "a proof for contracts does not name its log: give --origin")
    try:
        proof = decode_calldata(data, origin)
    except ProofError as error:
        return fail(args, error.step, f"{args.file} holds no proof: {error.reason}")
    return _judge_proof(args, proof, trust, store)


def _verify_scan(
    args: argparse.Namespace, data: bytes, trust: Optional[Trust], store: Optional[TrustedStore]
) -> int:
    try:
        facts = check_scan(data)
    except UnknownChain as error:
        return fail(args, error.step, error.reason)
    except ProofError as error:
        if error.step == "encoding":
            return fail(args, "file", f"{args.file} holds no proof: {error.reason}")
        return end(args, false_result("scan", "a scan of a range of blocks", error))
    failure = failure_of(facts.proof, trust, store)
    code, words = verdict(failure, scan_truth(facts))
    members = {**scan_json(facts), "error": error_of(failure)}
    return end(args, Result(code, members, scan_report(facts, failure), words))


def _sentence(proof: ProofFile) -> str:
    statement = proof.statement
    row = CHAINS.get((statement.family, statement.chain_id))
    block_bound = proof.entry is None or proof.entry.shows_block(
        statement.chain_id, statement.number, network_of(proof.origin)
    )
    return statement_words(statement, "chain" if row is None else row.name, block_bound)


def _print_false(args: argparse.Namespace, proof: ProofFile, error: ProofError) -> int:
    lines = head_lines(_sentence(proof), proof.origin, network_of(proof.origin)) + step_lines(error)
    members = {"origin": proof.origin, "error": error_of(error)}
    return end(args, Result(FALSE, members, lines, f"FALSE: {error.step}: {error.reason}"))


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line and returns its exit code."""
    return _verify(_parser().parse_args(arguments))
