"""Proofs of blockchain facts, checked by hashing alone.

    import superroot

    log = superroot.Client("https://api.example.org", trust=superroot.TrustedKey.of("log.example.org+1c2d3e4f+AX.."))
    facts = log.prove_event("ethereum", block=13998626, tx_index=5, log_index=3)    # fetched and checked
    facts.event["topics"]

    superroot.verify(data, superroot.TrustedSuperRoot.of("0x.."))                   # a file, offline
"""

from __future__ import annotations

from typing import Optional

from .client import Client, ProvenAnswer, ServiceAnswer, ServiceError
from .consistency_json import ConsistencyError, ConsistencyFacts, verify_consistency
from .errors import STEPS, NotAnchored, NoteError, ProofError, UnknownChain
from .evidence import Contradiction, EvidenceError, verify_evidence
from .facts import Anchor, EvmLog, Facts, PlaceFacts, SuperRoot, TwigFacts
from .file import ProofFile, read_proof
from .finality import FinalityEvidence, FinalityNotEnough, FinalityRefused, FinalityShown, FinalityVerdict
from .forms.answer import AnswerFacts, verify_answer
from .forms.batch import BatchFacts, verify_batch
from .forms.blob import BlobFacts, verify_blob
from .forms.calldata import verify_calldata
from .forms.launch import LaunchFacts, verify_launch
from .forms.price import PriceFacts, verify_price
from .forms.scan_answer import ScanAnswerFacts, verify_scan_answer
from .forms.usage import UsageFacts, verify_usage
from .judge_finality import check_finality
from .keys import VerifierKey
from .ledgers import Event, Header, Transaction
from .note import Checkpoint, Note, read_note
from .policy import WitnessPolicy
from .scan import ScanEvent, ScanFacts, ScanFilter, verify_scan
from .statement import CHAINS, Chains, Profile, Statement, Subject
from .store import TrustStore, TrustStoreError
from .trust import Trust, TrustedKey, TrustedStore, TrustedSuperRoot
from .verifier import check_levels

__version__ = "0.1.0"

__all__ = [
    "Anchor", "AnswerFacts", "BatchFacts", "BlobFacts", "CHAINS", "Chains", "Checkpoint", "Client",
    "ConsistencyError", "ConsistencyFacts", "Contradiction", "Event", "EvidenceError", "EvmLog", "Facts",
    "FinalityEvidence", "FinalityNotEnough", "FinalityRefused", "FinalityShown", "FinalityVerdict", "Header",
    "LaunchFacts", "NotAnchored", "Note", "NoteError", "PlaceFacts", "PriceFacts", "Profile", "ProofError",
    "ProofFile", "ProvenAnswer", "STEPS", "ScanAnswerFacts", "ScanEvent", "ScanFacts", "ScanFilter", "ServiceAnswer",
    "ServiceError", "Statement", "Subject", "SuperRoot", "Transaction", "Trust", "TrustStore", "TrustStoreError",
    "TrustedKey", "TrustedStore", "TrustedSuperRoot", "TwigFacts", "UnknownChain", "UsageFacts", "VerifierKey",
    "WitnessPolicy", "check_finality", "check_levels", "read_note", "read_proof", "verify", "verify_answer",
    "verify_batch", "verify_blob", "verify_calldata", "verify_consistency", "verify_evidence", "verify_launch",
    "verify_price", "verify_scan", "verify_scan_answer", "verify_usage",
]


def verify(data: bytes, trust: Trust, chains: Optional[Chains] = None) -> Facts:
    """Checks a ``.srproof`` file up to a SuperRoot that the client trusts, and returns what it shows.

    ``chains`` are the rows that the verifier knows, by (family, chain id); those of this package by default.

    Raises :class:`ProofError`; its ``step`` is the first that fails. :class:`NotAnchored` and :class:`UnknownChain`
    mean that nothing was found to be false, and nothing is shown.
    """
    facts = check_levels(read_proof(data), chains)
    facts.anchor = trust.judge(facts)
    return facts
