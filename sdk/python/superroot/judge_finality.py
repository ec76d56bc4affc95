"""Finality of a proven block, from a set of signers that the client pinned: docs/finality.md."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Optional, Union

from .facts import Facts
from .finality import (
    FinalityEvidence,
    FinalityNotEnough,
    FinalityParams,
    FinalityQuestion,
    FinalityRefused,
    FinalityVerdict,
    check_block,
    params_of,
    read_set,
)
from .finality.check import SetVerdict
from .finality.kinds import KINDS, UncheckedParams, why_unchecked
from .light_client import PinnedSigners, folder_beside, read_pinned
from .statement import CHAINS, Profile
from .store import TrustStoreError
from .trust import TrustedStore, parse_hash


@dataclass(frozen=True)
class FinalityJudgment:
    """A verdict; ``pinned`` is the set that somebody pinned and from which it was judged, if any, and ``signing`` its
    chain."""

    verdict: FinalityVerdict
    pinned: Optional[PinnedSigners] = None
    signing: Optional[Profile] = None


def _read_pinned(pinned: PinnedSigners, params: FinalityParams, chain: Profile) -> SetVerdict:
    row = KINDS.get(pinned.kind)
    if row is None or row.name != params.kind:
        raise TrustStoreError(f"the pinned set of signers of {chain.name} cannot be read: it is of another kind")
    read = read_set(params, pinned.set_bytes, pinned.set_id)
    if isinstance(read, (FinalityNotEnough, FinalityRefused)):
        raise TrustStoreError(f"the pinned set of signers of {chain.name} cannot be read: {read.reason}")
    return read


def _unpinned(chain: Profile, network: str) -> FinalityNotEnough:
    slug = chain.words[0]
    flag = " --network simulated" if network == "simulated" else ""
    pin = f"`superroot trust light-client pin {slug}{flag}`"
    return FinalityNotEnough("unpinned", f"no set of signers of {slug} is pinned here: {pin}")


def judge_finality(
    facts: Facts, evidence: FinalityEvidence, folder: Optional[str], given: Optional[SetVerdict], now: float
) -> FinalityJudgment:
    """Checks the evidence from a set that the caller gives, else from the one that is pinned in a folder. No set is built
    in: the Internet Computer alone has one elsewhere, and its signatures are BLS. Raises :class:`TrustStoreError`."""
    chain = CHAINS.get((facts.statement.family, facts.statement.chain_id))
    if chain is None or facts.block_hash is None:
        why = "the proof shows no block of a chain that is known here"
        return FinalityJudgment(FinalityNotEnough("unchecked", why))
    params = params_of(chain.caip2, facts.network)
    if isinstance(params, UncheckedParams):
        return FinalityJudgment(FinalityNotEnough("unchecked", why_unchecked(params.kind)))
    if params is None:
        why = f"finality of {chain.name} ({facts.network}) is not checked here"
        return FinalityJudgment(FinalityNotEnough("unchecked", why))
    pinned = None
    if given is None and folder is not None:
        pinned = read_pinned(folder, chain, facts.network)
        given = None if pinned is None else _read_pinned(pinned, params, chain)
    if given is None:
        return FinalityJudgment(_unpinned(chain, facts.network), signing=chain)
    if isinstance(given, (FinalityNotEnough, FinalityRefused)):
        return FinalityJudgment(given, signing=chain)
    question = FinalityQuestion(facts.rule, facts.statement.number, facts.block_hash)
    return FinalityJudgment(check_block(given, evidence, question, now), pinned, chain)


def _given_set(facts: Facts, set_bytes: bytes, set_id: Union[str, bytes]) -> Optional[SetVerdict]:
    chain = CHAINS.get((facts.statement.family, facts.statement.chain_id))
    params = None if chain is None else params_of(chain.caip2, facts.network)
    return None if params is None else read_set(params, set_bytes, parse_hash(set_id))


def check_finality(
    facts: Facts,
    trust: Optional[TrustedStore] = None,
    *,
    set_bytes: Optional[bytes] = None,
    set_id: Union[str, bytes, None] = None,
    now: Optional[float] = None,
) -> FinalityVerdict:
    """Checks, from a set of signers that you pinned, that the chain's own consensus chose the block for good.

    ``trust``: the store that :meth:`TrustedStore.load` read, beside which ``superroot trust light-client pin`` keeps sets.
    ``set_bytes`` and ``set_id`` give a set instead: its bytes can come from the service, its id cannot. ``now`` is in
    seconds since 1970, by default this machine's clock.

    Only the verdict ``shown`` counts. Of a simulated network it shows that the program works, and nothing else: everybody
    has its keys. Raises :class:`ValueError` for a proof without evidence or half a set, and :class:`TrustStoreError` for a
    damaged file of a pin.
    """
    if facts.finality is None:
        raise ValueError("the proof has no evidence of finality: ask for it with ?evidence=1")
    if (set_bytes is None) != (set_id is None):
        raise ValueError("set_bytes and set_id come together: a set that nobody pinned proves nothing")
    given = None if set_bytes is None or set_id is None else _given_set(facts, set_bytes, set_id)
    folder = None if trust is None or not trust.file else folder_beside(trust.file)
    return judge_finality(facts, facts.finality, folder, given, time.time() if now is None else now).verdict
