//! Consistency of strength `full`: no block was rewritten either.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, TWIG_HEIGHT};

use super::order::Order;
use super::{AppendedTwig, Appending, Blob, ConsistencyError, HistoryConsistency, same};
use crate::hash::node;
use crate::perfect::{root_of_path, zeros};
use crate::range::{KeccakRange, Peaks, verify_consistency};
use crate::superroot::BlockReference;

/// Shows that a twig that was open in the earlier SuperRoot was only filled up since: one path,
/// folded twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bridge {
    /// The chain.
    pub chain: ChainKey,
    /// What stands in the later SuperRoot at the slot after the earlier one's last number.
    pub leaf: Hash,
    /// Path of that slot in the twig of the later SuperRoot.
    pub siblings: [Hash; TWIG_HEIGHT],
}

/// Consistency of strength `full`: what the earlier SuperRoot commits to, the later one does too, in
/// the same place, and what came between is in no place that was taken.
///
/// ```text
/// Mini-MMR of `from` ── its peaks ──►  + appended twigs  ──► Mini-MMR of `to`
///           (of the consistency path)  (those that both references give, each once)
/// ```
/// The appended twigs may be many. They are no part of this: [`FullConsistency::begin`] checks all
/// else and says which are due. Where more than one SuperRoot lies between, in which order a family's
/// twigs came is the service's word: [`super::Replay`] checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullConsistency {
    /// No SuperRoot was rewritten.
    pub history: HistoryConsistency,
    /// Blob of the earlier SuperRoot.
    pub from: Blob,
    /// Blob of the later SuperRoot.
    pub to: Blob,
    /// RFC 9162 consistency path of each Mini-MMR.
    pub mini_mmr_paths: [Vec<Hash>; 9],
    /// One for each chain whose open twig was not empty in the earlier SuperRoot.
    pub bridges: Vec<Bridge>,
}

impl FullConsistency {
    /// Checks all but the appended twigs between two SuperRoot hashes that the client brings. It is
    /// shown as soon as those came and [`Appending::finish`] accepts, and not before.
    ///
    /// # Errors
    /// [`ConsistencyError`] naming what does not hold.
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
            if before.number.0.saturating_add(1) % superroot_types::TWIG_BLOCKS != 0 {
                let bridge = bridges.next().filter(|bridge| bridge.chain == chain);
                let bridge = bridge.ok_or(ConsistencyError::Bridge { chain })?;
                bridged.extend(check_bridge(bridge, before, after)?);
            }
        }
        if let Some(bridge) = bridges.next() {
            return Err(ConsistencyError::Bridge { chain: bridge.chain });
        }
        let (from, to) = (&self.from, &self.to);
        let are_neighbours =
            to.super_root.sequence.checked_sub(1) == Some(from.super_root.sequence);
        let order = if are_neighbours { Order::strict } else { Order::any };
        let order = order(&from.references, &to.references);
        let pairs: Vec<_> = from.mini_mmrs.iter().zip(&to.mini_mmrs).collect();
        let peaks = |family: usize| {
            let (pair, path) = (pairs.get(family), self.mini_mmr_paths.get(family));
            let peaks = pair.zip(path).and_then(|((old, new), path)| {
                let (from, to) = (old.leaf_count, new.leaf_count);
                Peaks::of_consistency(from, to, &old.range_root, path)
            });
            peaks.unwrap_or_default() // none where there was no leaf
        };
        Appending::new((&from.mini_mmrs, &to.mini_mmrs), peaks, order, bridged)
    }

    /// Twigs by which the Mini-MMRs grew, as both blobs say.
    #[must_use]
    pub fn appended_count(&self) -> u64 {
        let pairs = self.from.mini_mmrs.iter().zip(&self.to.mini_mmrs);
        let counts = pairs.map(|(old, new)| new.leaf_count.saturating_sub(old.leaf_count));
        counts.fold(0, u64::saturating_add)
    }

    /// The same with all twigs at hand.
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
            let (from, to) = (old.leaf_count, new.leaf_count);
            verify_consistency::<KeccakRange>(from, to, &old.range_root, &new.range_root, path)
                .map_err(|cause| ConsistencyError::Range { what: "Mini-MMR", cause })?;
        }
        Ok(())
    }
}

/// Checks a bridge: the twig as it was and, where it is still open, as it is. Where it was sealed
/// since: chain, index and root of the twig that has to be among the appended.
fn check_bridge(
    bridge: &Bridge,
    before: &BlockReference,
    after: &BlockReference,
) -> Result<Option<(ChainKey, u64, Hash)>, ConsistencyError> {
    let slot = BlockNumber(before.number.0.saturating_add(1)).twig_slot();
    let old = fold_from_empty(slot, &bridge.siblings);
    same("open twig root of the earlier SuperRoot", old, before.open_twig_root)?;
    let new = root_of_path(&bridge.leaf, slot, &bridge.siblings);
    let index = before.open_twig_index();
    if after.open_twig_index() != index {
        return Ok(Some((before.chain, index, new)));
    }
    same("open twig root of the later SuperRoot", new, after.open_twig_root)?;
    Ok(None)
}

/// Rows are only appended; a row only gains rules: above its chain's number, a withdrawal, or one by which its blocks
/// are read already.
pub(super) fn check_registry(from: &Blob, to: &Blob) -> Result<(), ConsistencyError> {
    for (row, before) in from.registry.rows().iter().enumerate() {
        let wrong = ConsistencyError::Registry { row };
        let after = to.registry.rows().get(row).ok_or(wrong.clone())?;
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

/// The reference of a row, as it stands in the later blob: its run only grew, and not at all where
/// the chain was withdrawn.
pub(super) fn check_growth<'a>(
    from: &Blob,
    to: &'a Blob,
    row: usize,
    before: &BlockReference,
) -> Result<&'a BlockReference, ConsistencyError> {
    let wrong = |why| ConsistencyError::Chain { chain: before.chain, why };
    let after = to.references.iter().find(|(other, _)| *other == row);
    let (_, after) = after.ok_or(wrong("its reference is gone"))?;
    check_run(before, after)?;
    let profile = from.registry.rows().get(row);
    let withdrawn = profile.is_some_and(|profile| profile.withdrawn_from().is_some());
    if withdrawn && before != after {
        return Err(wrong("it was withdrawn, and its reference moved"));
    }
    Ok(after)
}

/// The run only grows, and its last block is not exchanged.
fn check_run(before: &BlockReference, after: &BlockReference) -> Result<(), ConsistencyError> {
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

/// Root of the tree as it was when the slot and everything right of it was empty.
fn fold_from_empty(slot: u64, siblings: &[Hash; TWIG_HEIGHT]) -> Hash {
    let mut position = slot;
    let mut hash = Hash::ZERO;
    for (sibling, zero) in siblings.iter().zip(zeros(TWIG_HEIGHT)) {
        hash = if position & 1 == 1 { node(sibling, &hash) } else { node(&hash, zero) };
        position >>= 1;
    }
    hash
}
