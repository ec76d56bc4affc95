"""Rows of vectors/finality/finality.json, and their parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Dict, List, Tuple

from superroot import ProofError
from superroot._bytes import Reader
from superroot.errors import at
from superroot.finality import (
    FinalityEvidence,
    FinalityParams,
    FinalityQuestion,
    FinalityRefused,
    FinalitySet,
    FinalityShown,
    FinalityVerdict,
    advance,
    check_block,
    read_finality,
    read_set,
)
from superroot.finality.check import SetVerdict
from superroot.finality.commit import CommitParams
from superroot.finality.grandpa import GrandpaParams
from superroot.finality.kinds import UncheckedParams
from superroot.finality.milestone import MilestoneParams
from superroot.finality.producers import ProducerParams
from superroot.finality.work import WorkParams
from vectors import rows

Row = Dict[str, Any]
KINDS = ("work", "commit", "milestone", "producers", "grandpa")
ROWS: List[Row] = rows("finality/finality.json")
_FLAT = {"work": WorkParams, "commit": CommitParams, "producers": ProducerParams, "grandpa": GrandpaParams}


def raw(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def params_of_row(row: Row) -> FinalityParams:
    kind, params = row["kind"], row["params"]
    if kind == "milestone":
        return MilestoneParams(CommitParams(**params["heimdall"]), params["bor_chain"])
    made: FinalityParams = _FLAT[kind](**params) if kind in _FLAT else UncheckedParams(kind)
    return made


def question_of(row: Row) -> FinalityQuestion:
    return FinalityQuestion(row["rule"], row["number"], raw(row["hash"]))


@dataclass(frozen=True)
class Parts:
    """Finality as bytes: evidence, link and steps."""

    evidence: bytes
    link: bytes
    steps: Tuple[bytes, ...]

    @classmethod
    def of(cls, row: Row) -> "Parts":
        reader = Reader(raw(row["finality"]))
        evidence, link = reader.long(), reader.long()
        return cls(evidence, link, tuple(reader.long() for _ in range(reader.u16())))

    def joined(self) -> bytes:
        def part(data: bytes) -> bytes:
            return len(data).to_bytes(4, "big") + data

        count = len(self.steps).to_bytes(2, "big")
        return part(self.evidence) + part(self.link) + count + b"".join(part(step) for step in self.steps)


def read(data: bytes) -> FinalityEvidence:
    """Whole finality. Raises ProofError with the step ``encoding``."""
    with at("encoding"):
        reader = Reader(data)
        evidence = read_finality(reader)
        reader.finish("finality")
    return evidence


def check_bytes(signers: FinalitySet, row: Row, data: bytes) -> FinalityVerdict:
    """What a client with these signers and the row's clock finds. Any error but those of a proof comes through."""
    try:
        evidence = read(data)
    except ProofError as error:
        return FinalityRefused("encoding", error.reason)
    return check_block(signers, evidence, question_of(row), row["now"])


@lru_cache(maxsize=None)
def set_of(name: str) -> SetVerdict:
    row = row_of(name)
    return read_set(params_of_row(row), raw(row["set"]), raw(row["id"]))


@lru_cache(maxsize=None)
def verdict_of(name: str) -> FinalityVerdict:
    row = row_of(name)
    signers = set_of(name)
    return check_bytes(signers, row, raw(row["finality"])) if isinstance(signers, FinalitySet) else signers


def row_of(name: str) -> Row:
    return next(row for row in ROWS if row["name"] == name)


@dataclass(frozen=True)
class Walk:
    """A shown row with its sets: before each step, and the signing one last."""

    row: Row
    parts: Parts
    sets: Tuple[FinalitySet, ...]

    @classmethod
    def of(cls, name: str) -> "Walk":
        row, signers = row_of(name), set_of(name)
        sets: List[FinalitySet] = []
        for step in (*Parts.of(row).steps, None):
            if not isinstance(signers, FinalitySet):
                raise AssertionError(f"{name}: {signers}")
            sets.append(signers)
            signers = signers if step is None else advance(signers, step, row["now"])
        return cls(row, Parts.of(row), tuple(sets))

    @property
    def signer(self) -> FinalitySet:
        return self.sets[-1]


def statement(verdict: FinalityShown) -> Tuple[Any, ...]:
    """What a shown verdict claims."""
    return verdict.kind, verdict.number, verdict.block_hash, verdict.target, verdict.set_id, verdict.by
