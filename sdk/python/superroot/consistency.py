"""Proofs that a later SuperRoot extends an earlier one. docs/protocol/log.md, "History, consistency, checkpoints".

``upgrade``: the later log has the earlier SuperRoot. ``history``: and no SuperRoot before it was rewritten.
``full``: and no block was rewritten, and no later block took an occupied place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

from ._hash import keccak256, node, sha256_node, sha256_of
from ._trees import EMPTY, ZERO, NodeHash, perfect_root, range_root
from .errors import need
from .facts import SuperRoot
from .statement import ROWS_MAX, SAFE_INTEGER_MAX, TWIG_BLOCKS, WITHDRAWN, Profile, effective_rule

_EMPTY_LOG = sha256_of(b"")
_HISTORY_SLOT = 54
_REGISTRY_SLOT = 55
_FIRST_REFERENCE_SLOT = 9
FAMILY_COUNT = 9
TWIG_HEIGHT = 11
Chain = Tuple[int, int]


def super_root_of(log_id: bytes, sequence: int, timestamp: int, tree_root: bytes) -> SuperRoot:
    """SuperRoot with its hash."""
    preimage = b"\x07\x05" + log_id + sequence.to_bytes(8, "big") + timestamp.to_bytes(8, "big") + tree_root
    return SuperRoot(keccak256(preimage), log_id, sequence, timestamp, tree_root)


def preimage_of(super_root: SuperRoot) -> bytes:
    numbers = super_root.sequence.to_bytes(8, "big") + super_root.timestamp.to_bytes(8, "big")
    return b"\x07\x05" + super_root.log_id + numbers + super_root.tree_root


@dataclass(frozen=True)
class History:
    """History that a SuperRoot commits to, with the path of its slot."""

    leaf_count: int
    log_root: bytes
    siblings: List[bytes]

    def root(self) -> bytes:
        return keccak256(b"\x05" + self.leaf_count.to_bytes(8, "big") + self.log_root)

    def check(self, super_root: SuperRoot) -> None:
        sequence = super_root.sequence
        need(self.leaf_count == sequence, f"SuperRoot {sequence} commits to {self.leaf_count} entries of history")
        got = perfect_root(self.root(), _HISTORY_SLOT, self.siblings)
        need(got == super_root.tree_root, "the history leads to another tree root")


@dataclass(frozen=True)
class Upgrade:
    """The log of ``later`` has ``earlier``."""

    earlier: SuperRoot
    later: SuperRoot
    history: History
    path: List[bytes]

    def check(self, trusted_from: bytes, claimed_to: bytes) -> None:
        earlier, later = self.earlier, self.later
        need(earlier.hash == trusted_from, "the earlier SuperRoot is another than the trusted one")
        need(later.hash == claimed_to, "the later SuperRoot is another than the claimed one")
        need(earlier.log_id == later.log_id, "the SuperRoots belong to different logs")
        need(earlier.sequence < later.sequence, "the later SuperRoot does not come after the earlier one")
        need(earlier.timestamp <= later.timestamp, "the later SuperRoot has the earlier timestamp")
        need(max(later.sequence, later.timestamp) <= SAFE_INTEGER_MAX, "a sequence or time of 2^53 or more")
        self.history.check(later)
        leaf = sha256_of(b"\x00" + preimage_of(earlier))
        root = range_root(leaf, earlier.sequence, self.history.leaf_count, self.path, sha256_node)
        need(root == self.history.log_root, "the earlier SuperRoot is not in the later history")


def sides_of(old: int, new: int) -> List[bool]:
    """Whether each sibling of a consistency path is on the left."""
    position, last = old - 1, new - 1
    sides: List[bool] = []
    while position & 1:
        position >>= 1
        last >>= 1
    while last:
        is_left = bool(position & 1) or position == last
        while is_left and not position & 1 and position:
            position >>= 1
            last >>= 1
        position >>= 1
        last >>= 1
        sides.append(is_left)
    return sides


def seed_of(old: int, old_root: bytes, path: Sequence[bytes]) -> Tuple[bytes, Sequence[bytes]]:
    """First node on the way, and the siblings after it."""
    if old & (old - 1):
        need(bool(path), "an empty consistency path")
        return path[0], path[1:]
    return old_root, path


def check_range(
    old: int, new: int, old_root: bytes, new_root: bytes, path: Sequence[bytes], of: NodeHash, empty: bytes
) -> None:
    """RFC 9162 section 2.1.4: a range of ``old`` leaves grew into one of ``new``."""
    need(old <= new, f"a range of {old} leaves does not grow into one of {new}")
    if old == 0 or old == new:
        need(not path, "a consistency path where nothing is to be shown")
        need(old > 0 or old_root == empty, "the empty range has another root")
        need(old < new or old_root == new_root, "a range of the same leaves has another root")
        return
    seed, rest = seed_of(old, old_root, path)
    sides = sides_of(old, new)
    need(len(rest) == len(sides), "a consistency path of another length than the counts give")
    before = after = seed
    for sibling, is_left in zip(rest, sides):
        if is_left:
            before, after = of(sibling, before), of(sibling, after)
        else:
            after = of(after, sibling)
    need(before == old_root, "the path leads to another earlier root")
    need(after == new_root, "the path leads to another later root")


@dataclass(frozen=True)
class HistoryConsistency:
    """No SuperRoot up to the earlier one was rewritten."""

    upgrade: Upgrade
    earlier_history: History
    path: List[bytes]

    def check(self, trusted_from: bytes, claimed_to: bytes) -> None:
        self.upgrade.check(trusted_from, claimed_to)
        self.earlier_history.check(self.upgrade.earlier)
        old, new = self.earlier_history, self.upgrade.history
        check_range(old.leaf_count, new.leaf_count, old.log_root, new.log_root, self.path, sha256_node, _EMPTY_LOG)


@dataclass(frozen=True)
class Reference:
    """A chain's committed run and open twig, in its row."""

    row: int
    chain: Chain
    start: int
    number: int
    block_hash: bytes
    open_twig_root: bytes

    def hash(self) -> bytes:
        family, chain_id = self.chain
        numbers = b"".join(value.to_bytes(8, "big") for value in (chain_id, self.start, self.number))
        return keccak256(b"\x04" + bytes([family]) + numbers + self.block_hash + self.open_twig_root)

    @property
    def open_twig(self) -> int:
        return (self.number + 1) // TWIG_BLOCKS

    @property
    def first_twig(self) -> int:
        return self.start // TWIG_BLOCKS


@dataclass(frozen=True)
class MiniMmr:
    leaf_count: int
    range_root: bytes

    def root(self, family: int) -> bytes:
        return keccak256(b"\x03" + bytes([family]) + self.leaf_count.to_bytes(8, "big") + self.range_root)


def profile_bytes(profile: Profile) -> bytes:
    """Preimage of a profile."""
    caip2 = profile.caip2.encode("utf-8", "surrogatepass")
    need(1 <= len(caip2) <= 255 and 1 <= len(profile.rules) <= 255, "a profile without name or rules, or with too many")
    rules = b"".join(start.to_bytes(8, "big") + code.to_bytes(2, "big") for start, code in profile.rules)
    head = b"\x08" + bytes([profile.family]) + profile.chain_id.to_bytes(8, "big")
    return head + bytes([len(caip2)]) + caip2 + bytes([len(profile.rules)]) + rules


def _tree(slots: Dict[int, bytes], height: int) -> bytes:
    """Root of a perfect tree."""
    row = [slots.get(slot, ZERO) for slot in range(1 << height)]
    while len(row) > 1:
        row = [node(row[at], row[at + 1]) for at in range(0, len(row), 2)]
    return row[0]


@dataclass(frozen=True)
class Blob:
    """What is behind a SuperRoot, except its twigs."""

    super_root: SuperRoot
    mini_mmrs: List[MiniMmr]
    references: List[Reference]
    history: History
    registry: List[Profile]

    def registry_root(self) -> bytes:
        hashes = {row: keccak256(profile_bytes(profile)) for row, profile in enumerate(self.registry)}
        return keccak256(b"\x06" + len(self.registry).to_bytes(2, "big") + _tree(hashes, 6))

    def slots(self) -> Dict[int, bytes]:
        """Slot values that are not empty."""
        slots = {family: mini_mmr.root(family) for family, mini_mmr in enumerate(self.mini_mmrs)}
        slots.update({_FIRST_REFERENCE_SLOT + one.row: one.hash() for one in self.references if one.row < ROWS_MAX})
        slots.update({_HISTORY_SLOT: self.history.root(), _REGISTRY_SLOT: self.registry_root()})
        return slots

    def check(self) -> None:
        super_root = self.super_root
        need(_tree(self.slots(), 6) == super_root.tree_root, "the blob has another tree root")
        need(self.history.leaf_count == super_root.sequence, "the blob's history has another count of entries")
        need(super_root.sequence > 0 or self.history.log_root == _EMPTY_LOG, "the empty history has another root")
        self._check_references()
        for family, mini_mmr in enumerate(self.mini_mmrs):
            own = [one for one in self.references if one.chain[0] == family]
            expected = sum(one.open_twig - one.first_twig for one in own)
            need(mini_mmr.leaf_count == expected, "a Mini-MMR has another count of leaves than the references give")
            need(expected > 0 or mini_mmr.range_root == ZERO, "an empty Mini-MMR has another root")

    def _check_references(self) -> None:
        above = -1
        for one in self.references:
            need(above < one.row < len(self.registry), "references whose rows do not rise, or are not there")
            above = one.row
            profile = self.registry[one.row]
            need((profile.family, profile.chain_id) == one.chain, "a reference of another chain than its row")
            need(one.start <= one.number <= SAFE_INTEGER_MAX, "a reference whose run is invalid")
            need(profile.may_start_at(one.start), "a run that starts before its ledger, or inside a twig")
            is_full = (one.number + 1) % TWIG_BLOCKS == 0
            need(not is_full or one.open_twig_root == EMPTY[TWIG_HEIGHT], "an open twig holds blocks past its last")


def is_reread_by(profile: Profile, added: Sequence[Tuple[int, int]], number: int) -> bool:
    """Whether added rules change how blocks at or below the number are read; a withdrawal does not count."""
    for start, code in added:
        if start > number or code == WITHDRAWN:
            continue
        rule = effective_rule(code, start)
        before: Optional[int] = profile.code_at(start)
        if rule is None or before is None or effective_rule(before, start) != rule:
            return True
    return False
