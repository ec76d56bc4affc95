"""Consistency of strength ``full``: no block was rewritten, and no twig was sealed twice."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Dict, List, Sequence, Tuple

from ._hash import keccak256, node
from ._trees import EMPTY, ZERO, perfect_root
from .consistency import (
    FAMILY_COUNT,
    Blob,
    Chain,
    HistoryConsistency,
    Reference,
    check_range,
    is_reread_by,
    seed_of,
    sides_of,
)
from .errors import Refused, need
from .statement import TWIG_BLOCKS

_PIECES_MAX = 1_024


@dataclass(frozen=True)
class Bridge:
    """Leaf and path of the first free slot of an open twig, in the later twig."""

    chain: Chain
    leaf: bytes
    siblings: List[bytes]


@dataclass(frozen=True)
class AppendedTwig:
    chain: Chain
    twig_index: int
    twig_root: bytes


def _fold_from_empty(slot: int, siblings: Sequence[bytes]) -> bytes:
    """Root of the twig before the slot was filled: nothing is right of it."""
    current = ZERO
    for level, sibling in enumerate(siblings):
        current = node(sibling, current) if slot & 1 else node(current, EMPTY[level])
        slot >>= 1
    return current


class _Run:
    """Twigs of one chain: pieces that were taken, as (start, end), grow into the whole run."""

    def __init__(self, whole: Tuple[int, int], old: Tuple[int, int]) -> None:
        self._whole = whole
        self._starts: List[int] = []
        self._ends: List[int] = []
        if old[0] < old[1]:
            self._starts.append(old[0])
            self._ends.append(old[1])

    def take(self, index: int) -> bool:
        """False for a twig outside the run, one that was taken, or too many pieces."""
        if not self._whole[0] <= index < self._whole[1]:
            return False
        at = bisect_right(self._starts, index)
        if at and self._ends[at - 1] > index:
            return False
        joins_below = at > 0 and self._ends[at - 1] == index
        joins_above = at < len(self._starts) and self._starts[at] == index + 1
        if joins_below and joins_above:
            self._ends[at - 1] = self._ends.pop(at)
            self._starts.pop(at)
        elif joins_below:
            self._ends[at - 1] = index + 1
        elif joins_above:
            self._starts[at] = index
        else:
            self._starts.insert(at, index)
            self._ends.insert(at, index + 1)
        return len(self._starts) <= _PIECES_MAX

    def is_complete(self) -> bool:
        if not self._starts:
            return self._whole[0] >= self._whole[1]
        return [(self._starts[0], self._ends[0])] == [self._whole] and len(self._starts) == 1


_Twigs = Tuple[int, int]


def _runs(before: Sequence[Reference], now: Sequence[Reference]) -> List[Tuple[Chain, _Twigs, _Twigs]]:
    """Per chain, rising: its sealed twigs before and now."""
    old = {one.chain: (one.first_twig, one.open_twig) for one in before}
    runs = []
    for one in sorted(now, key=lambda reference: reference.chain):
        runs.append((one.chain, old.get(one.chain, (one.first_twig, one.first_twig)), (one.first_twig, one.open_twig)))
    return runs


class _Order:
    """Which twigs may be appended next. Between neighbours they come by chain and index; else each run grows."""

    def __init__(self, before: Sequence[Reference], now: Sequence[Reference], is_strict: bool) -> None:
        runs = _runs(before, now)
        self._grown: Dict[Chain, _Run] = {chain: _Run(whole, old) for chain, old, whole in runs}
        self._due: List[Tuple[Chain, int, int]] = []
        self._is_strict = is_strict
        if is_strict:
            for chain, old, whole in reversed(runs):
                # what comes first is last in the list
                pieces = [(chain, old[1], whole[1]), (chain, whole[0], old[0])]
                self._due += [piece for piece in pieces if piece[1] < piece[2]]

    def take(self, chain: Chain, index: int) -> bool:
        if not self._is_strict:
            return chain in self._grown and self._grown[chain].take(index)
        if not self._due or self._due[-1][:2] != (chain, index):
            return False
        _, start, end = self._due.pop()
        if start + 1 < end:
            self._due.append((chain, start + 1, end))
        return True

    def is_complete(self) -> bool:
        if self._is_strict:
            return not self._due
        return all(run.is_complete() for run in self._grown.values())


class _Peaks:
    """A range as its peaks (height, hash), the highest first."""

    def __init__(self, count: int, peaks: List[Tuple[int, bytes]]) -> None:
        self.count = count
        self._peaks = peaks

    @classmethod
    def of_path(cls, old: int, new: int, old_root: bytes, path: Sequence[bytes]) -> "_Peaks":
        """Peaks that a checked consistency path names, the lowest first: its first node, then the left siblings."""
        if old == 0:
            return cls(0, [])
        seed, rest = seed_of(old, old_root, path)
        named = [seed, *(sibling for sibling, is_left in zip(rest, sides_of(old, new)) if is_left)]
        heights = [height for height in range(old.bit_length()) if old >> height & 1]
        return cls(old, list(reversed(list(zip(heights, named)))))

    def append(self, leaf: bytes) -> None:
        height, current = 0, leaf
        while self._peaks and self._peaks[-1][0] == height:
            current = node(self._peaks.pop()[1], current)
            height += 1
        self._peaks.append((height, current))
        self.count += 1

    def root(self) -> bytes:
        current = self._peaks[-1][1] if self._peaks else ZERO
        for _, peak in reversed(self._peaks[:-1]):
            current = node(peak, current)
        return current


class _Appending:
    """Takes the appended twigs in their order onto the peaks of the earlier Mini-MMRs."""

    def __init__(self, proof: "FullConsistency", bridged: Dict[Tuple[Chain, int], bytes]) -> None:
        earlier, later = proof.earlier, proof.later
        is_next = earlier.super_root.sequence + 1 == later.super_root.sequence
        self._order = _Order(earlier.references, later.references, is_next)
        self._bridged = bridged
        self._growing: List[Tuple[int, _Peaks, int, bytes]] = []
        for family in reversed(range(FAMILY_COUNT)):
            old, new = earlier.mini_mmrs[family], later.mini_mmrs[family]
            if old.leaf_count < new.leaf_count:
                path = proof.mini_mmr_paths[family]
                peaks = _Peaks.of_path(old.leaf_count, new.leaf_count, old.range_root, path)
                self._growing.append((family, peaks, new.leaf_count, new.range_root))

    def take(self, twig: AppendedTwig) -> None:
        place = f"twig {twig.twig_index} of chain {twig.chain}"
        is_due = bool(self._growing) and self._growing[-1][0] == twig.chain[0]
        need(is_due and self._order.take(twig.chain, twig.twig_index), f"{place} is not one that the runs give")
        family, peaks, count, root = self._growing[-1]
        own = self._bridged.pop((twig.chain, twig.twig_index), twig.twig_root)
        need(own == twig.twig_root, f"{place} was open before, and has another root now")
        numbers = twig.chain[1].to_bytes(8, "big") + twig.twig_index.to_bytes(8, "big")
        peaks.append(keccak256(b"\x02" + bytes([family]) + numbers + twig.twig_root))
        if peaks.count == count:
            need(peaks.root() == root, "the appended twigs lead to another Mini-MMR")
            self._growing.pop()

    def finish(self) -> None:
        need(not self._growing and self._order.is_complete(), "appended twigs are missing")
        need(not self._bridged, "a twig that was open before is neither open nor appended")


@dataclass(frozen=True)
class FullConsistency:
    """Both blobs, a path for each Mini-MMR, and a bridge for each open twig that was not empty."""

    history: HistoryConsistency
    earlier: Blob
    later: Blob
    mini_mmr_paths: List[List[bytes]]
    bridges: List[Bridge]

    def appended_count(self) -> int:
        pairs = zip(self.earlier.mini_mmrs, self.later.mini_mmrs)
        return sum(max(0, new.leaf_count - old.leaf_count) for old, new in pairs)

    def check(self, trusted_from: bytes, claimed_to: bytes, appended: Sequence[AppendedTwig]) -> None:
        self.history.check(trusted_from, claimed_to)
        upgrade = self.history.upgrade
        for blob, super_root in ((self.earlier, upgrade.earlier), (self.later, upgrade.later)):
            need(blob.super_root.hash == super_root.hash, "a blob of another SuperRoot")
            blob.check()
        pairs = zip(self.earlier.mini_mmrs, self.later.mini_mmrs, self.mini_mmr_paths)
        for old, new, path in pairs:
            check_range(old.leaf_count, new.leaf_count, old.range_root, new.range_root, path, node, ZERO)
        self._check_registry()
        appending = _Appending(self, self._check_bridges())
        for twig in appended:
            appending.take(twig)
        appending.finish()

    def _check_registry(self) -> None:
        """The earlier rows are a prefix of the later ones; only rules above the chain's number were added."""
        numbers = {one.row: one.number for one in self.earlier.references}
        need(len(self.earlier.registry) <= len(self.later.registry), "a registry row was removed")
        for row, (before, after) in enumerate(zip(self.earlier.registry, self.later.registry)):
            kept = (before.family, before.chain_id, before.caip2) == (after.family, after.chain_id, after.caip2)
            kept = kept and after.rules[: len(before.rules)] == before.rules
            need(kept, f"registry row {row} was moved or changed")
            added = after.rules[len(before.rules) :]
            reread = row in numbers and is_reread_by(before, added, numbers[row])
            need(not reread, f"an added rule of registry row {row} reads committed blocks another way")

    def _check_bridges(self) -> Dict[Tuple[Chain, int], bytes]:
        """Roots that twigs have now which were open before and are sealed since."""
        later = {one.row: one for one in self.later.references}
        bridges = list(reversed(self.bridges))
        bridged: Dict[Tuple[Chain, int], bytes] = {}
        for before in self.earlier.references:
            after = later.get(before.row)
            if after is None:
                raise Refused(f"the reference of row {before.row} is gone")
            self._check_run(before, after)
            if (before.number + 1) % TWIG_BLOCKS:
                need(bool(bridges) and bridges[-1].chain == before.chain, f"row {before.row} has no bridge")
                self._check_bridge(bridges.pop(), before, after, bridged)
        need(not bridges, "a bridge too many")
        return bridged

    def _check_run(self, before: Reference, after: Reference) -> None:
        need(before.chain == after.chain, "a row has another chain")
        need(after.start <= before.start, "a run starts later")
        need(after.number >= before.number, "a run ends earlier")
        same = (before.block_hash, before.open_twig_root) == (after.block_hash, after.open_twig_root)
        need(after.number > before.number or same, "the last block or the open twig was exchanged")
        is_withdrawn = self.earlier.registry[before.row].withdrawn_from() is not None
        need(not is_withdrawn or before == after, "a withdrawn chain's reference moved")

    @staticmethod
    def _check_bridge(
        bridge: Bridge, before: Reference, after: Reference, bridged: Dict[Tuple[Chain, int], bytes]
    ) -> None:
        slot = (before.number + 1) % TWIG_BLOCKS
        old = _fold_from_empty(slot, bridge.siblings)
        need(old == before.open_twig_root, "a bridge leads to another earlier open twig")
        new = perfect_root(bridge.leaf, slot, bridge.siblings)
        if after.open_twig != before.open_twig:
            bridged[before.chain, before.open_twig] = new
            return
        need(new == after.open_twig_root, "a bridge leads to another later open twig")
