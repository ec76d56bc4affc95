"""The proofs behind a launch: a factory made a pool, and it got liquidity. docs/protocol/prices.md, "A launch"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from .._hash import keccak256
from .._member import Member, hexed
from ..errors import ProofError, Refused, at, need
from ..facts import Facts
from ..statement import EVENT, Chains
from ..trust import Trust
from ._steps import check_said, check_said_anchor
from .answer import Body, parsed
from .dex.events import NO_ADDRESS, Created, Liquidity, Pool, PoolEvent, SaidReserves, decode_event
from .dex.factories import Pair, made_by
from .price import prove_event, slug_of

_ROLES = ("creation", "liquidity")


@dataclass(frozen=True)
class LaunchFacts:
    """What the proofs behind a launch show. ``pool_id``: within a contract, else ``None``; ``adds_liquidity``: false where
    the second event ended the launch; ``hooks``: the contract that is called at each trade. ``creation`` and ``liquidity``
    are the proven events, under one SuperRoot."""

    proof_hash: bytes
    chain_id: int
    protocol: str
    pool: str
    pool_id: Optional[str]
    pair: Pair
    adds_liquidity: bool
    hooks: Optional[str]
    creation: Facts
    liquidity: Facts


def _statement_bytes(facts: Facts) -> bytes:
    statement, subject = facts.statement, facts.statement.subject
    head = bytes([statement.family]) + statement.chain_id.to_bytes(8, "big") + (facts.block_hash or b"")
    if subject.kind != EVENT or subject.tx_index is None or subject.log_index is None:
        return head
    return head + subject.tx_index.to_bytes(4, "big") + subject.log_index.to_bytes(4, "big")


def _check_members(body: Dict[str, Any], events: Tuple[Facts, Facts]) -> None:
    check_said_anchor(body, events[0])
    chain_id = events[0].statement.chain_id
    check_said(body, "", {"chainId": chain_id})
    for place, facts in enumerate(events):
        number, subject = facts.statement.number, facts.statement.subject
        if subject.kind != EVENT:
            continue
        tx_index, log_index = subject.tx_index, subject.log_index
        block_hash = None if facts.block_hash is None else hexed(facts.block_hash)
        proven = {
            "role": _ROLES[place], "blockNumber": number, "blockHash": block_hash, "txIndex": tx_index,
            "logIndex": log_index, "proofUrl": f"/v5/proof/event/{chain_id}/{number}/{tx_index}/{log_index}",
        }
        check_said(body["events"][place], f"events[{place}].", proven)


def _decoded(facts: Facts) -> Tuple[str, Pool, PoolEvent]:
    """Emitter, pool and event."""
    log = facts.log
    if log is None:
        raise Refused("an event is no log")
    found = decode_event(log)
    if found is None:
        raise Refused("an event is none of a pool")
    return hexed(log.address), found[0], found[1]


def is_launch(body: Any) -> bool:
    """Whether a body has the proofs behind a launch."""
    return isinstance(body, dict) and "proofHash" in body and "events" in body


def _shown(proof_hash: bytes, creation: Facts, liquidity: Facts) -> LaunchFacts:
    by, pool, made = _decoded(creation)
    if not isinstance(made, Created):
        raise Refused("the first event makes no pool")
    slug = slug_of(creation)
    bound = None if slug is None else made_by(slug, by, made)
    if bound is None:
        raise Refused("no factory known here made the pool")
    _, filled, second = _decoded(liquidity)
    need(filled == pool, "the second event is of another pool")
    adds = second.adds if isinstance(second, Liquidity) else isinstance(second, SaidReserves) and min(second.reserves) > 0
    hooks = None if made.hooks == NO_ADDRESS else made.hooks
    pair = made.token0, made.token1
    chain_id = creation.statement.chain_id
    return LaunchFacts(
        proof_hash, chain_id, bound.dex, pool.address, pool.id, pair, adds, hooks, creation, liquidity
    )


def check_launch(body: Any, chains: Optional[Chains] = None) -> LaunchFacts:
    """Checks the proofs behind a launch, and judges no anchor.

    Raises :class:`ProofError`: ``no_signal``, ``proof``, ``super_roots``, ``hash``, ``said`` or ``pool``.
    """
    with at("no_signal"):
        root = Member(body, False)
        blobs = [event.get("proofBlob").text() for event in root.get("events").items(2)]
        need(len(blobs) == 2, "two events were expected")
        proof_hash = root.get("proofHash").hash()
    creation, liquidity = (prove_event(blob, chains) for blob in blobs)
    one, other = creation.super_root, liquidity.super_root
    if one is None or other is None or one.hash != other.hash:
        raise ProofError("super_roots", "the proofs lead to more than one SuperRoot, or to none")
    with at("hash"):
        hashed = keccak256(_statement_bytes(creation) + _statement_bytes(liquidity))
        need(hashed == proof_hash, "these events have another proof hash")
    with at("said"):
        _check_members(body, (creation, liquidity))
    with at("pool"):
        return _shown(proof_hash, creation, liquidity)


def verify_launch(body: Body, trust: Trust, chains: Optional[Chains] = None) -> LaunchFacts:
    """Checks the proofs behind a launch up to a SuperRoot that the client trusts. Raises :class:`ProofError`: ``encoding``,
    a step of :func:`check_launch`, or ``anchor``."""
    shown = check_launch(parsed(body), chains)
    shown.creation.anchor = trust.judge(shown.creation)
    return shown
