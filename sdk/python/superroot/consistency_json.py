"""Consistency as the service answers it: JSON of ``GET /v5/superroot/consistency``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Type, Union

from ._member import BodyError, Member, compare, hexed, parse_body, root_member
from .consistency import (
    FAMILY_COUNT,
    TWIG_HEIGHT,
    Blob,
    Chain,
    History,
    HistoryConsistency,
    MiniMmr,
    Reference,
    Upgrade,
    preimage_of,
    profile_bytes,
    super_root_of,
)
from .consistency_full import AppendedTwig, Bridge, FullConsistency
from .errors import Refused
from .facts import SuperRoot
from .statement import FAMILIES, ROWS_MAX, Profile, read_profile

_PATH_MAX = 128
TWIGS_MAX = 4_096
_RULES_MAX = 255
_Json = Dict[str, Any]


class ConsistencyError(Exception):
    """Consistency that is not shown. ``step`` is ``body`` (unreadable, or its members contradict each other) or
    ``consistency``."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f"{step}: {reason}")
        self.step = step
        self.reason = reason

    def __reduce__(self) -> Tuple[Type[Exception], Tuple[str, ...]]:
        return type(self), (self.step, self.reason)


@dataclass(frozen=True)
class ConsistencyFacts:
    """The log of ``later`` extends ``earlier``, as far as ``strength`` says: ``upgrade``, ``history`` or ``full``."""

    strength: str
    earlier: SuperRoot
    later: SuperRoot
    unproven: List[str]


def _super_root(member: Member) -> SuperRoot:
    log_id, sequence = member.get("logId").hash(), member.get("sequence").integer()
    return super_root_of(log_id, sequence, member.get("timestamp").integer(), member.get("treeRoot").hash())


def _history(member: Member, siblings: List[bytes]) -> History:
    return History(member.get("leafCount").integer(), member.get("logRoot").hash(), siblings)


def _opening(member: Member) -> History:
    return _history(member, member.get("siblings").path_of(6))


def _chain(member: Member) -> Chain:
    return member.family(), member.get("chainId").integer()


def _reference(member: Member) -> Reference:
    row = member.get("row").integer()
    if row >= ROWS_MAX:
        raise member.wrong("a row from 0 to 44")
    start, number = member.get("start").integer(), member.get("number").integer()
    return Reference(row, _chain(member), start, number, member.get("hash").hash(), member.get("openTwigRoot").hash())


def _rule(member: Member) -> Tuple[int, int]:
    code = member.get("rule").raw()
    if len(code) != 2:
        raise member.wrong("two bytes of hex")
    return member.get("fromNumber").integer(), int.from_bytes(code, "big")


def _profile(member: Member) -> Profile:
    family, chain_id = _chain(member)
    rules = tuple(member.get("rules").list_of(_RULES_MAX, _rule))
    try:
        return read_profile(profile_bytes(Profile(family, chain_id, member.get("caip2").text(), rules)))
    except Refused as error:
        raise BodyError(f"a profile is invalid: {error}") from None


def _mini_mmr(member: Member) -> MiniMmr:
    return MiniMmr(member.get("leafCount").integer(), member.get("rangeRoot").hash())


def read_blob(member: Member) -> Blob:
    """The parts of a blob; the members that follow from them are compared later."""
    mini_mmrs = member.get("miniMmrs").list_of(FAMILY_COUNT, _mini_mmr)
    registry = member.get("registry").list_of(ROWS_MAX, _profile)
    if len(mini_mmrs) != FAMILY_COUNT or len({(one.family, one.chain_id) for one in registry}) != len(registry):
        raise member.wrong("9 Mini-MMRs, and every chain once")
    references = member.get("blockReferences").list_of(ROWS_MAX, _reference)
    history = _history(member.get("history"), [])
    return Blob(_super_root(member.get("superRoot")), mini_mmrs, references, history, registry)


def read_twig(member: Member) -> AppendedTwig:
    """A twig that was sealed since the SuperRoot before."""
    return AppendedTwig(_chain(member), member.get("twigIndex").integer(), member.get("twigRoot").hash())


def _bridge(member: Member) -> Bridge:
    return Bridge(_chain(member), member.get("leaf").hash(), member.get("siblings").path_of(TWIG_HEIGHT))


def _upgrade(root: Member) -> Upgrade:
    earlier, later = _super_root(root.get("from")), _super_root(root.get("to"))
    return Upgrade(earlier, later, _opening(root.get("toHistory")), root.get("inclusionPath").hashes(_PATH_MAX))


def _with_history(root: Member) -> HistoryConsistency:
    path = root.get("consistencyPath").hashes(_PATH_MAX)
    return HistoryConsistency(_upgrade(root), _opening(root.get("fromHistory")), path)


def _full(root: Member) -> FullConsistency:
    paths = root.get("miniMmrPaths").list_of(FAMILY_COUNT, lambda path: path.hashes(_PATH_MAX))
    if len(paths) != FAMILY_COUNT:
        raise root.get("miniMmrPaths").wrong("a list of 9 paths")
    bridges = root.get("bridges").list_of(ROWS_MAX, _bridge)
    history = _with_history(root)
    return FullConsistency(history, read_blob(root.get("fromBlob")), read_blob(root.get("toBlob")), paths, bridges)


def _super_root_json(super_root: SuperRoot) -> _Json:
    return {
        "version": 5, "logId": hexed(super_root.log_id), "sequence": super_root.sequence,
        "timestamp": super_root.timestamp, "treeRoot": hexed(super_root.tree_root),
        "superRootHash": hexed(super_root.hash),
    }


def _history_json(history: History) -> _Json:
    return {"leafCount": history.leaf_count, "logRoot": hexed(history.log_root)}


def _opening_json(history: History) -> _Json:
    return {**_history_json(history), "siblings": [hexed(one) for one in history.siblings]}


def _chain_json(chain: Chain) -> _Json:
    return {"family": FAMILIES[chain[0]], "chainId": chain[1]}


def _reference_json(one: Reference) -> _Json:
    return {
        **_chain_json(one.chain), "row": one.row, "start": one.start, "number": one.number,
        "hash": hexed(one.block_hash), "openTwigIndex": one.open_twig, "openTwigRoot": hexed(one.open_twig_root),
    }


def _profile_json(profile: Profile) -> _Json:
    rules = [{"fromNumber": start, "rule": f"0x{code:04x}"} for start, code in profile.rules]
    return {**_chain_json((profile.family, profile.chain_id)), "caip2": profile.caip2, "rules": rules}


def _mini_mmr_json(family: int, mini_mmr: MiniMmr) -> _Json:
    return {
        "family": FAMILIES[family], "root": hexed(mini_mmr.root(family)), "rangeRoot": hexed(mini_mmr.range_root),
        "leafCount": mini_mmr.leaf_count,
    }


def blob_json(blob: Blob) -> _Json:
    """A blob as answers have it, in ``camelCase``."""
    slots = blob.slots()
    return {
        "superRootHash": hexed(blob.super_root.hash),
        "superRoot": _super_root_json(blob.super_root),
        "preimage": hexed(preimage_of(blob.super_root)),
        "slots": [hexed(slots.get(slot, bytes(32))) for slot in range(64)],
        "miniMmrs": [_mini_mmr_json(family, one) for family, one in enumerate(blob.mini_mmrs)],
        "blockReferences": [_reference_json(one) for one in blob.references],
        "history": _history_json(blob.history),
        "historyRoot": hexed(blob.history.root()),
        "registry": [_profile_json(profile) for profile in blob.registry],
        "registryRoot": hexed(blob.registry_root()),
    }


def _proven(strength: str, upgrade: Upgrade, history: Optional[HistoryConsistency]) -> _Json:
    proven: _Json = {
        "strength": strength,
        "from": _super_root_json(upgrade.earlier),
        "to": _super_root_json(upgrade.later),
        "inclusionPath": [hexed(one) for one in upgrade.path],
        "toHistory": _opening_json(upgrade.history),
    }
    if history is not None:
        proven["fromHistory"] = _opening_json(history.earlier_history)
        proven["consistencyPath"] = [hexed(one) for one in history.path]
    return proven


def twig_json(twig: AppendedTwig) -> _Json:
    return {**_chain_json(twig.chain), "twigIndex": twig.twig_index, "twigRoot": hexed(twig.twig_root)}


def _proven_full(full: FullConsistency, appended: Optional[List[AppendedTwig]]) -> _Json:
    twigs = None if appended is None else [twig_json(one) for one in appended]
    bridges = [
        {**_chain_json(one.chain), "leaf": hexed(one.leaf), "siblings": [hexed(sibling) for sibling in one.siblings]}
        for one in full.bridges
    ]
    return {
        "fromBlob": blob_json(full.earlier),
        "toBlob": blob_json(full.later),
        "miniMmrPaths": [[hexed(one) for one in path] for path in full.mini_mmr_paths],
        "appendedTwigCount": full.appended_count(),
        "appendedTwigs": twigs,
        "bridges": bridges,
    }


def _check(body: _Json, trusted_from: bytes, claimed_to: bytes) -> ConsistencyFacts:
    root = root_member(body, "inclusionPath")
    strength = root.get("strength").text()
    if strength == "upgrade":
        upgrade = _upgrade(root)
        unproven = compare(body, _proven(strength, upgrade, None))
        upgrade.check(trusted_from, claimed_to)
        return ConsistencyFacts(strength, upgrade.earlier, upgrade.later, unproven)
    if strength == "history":
        history = _with_history(root)
        unproven = compare(body, _proven(strength, history.upgrade, history))
        history.check(trusted_from, claimed_to)
        return ConsistencyFacts(strength, history.upgrade.earlier, history.upgrade.later, unproven)
    if strength != "full":
        raise root.get("strength").wrong("upgrade, history or full")
    twigs = root.optional("appendedTwigs")
    appended = None if twigs is None else twigs.list_of(TWIGS_MAX, read_twig)
    full = _full(root)
    own = _proven(strength, full.history.upgrade, full.history)
    unproven = compare(body, {**own, **_proven_full(full, appended)})
    full.check(trusted_from, claimed_to, appended or [])
    return ConsistencyFacts(strength, full.history.upgrade.earlier, full.history.upgrade.later, unproven)


def verify_consistency(
    body: Union[bytes, Dict[str, Any]], trusted_from: bytes, claimed_to: bytes
) -> ConsistencyFacts:
    """Checks that the SuperRoot ``claimed_to`` extends ``trusted_from``, which the client brings itself: a pair from one
    answer proves nothing. An answer whose appended twigs come in pages shows nothing here: use ``superroot trust
    update``.

    Raises :class:`ConsistencyError`.
    """
    try:
        read = parse_body(body) if isinstance(body, bytes) else body
        return _check(read, trusted_from, claimed_to)
    except BodyError as error:
        raise ConsistencyError("body", str(error)) from None
    except RecursionError:
        raise ConsistencyError("body", "members are nested too deep") from None
    except Refused as error:
        raise ConsistencyError("consistency", str(error)) from None
