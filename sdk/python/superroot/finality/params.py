"""Params by CAIP-2 name and network: the client's own constants, as in crates/chain. Trusting periods are policies:
docs/finality.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, List, Optional

from .commit import CommitParams
from .grandpa import GrandpaParams
from .kinds import UncheckedParams
from .milestone import MilestoneParams
from .producers import ProducerParams
from .rules import FinalityParams
from .work import WorkParams

_DAY_SECONDS = 86_400
#: A target that every second hash meets.
_EASY_BITS = 0x207FFFFF
#: Rollups whose blocks a contract on Ethereum holds. An outbox is not simulated.
_REGISTRIES = ("10", "130", "480", "1868", "8453", "42220", "57073")
_OUTBOX = "eip155:42161"

_MAIN_NETWORKS: Dict[str, FinalityParams] = {
    "eip155:1": UncheckedParams("beacon"),
    "eip155:56": UncheckedParams("vote"),
    "eip155:100": UncheckedParams("beacon"),
    "eip155:137": MilestoneParams(CommitParams("heimdallv2-137", 5_000, _DAY_SECONDS), 137),
    **{f"eip155:{chain}": UncheckedParams("anchor") for chain in _REGISTRIES},
    _OUTBOX: UncheckedParams("anchor"),
    # difficulty 1.76e13: never easier since autumn 2021, and a tenth of 2026's
    "bip122:000000000019d6689c085ae165831e93": WorkParams(0x1D00FFFF, 0x170FFFFF, True, 6),
    "polkadot:91b171bb158e2d3848fa23a9f1c25182": GrandpaParams(6, 21 * _DAY_SECONDS),
    "tron:0x2b6653dc": ProducerParams(_DAY_SECONDS, 54, 14 * _DAY_SECONDS),
    "aptos:1": UncheckedParams("ledger_info"),
    "sui:35834a8a": UncheckedParams("checkpoint"),
    "icp:1": UncheckedParams("certificate"),
    "cosmos:cosmoshub-4": CommitParams("cosmoshub-4", 5_000, 14 * _DAY_SECONDS),
}


def checkable_chains() -> List[str]:
    """CAIP-2 names of the chains whose finality is checked here."""
    return [caip2 for caip2, params in _MAIN_NETWORKS.items() if not isinstance(params, UncheckedParams)]


def _simulated(caip2: str, main: FinalityParams) -> Optional[FinalityParams]:
    """Params of the simulated chain with this row (``superroot demo``): work, keys and committees that everybody has. A
    check with them shows that a program works, and nothing about a chain."""
    if isinstance(main, CommitParams):
        return replace(main, set_blocks=32)
    if isinstance(main, MilestoneParams):
        return replace(main, heimdall=replace(main.heimdall, chain_id="heimdallv2-simulated", set_blocks=300))
    if isinstance(main, ProducerParams):
        return replace(main, set_seconds=180, window_blocks=27)
    if isinstance(main, WorkParams):
        return replace(main, target_limit_bits=_EASY_BITS, floor_bits=_EASY_BITS, retargets=False)
    return None if caip2 == _OUTBOX else main


def params_of(caip2: str, network: str = "live") -> Optional[FinalityParams]:
    """Params of a chain; ``None`` for one whose consensus leaves nothing that a client can check, and for a network that is
    neither ``live``, ``recorded`` nor ``simulated``. Recorded blocks are those of the live chain."""
    main = _MAIN_NETWORKS.get(caip2)
    if main is None or network in ("live", "recorded"):
        return main
    return _simulated(caip2, main) if network == "simulated" else None
