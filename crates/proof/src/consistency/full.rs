//! Consistency of strength `full`: no block was rewritten either.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Family, Hash, TWIG_HEIGHT};

use super::{Blob, ConsistencyError, HistoryConsistency, same};
use crate::hash::node;
use crate::perfect::{root_of_path, zeros};
use crate::range::{KeccakRange, verify_consistency, verify_inclusion};
use crate::superroot::BlockReference;
use crate::twig::twig_leaf;

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
    /// Where the twig lies in its Mini-MMR, if it is sealed in the later SuperRoot.
    pub sealed: Option<SealedBridge>,
}

/// Place of a sealed twig in its Mini-MMR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedBridge {
    /// Which leaf.
    pub leaf_index: u64,
    /// Path in the range.
    pub path: Vec<Hash>,
}

/// Consistency of strength `full`.
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
    /// Checks it between two SuperRoot hashes that the client brings.
    ///
    /// # Errors
    /// [`ConsistencyError`] naming what does not hold.
    pub fn verify(&self, from: &Hash, to: &Hash) -> Result<(), ConsistencyError> {
        self.history.verify(from, to)?;
        for (blob, super_root) in
            [(&self.from, self.history.upgrade.from), (&self.to, self.history.upgrade.to)]
        {
            same("SuperRoot of the blob", blob.super_root.hash(), super_root.hash())?;
            blob.check()?;
        }
        self.check_mini_mmrs()?;
        self.check_registry()?;
        let mut bridges = self.bridges.iter();
        for (row, before) in &self.from.references {
            let after = self.to.references.iter().find(|(other, _)| other == row);
            let chain = before.chain;
            let why = "its reference is gone";
            let (_, after) = after.ok_or(ConsistencyError::Chain { chain, why })?;
            check_run(before, after)?;
            let profile = self.from.registry.rows().get(*row);
            let withdrawn = profile.is_some_and(|profile| profile.withdrawn_from().is_some());
            if withdrawn && before != after {
                let why = "it was withdrawn, and its reference moved";
                return Err(ConsistencyError::Chain { chain, why });
            }
            if before.number.0.saturating_add(1) % superroot_types::TWIG_BLOCKS != 0 {
                let bridge = bridges.next().filter(|bridge| bridge.chain == chain);
                let bridge = bridge.ok_or(ConsistencyError::Bridge { chain })?;
                self.check_bridge(bridge, before, after)?;
            }
        }
        match bridges.next() {
            Some(bridge) => Err(ConsistencyError::Bridge { chain: bridge.chain }),
            None => Ok(()),
        }
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

    /// Rows are only appended; a row only gains rules: above its chain's number, or a withdrawal.
    fn check_registry(&self) -> Result<(), ConsistencyError> {
        for (row, before) in self.from.registry.rows().iter().enumerate() {
            let wrong = ConsistencyError::Registry { row };
            let after = self.to.registry.rows().get(row).ok_or(wrong.clone())?;
            let number = self.from.references.iter().find(|(other, _)| *other == row);
            let number = number.map(|(_, reference)| reference.number.0);
            let kept = before.rules.iter().all(|rule| after.rules.contains(rule));
            let mut added = after.rules.iter().filter(|rule| !before.rules.contains(rule));
            let sound = added.all(|rule| {
                rule.code == 0 || number.is_none_or(|number| rule.from_number > number)
            });
            if before.chain != after.chain || before.caip2 != after.caip2 || !kept || !sound {
                return Err(wrong);
            }
        }
        Ok(())
    }

    fn check_bridge(
        &self,
        bridge: &Bridge,
        before: &BlockReference,
        after: &BlockReference,
    ) -> Result<(), ConsistencyError> {
        let chain = before.chain;
        let slot = BlockNumber(before.number.0.saturating_add(1)).twig_slot();
        let old = fold_from_empty(slot, &bridge.siblings);
        same("open twig root of the earlier SuperRoot", old, before.open_twig_root)?;
        let new = root_of_path(&bridge.leaf, slot, &bridge.siblings);
        let index = before.open_twig_index();
        if after.open_twig_index() == index {
            return match bridge.sealed {
                None => same("open twig root of the later SuperRoot", new, after.open_twig_root),
                Some(_) => Err(ConsistencyError::Bridge { chain }),
            };
        }
        let sealed = bridge.sealed.as_ref().ok_or(ConsistencyError::Bridge { chain })?;
        let family = Family::ALL.into_iter().position(|family| family == chain.family);
        let mini_mmr = family.and_then(|family| self.to.mini_mmrs.get(family));
        let mini_mmr = mini_mmr.ok_or(ConsistencyError::Bridge { chain })?;
        let leaf = twig_leaf(chain, index, &new);
        let (count, root) = (mini_mmr.leaf_count, mini_mmr.range_root);
        verify_inclusion::<KeccakRange>(&leaf, sealed.leaf_index, count, &sealed.path, &root)
            .map_err(|cause| ConsistencyError::Range { what: "sealed twig", cause })
    }
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
    Ok(())
}

/// Root of the tree as it was when the slot and everything right of it was empty.
fn fold_from_empty(slot: u64, siblings: &[Hash; TWIG_HEIGHT]) -> Hash {
    let mut position = slot;
    let mut hash = Hash::ZERO;
    for (sibling, zero) in siblings.iter().zip(zeros(TWIG_HEIGHT)) {
        hash = if position & 1 == 1 { node(sibling, &hash) } else { node(&hash, &zero) };
        position >>= 1;
    }
    hash
}
