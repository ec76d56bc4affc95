"""Steps from a set to the signing one, its signature, and the link down to the block in question. No call raises: each
answers a verdict, whatever the bytes are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional, Sequence, Tuple, Union

from .evidence import EVIDENCE_BYTES_MAX, STEPS_BYTES_MAX, FinalityEvidence
from .kinds import ROWS
from .link import follow
from .rules import FinalityParams, FinalitySet
from .verdict import (
    FinalityNotEnough,
    FinalityRefused,
    FinalityShown,
    FinalityVerdict,
    Shortfall,
    encoding,
    other_block,
    other_kind,
    other_number,
    other_root,
    verdict_of,
)

_STEPS_MAX = 0xFFFF
#: A set, or why there is none.
SetVerdict = Union[FinalitySet, FinalityNotEnough, FinalityRefused]


@dataclass(frozen=True)
class FinalityQuestion:
    """The block in question: the code of its header rule, its stated number, and its hash."""

    rule: int
    number: int
    block_hash: bytes


def read_set(params: FinalityParams, data: bytes, set_id: Optional[bytes] = None) -> SetVerdict:
    """Reads a set. With a ``set_id``, any other set is refused; without one, compare the set's ``id`` with a pin
    yourself."""
    try:
        read = params.decode_set(data)
        if set_id is not None and read.id != set_id:
            raise other_root()
        return read
    except Exception as error:
        return verdict_of(error)


def advance(signers: FinalitySet, step: bytes, now: float) -> SetVerdict:
    """Checks a step: the set behind this one. ``now`` is in seconds since 1970."""
    try:
        if len(step) > STEPS_BYTES_MAX:
            raise encoding("step")
        return signers.next_set(step, int(now))
    except Exception as error:
        return verdict_of(error)


def _advance_all(own: FinalitySet, steps: Sequence[bytes], now: int) -> Tuple[FinalitySet, int]:
    """Takes steps in order. While none was taken, one that leads to the own set or to an earlier one is skipped."""
    signers, taken = own, 0
    for step in steps:
        try:
            signers = signers.next_set(step, now)
            taken += 1
        except Shortfall as shortfall:
            if taken > 0 or shortfall.sets is None or shortfall.sets[0] >= shortfall.sets[1]:
                raise
    return signers, taken


def _signed(signers: FinalitySet, evidence: FinalityEvidence, now: int) -> FinalityShown:
    if evidence.kind != signers.kind:
        raise other_kind()
    if len(evidence.body) > EVIDENCE_BYTES_MAX:
        raise encoding("evidence of finality")
    signature = signers.check(evidence.number, evidence.block_hash, evidence.body, now)
    row = ROWS[signers.kind]
    number = evidence.number if row.binds_number else None
    block = evidence.block_hash
    return FinalityShown(row.name, number, block, block, signers.id, 0, signature.at, signature.by, row.trust)


def _check_block(
    signers: FinalitySet, evidence: FinalityEvidence, question: FinalityQuestion, now: int
) -> FinalityShown:
    if len(evidence.steps) > _STEPS_MAX or sum(map(len, evidence.steps)) > STEPS_BYTES_MAX:
        raise encoding("steps of finality")
    signing, taken = _advance_all(signers, evidence.steps, now)
    shown = _signed(signing, evidence, now)
    number, block_hash = follow(evidence.link, question.rule, evidence.number, evidence.block_hash)
    if block_hash != question.block_hash:
        raise other_block(block_hash, question.block_hash)
    if number != question.number:
        raise other_number(number, question.number)
    bound = None if shown.number is None else number
    return replace(shown, number=bound, block_hash=block_hash, steps=taken)


def check_block(
    signers: FinalitySet, evidence: FinalityEvidence, question: FinalityQuestion, now: float
) -> FinalityVerdict:
    """Checks a block's finality from a trusted set: steps, the last set's signature, and headers down to the block. The
    number that is reached must be the stated one. ``now`` is in seconds since 1970."""
    try:
        return _check_block(signers, evidence, question, int(now))
    except Exception as error:
        return verdict_of(error)
