"""``python -m superroot verify`` for JSON: each form by its own members."""

from __future__ import annotations

import argparse
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._member import BodyError, parse_body
from .cli_common import (
    FALSE,
    TRUE,
    UNUSABLE,
    Result,
    end,
    error_of,
    facts_result,
    fail,
    failure_of,
    false_result,
    json_of,
    null_hex_of,
    verdict,
)
from .errors import ProofError, UnknownChain
from .evidence import EvidenceError, verify_evidence
from .forms.answer import AnswerFacts, check_answer, shape_of
from .forms.batch import expand_batch, is_batch
from .forms.blob import check_blob, is_blob, with_note
from .forms.launch import check_launch, is_launch
from .forms.price import check_price, is_price
from .forms.scan_answer import check_scan_answer, is_scan_answer
from .forms.usage import check_usage, is_usage
from .report import check_line, plain
from .report_forms import FormReport, blob_result, form_result, launch_report, price_report, usage_report
from .report_scan import scan_json, scan_report, scan_truth
from .trust import Trust, TrustedStore, TrustedSuperRoot

_Json = Dict[str, Any]
#: Steps at which nothing is found to be false: there is no proof to check.
_NOTHING_JUDGED = ("encoding", "no_usage", "no_leaf", "not_proven", "no_price", "no_proof", "no_signal")
#: How a form is told, its name, words for it, and its check. The first that fits is taken.
_FORMS: Tuple[Tuple[Callable[[Any], bool], str, str, Callable[[Any], FormReport]], ...] = (
    (is_price, "price", "a price with its proofs", lambda body: price_report(check_price(body))),
    (is_usage, "usage", "a usage bill", lambda body: usage_report(check_usage(body))),
    (is_launch, "launch", "the proofs behind a launch", lambda body: launch_report(check_launch(body))),
)


def has_no_block(data: bytes) -> bool:
    """Whether JSON is an answer without a proof of a block, and no refusal of the service either."""
    if data[:256].lstrip()[:1] != b"{":
        return False
    try:
        body = parse_body(data)
    except BodyError:
        return False
    if is_batch(body) or _is_refusal(body):
        return False
    is_other = is_scan_answer(body) or is_blob(body) or any(is_it(body) for is_it, *_ in _FORMS)
    return is_other or shape_of(body) is None


def _is_refusal(body: _Json) -> bool:
    is_problem = isinstance(body.get("status"), int) and isinstance(body.get("code"), str)
    return is_problem and isinstance(body.get("detail"), str)


def verify_json(args: argparse.Namespace, data: bytes, trust: Optional[Trust], store: Optional[TrustedStore]) -> int:
    """Checks JSON, and prints the result."""
    try:
        body = parse_body(data)
    except BodyError as error:
        return fail(args, "file", f"{args.file} holds no proof: {error}")
    if "evidence" in body and "notes" in body:
        return _evidence(args, body)
    if is_batch(body):
        return _batch(args, body, trust, store)
    if "strength" in body:
        return fail(args, "file", f"{args.file} is consistency: use verify_consistency with the SuperRoots that you trust")
    for is_it, kind, words, read in _FORMS:
        if is_it(body):
            return _form(args, body, kind, words, read, trust, store)
    if is_scan_answer(body):
        return _scan(args, body, trust, store)
    if is_blob(body):
        return _blob(args, body, trust, store)
    if shape_of(body) is None:
        return fail(args, "file", f"{args.file} {_why_none(body)}")
    try:
        result = _answer(args, body, trust, store)
    except ProofError as error:
        if error.step == "encoding" or isinstance(error, UnknownChain):
            return fail(args, "file" if error.step == "encoding" else error.step, f"{args.file}: {error.reason}")
        result = false_result("answer", "a proof in JSON", error)
    return end(args, result)


def _why_none(body: _Json) -> str:
    """Why JSON is no form of proof that is known here."""
    if _is_refusal(body):
        return f"is a refusal of the service, not an answer: {body['detail']}"
    if isinstance(body.get("conflict"), str) and isinstance(body.get("set"), dict):
        return "is a conflict of signers of a chain, not checked here: use `superroot verify`"
    return "holds no proof: no form of proof in JSON that is known here"


def _form(
    args: argparse.Namespace, body: _Json, kind: str, words: str, read: Callable[[Any], FormReport],
    trust: Optional[Trust], store: Optional[TrustedStore],
) -> int:
    """A form that holds whole proofs."""
    try:
        report = read(body)
    except ProofError as error:
        if error.step in _NOTHING_JUDGED or isinstance(error, UnknownChain):
            return fail(args, error.step, f"{args.file}: {error.reason}")
        return end(args, false_result(kind, words, error))
    return end(args, form_result(report, failure_of(report.facts, trust, store)))


def _evidence(args: argparse.Namespace, body: _Json) -> int:
    """Evidence of a fork: its truth depends on no trust."""
    try:
        shown = verify_evidence(body)
    except EvidenceError as error:
        if not error.is_readable:
            return fail(args, "file", f"{args.file} looks like evidence and is unreadable: {error.reason}")
        failure = ProofError("evidence", error.reason)
        return end(args, false_result("evidence", "one key signed two histories", failure))
    members = {
        "origin": shown.origin, "key": str(shown.key), "size": shown.size,
        "first_root": null_hex_of(shown.roots[0]), "second_root": null_hex_of(shown.roots[1]),
    }
    lines = ["Statement  one key signed two histories", "", check_line("✓", "evidence", "both signatures hold")]
    lines += [f"{'':23}{name.replace('_', ' '):<17} {plain(str(value))}" for name, value in members.items()]
    words = "TRUE: the holder of this key signed two histories; compare the key with the one that you pinned"
    return end(args, Result(TRUE, {"kind": "evidence", "shown": members, "error": None}, lines, words))


def _scan(args: argparse.Namespace, body: _Json, trust: Optional[Trust], store: Optional[TrustedStore]) -> int:
    """A scan in JSON: a page, or a search with ``completeness``."""
    try:
        shown = check_scan_answer(body)
    except ProofError as error:
        if error.step == "encoding" or isinstance(error, UnknownChain):
            return fail(args, error.step, f"{args.file}: {error.reason}")
        return end(args, false_result("scan", "a scan of a range of blocks", error))
    failure = failure_of(shown.scan.proof, trust, store)
    code, words = verdict(failure, scan_truth(shown.scan, shown.listed))
    lines = scan_report(shown.scan, failure) + _said(shown.unproven)
    members = {**scan_json(shown.scan), "listed": shown.listed, "unproven": shown.unproven, "error": error_of(failure)}
    return end(args, Result(code, members, lines, words))


def _said(unproven: List[str]) -> List[str]:
    paths = [f"  - {plain(path)}" for path in sorted(unproven)]
    return ["", "Said by the service, not proven:", *paths] if paths else []


def _blob(args: argparse.Namespace, body: _Json, trust: Optional[Trust], store: Optional[TrustedStore]) -> int:
    """A blob: its SuperRoot is trusted by its hash, by the note next to it, or by a pin."""
    try:
        shown = check_blob(body)
    except ProofError as error:
        return end(args, false_result("blob", "what is behind a SuperRoot", error))
    failure: Optional[ProofError] = None
    try:
        if not isinstance(trust, TrustedSuperRoot):
            shown = with_note(body, shown)
        failure = failure_of(shown.root, trust, store)
    except ProofError as error:
        failure = error
    return end(args, blob_result(shown, failure))


def _answer(args: argparse.Namespace, body: Any, trust: Optional[Trust], store: Optional[TrustedStore]) -> Result:
    return _shown_answer(args, check_answer(body), trust, store)


def _shown_answer(
    args: argparse.Namespace, shown: AnswerFacts, trust: Optional[Trust], store: Optional[TrustedStore]
) -> Result:
    result = facts_result(args, shown.facts, failure_of(shown.facts, trust, store))
    lines = result.lines + _said(shown.unproven)
    return Result(result.code, {**result.members, "unproven": shown.unproven}, lines, result.verdict)


def _item(args: argparse.Namespace, item: Any, trust: Optional[Trust], store: Optional[TrustedStore]) -> Result:
    try:
        return _answer(args, item, trust, store)
    except ProofError as error:
        if error.step != "encoding" and not isinstance(error, UnknownChain):
            return false_result("answer", "a proof in JSON", error)
        return Result(UNUSABLE, {"error": error_of(error)}, [], f"NOT USABLE: {error.step}: {error.reason}")


def _batch(args: argparse.Namespace, body: _Json, trust: Optional[Trust], store: Optional[TrustedStore]) -> int:
    try:
        results = [_item(args, item, trust, store) for item in expand_batch(body)]
    except ProofError as error:
        return fail(args, "file", f"{args.file} holds no proof: {error.reason}")
    codes = [result.code for result in results]
    code = FALSE if FALSE in codes else UNUSABLE if UNUSABLE in codes else TRUE
    lines: List[str] = []
    for place, result in enumerate(results):
        lines += [f"--- item {place} ---", "", *result.lines, "", plain(result.verdict), ""]
    said = [name for name in body if name not in ("items", "nodes")]
    if said:
        lines.append(f"Said by the service of the batch, not proven: {plain(', '.join(said))}")
    words = f"{codes.count(TRUE)} true, {codes.count(FALSE)} false, {codes.count(UNUSABLE)} not anchored or unusable"
    members: _Json = {"kind": "batch", "items": [json_of(result) for result in results], "unproven": said}
    return end(args, Result(code, members, lines, words))
