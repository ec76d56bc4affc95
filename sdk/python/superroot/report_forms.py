"""Results of the forms that hold whole proofs, as ``superroot verify`` says them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from .cli_common import Result, error_of, verdict
from .errors import ProofError
from .facts import Facts
from .forms.blob import BlobFacts
from .forms.launch import LaunchFacts
from .forms.price import PriceFacts
from .forms.usage import UsageFacts
from .report import anchor_words, check_line, head_lines, member_lines, plain

_CANONICITY = "canonicity: that the chain's own consensus chose this block"
_BLOCKS_NOT_SHOWN = (
    "canonicity: that the chain's own consensus chose these blocks",
    "finality: that the blocks can no longer be replaced",
)
_PUBLICATION = "publication: that everybody else is shown this same SuperRoot"


@dataclass(frozen=True)
class FormReport:
    """What a form shows. ``facts``: the proof whose anchor is the form's; ``checks``: what holds, by name; ``said``: the
    service's word."""

    kind: str
    sentence: str
    facts: Facts
    checks: List[Tuple[str, str]]
    shown: Dict[str, Any]
    not_shown: List[str]
    truth: str
    said: List[str] = field(default_factory=list)


def _bullets(title: str, lines: List[str]) -> List[str]:
    return ["", title, *(f"  - {plain(line)}" for line in lines)] if lines else []


def form_result(report: FormReport, failure: Optional[ProofError]) -> Result:
    """The result of a form whose members hold; ``failure`` is that of its anchor."""
    facts, not_shown = report.facts, list(report.not_shown)
    if facts.anchor is None or not facts.anchor.witnessed:
        not_shown.append(_PUBLICATION)
    lines = head_lines(plain(report.sentence), facts.origin, facts.network)
    lines += [check_line("✓", name, words) for name, words in report.checks]
    if failure is not None:
        lines.append(check_line("✗", "anchor", failure.reason))
    elif facts.anchor is not None:
        lines.append(check_line("✓", "anchor", anchor_words(facts.anchor)))
    lines += _bullets("Not shown:", not_shown) + _bullets("Said by the service, not proven:", report.said)
    code, words = verdict(failure, report.truth)
    members = {
        "kind": report.kind, "origin": facts.origin, "network": facts.network, "sentence": report.sentence,
        **report.shown, "not_shown": not_shown, "said": report.said, "error": error_of(failure),
    }
    return Result(code, members, lines, words)


def _sequence(facts: Facts) -> int:
    return 0 if facts.super_root is None else facts.super_root.sequence


def usage_report(shown: UsageFacts) -> FormReport:
    contract = "0x" + shown.contract.hex()
    chain = f"{shown.event.chain_name} ({shown.event.statement.chain})"
    sentence = (
        f"account {shown.user_id} made {shown.requests} requests for {shown.billing_tokens} billing tokens on {shown.day}"
    )
    rows = "the hourly rows are not there: the sums are those of the account's leaf"
    if shown.row_count is not None:
        rows = f"{shown.row_count} hourly rows add up to it, and lead to the account's leaf"
    event = f"{contract} on {chain} has this root as checkpoint {shown.sequence}"
    checks = [
        ("rows", rows), ("leaf", f"it is one of {shown.accounts} accounts in the root of the day"),
        ("event", f"{event}, proven up to SuperRoot {_sequence(shown.event)}"),
    ]
    not_shown = [
        f"that {contract} is the service's registry: compare it with the address it publishes",
        "that each request was made: rows are the service's counts, fixed on that day",
        _CANONICITY,
        "what the root does not hold: `endpoint` (it holds the route's number), `state`, `transaction_hash`, `proof_url` and "
        "`rows_missing` are the service's words",
    ]
    members = {
        "user_id": shown.user_id, "day": shown.day, "environment": shown.environment, "requests": shown.requests,
        "billing_tokens": shown.billing_tokens, "row_count": shown.row_count, "accounts": shown.accounts,
        "contract": contract, "chain_id": shown.event.statement.chain_id, "sequence": shown.sequence,
        "root": "0x" + shown.root.hex(),
    }
    truth = f"TRUE: {sentence}, under what is listed above"
    return FormReport("usage", sentence, shown.event, checks, members, not_shown, truth)


def price_report(shown: PriceFacts) -> FormReport:
    last = shown.last
    symbol = "token" if shown.symbol is None else shown.symbol
    chain = f"{last.chain_name} ({last.statement.chain})"
    worth = f"is worth {shown.price_usd} US dollars at block {shown.block_number} of {chain}"
    sentence = f"one {symbol} ({shown.token}) {worth}"
    checks = [
        ("events", f"{shown.events} events are proven up to SuperRoot {_sequence(last)}"),
        ("pools", f"{shown.pools} pools, what each has in force follows from these"),
        ("price", f"{shown.price_usd} follows from these pools"),
    ]
    not_shown = [*_BLOCKS_NOT_SHOWN, "what a trade gets: a price is of the next small amount"]
    members = {
        "token": shown.token, "chain_id": shown.chain_id, "block_number": shown.block_number, "price_usd": shown.price_usd,
        "pools": shown.pools, "events": shown.events,
    }
    truth = f"TRUE: {sentence}, under what is listed above"
    return FormReport("price", sentence, last, checks, members, not_shown, truth, shown.said)


def launch_report(shown: LaunchFacts) -> FormReport:
    creation, liquidity = shown.creation, shown.liquidity
    second = "it got liquidity" if shown.adds_liquidity else "an event that adds none ended it"
    chain = f"{creation.chain_name} ({creation.statement.chain})"
    made = f"{shown.protocol} made the pool {shown.pool} of {shown.pair[0]} and {shown.pair[1]}"
    sentence = (
        f"{made} in block {creation.statement.number} of {chain}, and {second} in block {liquidity.statement.number}"
    )
    checks = [
        ("events", f"both are proven up to SuperRoot {_sequence(creation)}"),
        ("pool", "a factory known here made it, and both events are of it"),
        ("proof_hash", f"0x{shown.proof_hash.hex()} is the hash of these two events"),
    ]
    not_shown = [
        *_BLOCKS_NOT_SHOWN, "what the liquidity is worth, and that it is still there",
        "that a token is what its symbol says, or can be sold again",
    ]
    if shown.hooks is not None:
        not_shown.append("what the pool's hook does at each trade")
    members = {
        "chain_id": shown.chain_id, "proof_hash": "0x" + shown.proof_hash.hex(), "protocol": shown.protocol,
        "pool": shown.pool, "pool_id": shown.pool_id, "pair": list(shown.pair), "adds_liquidity": shown.adds_liquidity,
        "hooks": shown.hooks, "creation_block": creation.statement.number, "block": liquidity.statement.number,
    }
    truth = f"TRUE: {sentence}, under what is listed above"
    return FormReport("launch", sentence, creation, checks, members, not_shown, truth)


def blob_result(shown: BlobFacts, failure: Optional[ProofError]) -> Result:
    """The result of a blob whose content holds; ``failure`` is that of its anchor."""
    blob, root = shown.blob, shown.blob.super_root
    members: Dict[str, Any] = {
        "super_root_hash": "0x" + root.hash.hex(), "log_id": "0x" + root.log_id.hex(), "sequence": root.sequence,
        "timestamp": root.timestamp, "registry_rows": len(blob.registry), "references": len(blob.references),
        "sealed_twigs": sum(one.leaf_count for one in blob.mini_mmrs), "appended_twigs": shown.appended_count,
    }
    words = "every slot is what the SuperRoot commits to; which twigs were appended, only the blob before shows"
    lines = [f"Statement  what is behind SuperRoot {root.sequence}", "", check_line("✓", "blob", words)]
    lines += member_lines(list(members.items()))
    lines += [check_line("-", "not proven", path) for path in shown.unproven]
    if failure is not None:
        lines.append(check_line("✗", "anchor", failure.reason))
    elif shown.root.anchor is not None:
        lines.append(check_line("✓", "anchor", anchor_words(shown.root.anchor)))
    code, verdict_words = verdict(failure, "TRUE: it holds, and is of the SuperRoot that you trust")
    result = {"kind": "blob", "shown": members, "unproven": shown.unproven, "error": error_of(failure)}
    return Result(code, result, lines, verdict_words)
