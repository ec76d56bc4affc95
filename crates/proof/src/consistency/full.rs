//! Consistency strength `full`: additionally no block was rewritten.

use alloc::vec::Vec;

use superroot_types::{
    BlockNumber, ChainKey, Family, Hash, RowIndex, TWIG_HEIGHT, TwigIndex, TwigSlot,
};

use super::order::TwigSequence;
use super::{AppendedTwig, Appending, Blob, ConsistencyError, HistoryConsistency, same};
use crate::hash::node;
use crate::perfect::{root_of_path, zeros};
use crate::range::{KeccakRange, Peaks, verify_consistency};
use crate::superroot::ChainReference;

/// Shows by a single path, folded twice, that an earlier open twig was only filled up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bridge {
    /// Chain key.
    pub chain: ChainKey,
    /// Later SuperRoot's leaf in the slot after the earlier SuperRoot's last number.
    pub leaf: Hash,
    /// Slot path in the later SuperRoot's twig.
    pub siblings: [Hash; TWIG_HEIGHT],
}

/// Consistency strength `full`: the later SuperRoot keeps every commitment in its place, and additions use only free
/// places.
///
/// ```text
/// Mini-MMR of `from` ── its peaks ──►  + appended twigs  ──► Mini-MMR of `to`
///           (of the consistency path)  (those that both references give, each once)
/// ```
/// Appended twigs may be many and are not included: [`FullConsistency::begin`] checks everything else and says which
/// twigs are due. With further SuperRoots in between, a family's twig order is only the service's claim:
/// [`super::Replay`] checks the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullConsistency {
    /// Proof that no SuperRoot was rewritten.
    pub history: HistoryConsistency,
    /// Earlier SuperRoot's blob.
    pub from: Blob,
    /// Later SuperRoot's blob.
    pub to: Blob,
    /// RFC 9162 consistency path for each Mini-MMR.
    pub mini_mmr_paths: [Vec<Hash>; Family::COUNT],
    /// Bridge for each chain with a non-empty open twig in the earlier SuperRoot.
    pub bridges: Vec<Bridge>,
}

impl FullConsistency {
    /// Checks everything except the appended twigs between two SuperRoot hashes from the client. Shown only after the
    /// twigs arrived and [`Appending::finish`] accepts.
    ///
    /// # Errors
    /// [`ConsistencyError`] naming the fault.
    pub fn begin(&self, from: &Hash, to: &Hash) -> Result<Appending, ConsistencyError> {
        self.history.verify(from, to)?;
        for (blob, super_root) in
            [(&self.from, self.history.upgrade.from), (&self.to, self.history.upgrade.to)]
        {
            same("SuperRoot of the blob", blob.super_root.hash(), super_root.hash())?;
            blob.check()?;
        }
        self.check_mini_mmrs()?;
        check_registry(&self.from, &self.to)?;
        let mut bridged = Vec::new();
        let mut bridges = self.bridges.iter();
        for (row, before) in &self.from.references {
            let after = check_growth(&self.from, &self.to, *row, before)?;
            let chain = before.chain;
            if before.number.twig_slot() != TwigSlot::LAST {
                let bridge = bridges.next().filter(|bridge| bridge.chain == chain);
                let bridge = bridge.ok_or(ConsistencyError::Bridge { chain })?;
                bridged.extend(check_bridge(bridge, before, after)?);
            }
        }
        if let Some(bridge) = bridges.next() {
            return Err(ConsistencyError::Bridge { chain: bridge.chain });
        }
        let from = &self.from;
        let to = &self.to;
        let are_neighbours = from.super_root.sequence.next() == Some(to.super_root.sequence);
        let order = if are_neighbours { TwigSequence::strict } else { TwigSequence::any };
        let order = order(&from.references, &to.references);
        let pairs: Vec<_> = from.mini_mmrs.iter().zip(&to.mini_mmrs).collect();
        let peaks = |family: usize| {
            let pair = pairs.get(family);
            let path = self.mini_mmr_paths.get(family);
            let peaks = pair.zip(path).and_then(|((old, new), path)| {
                let from = old.leaf_count;
                let to = new.leaf_count;
                Peaks::of_consistency(from, to, &old.range_root, path)
            });
            peaks.unwrap_or_default() // none where there was no leaf
        };
        Appending::new((&from.mini_mmrs, &to.mini_mmrs), peaks, order, bridged)
    }

    /// Mini-MMR growth in twigs, according to both blobs.
    #[must_use]
    pub fn appended_count(&self) -> u64 {
        let pairs = self.from.mini_mmrs.iter().zip(&self.to.mini_mmrs);
        let counts = pairs.map(|(old, new)| new.leaf_count.since(old.leaf_count).unwrap_or(0));
        counts.fold(0, u64::saturating_add)
    }

    /// Full check with all twigs available.
    ///
    /// # Errors
    /// As [`FullConsistency::begin`], [`Appending::take`] and [`Appending::finish`].
    pub fn verify(
        &self,
        from: &Hash,
        to: &Hash,
        appended: &[AppendedTwig],
    ) -> Result<(), ConsistencyError> {
        let mut appending = self.begin(from, to)?;
        appending.take_all(appended)?;
        appending.finish()
    }

    fn check_mini_mmrs(&self) -> Result<(), ConsistencyError> {
        let pairs = self.from.mini_mmrs.iter().zip(&self.to.mini_mmrs).zip(&self.mini_mmr_paths);
        for ((old, new), path) in pairs {
            let from = old.leaf_count;
            let to = new.leaf_count;
            verify_consistency::<KeccakRange>(from, to, &old.range_root, &new.range_root, path)
                .map_err(|cause| ConsistencyError::Range { what: "Mini-MMR", cause })?;
        }
        Ok(())
    }
}

/// Checks a bridge: the earlier twig and, if still open, the later twig. If sealed since: returns the chain, index and
/// root required among the appended twigs.
fn check_bridge(
    bridge: &Bridge,
    before: &ChainReference,
    after: &ChainReference,
) -> Result<Option<(ChainKey, TwigIndex, Hash)>, ConsistencyError> {
    let slot = BlockNumber(before.number.0.saturating_add(1)).twig_slot();
    let old = fold_from_empty(slot, &bridge.siblings);
    same("open twig root of the earlier SuperRoot", old, before.open_twig_root)?;
    let new = root_of_path(&bridge.leaf, slot.into(), &bridge.siblings);
    let index = before.open_twig_index();
    if after.open_twig_index() != index {
        return Ok(Some((before.chain, index, new)));
    }
    same("open twig root of the later SuperRoot", new, after.open_twig_root)?;
    Ok(None)
}

/// Checks registry growth: rows are only appended, and a row only gains rules: above its chain's number, a withdrawal,
/// or a rule already used for its blocks.
pub(super) fn check_registry(from: &Blob, to: &Blob) -> Result<(), ConsistencyError> {
    for (row, before) in from.registry.numbered_rows() {
        let wrong = ConsistencyError::Registry { row };
        let after = to.registry.row(row).ok_or(wrong.clone())?;
        let number = from.references.iter().find(|(other, _)| *other == row);
        let number = number.map(|(_, reference)| reference.number.0);
        let added = after.rules.strip_prefix(before.rules.as_slice());
        let sound = added
            .is_some_and(|added| number.is_none_or(|number| !before.is_reread_by(added, number)));
        if before.chain != after.chain || before.caip2 != after.caip2 || !sound {
            return Err(wrong);
        }
    }
    Ok(())
}

/// Checks a row's reference in the later blob: its run only grew, and not at all for a withdrawn chain.
pub(super) fn check_growth<'a>(
    from: &Blob,
    to: &'a Blob,
    row: RowIndex,
    before: &ChainReference,
) -> Result<&'a ChainReference, ConsistencyError> {
    let wrong = |why| ConsistencyError::Chain { chain: before.chain, why };
    let after = to.references.iter().find(|(other, _)| *other == row);
    let (_, after) = after.ok_or(wrong("its reference is gone"))?;
    check_run(before, after)?;
    let profile = from.registry.row(row);
    let withdrawn = profile.is_some_and(|profile| profile.withdrawn_from().is_some());
    if withdrawn && before != after {
        return Err(wrong("it was withdrawn, and its reference moved"));
    }
    Ok(after)
}

/// Checks that the run only grows and keeps its last block.
fn check_run(before: &ChainReference, after: &ChainReference) -> Result<(), ConsistencyError> {
    let wrong = |why| Err(ConsistencyError::Chain { chain: before.chain, why });
    if before.chain != after.chain {
        return wrong("its row holds another chain");
    }
    if after.start > before.start {
        return wrong("its run starts later");
    }
    if after.number < before.number {
        return wrong("its run ends earlier");
    }
    if after.number == before.number && after.block_hash != before.block_hash {
        return wrong("its last block was exchanged");
    }
    if after.number == before.number && after.open_twig_root != before.open_twig_root {
        return wrong("its open twig changed and its last block did not");
    }
    Ok(())
}

/// Earlier root, with the slot and everything to the right empty.
fn fold_from_empty(slot: TwigSlot, siblings: &[Hash; TWIG_HEIGHT]) -> Hash {
    let mut position = u64::from(slot);
    let mut hash = Hash::ZERO;
    for (sibling, zero) in siblings.iter().zip(zeros(TWIG_HEIGHT)) {
        hash = if position & 1 == 1 { node(sibling, &hash) } else { node(&hash, zero) };
        position >>= 1;
    }
    hash
}
