//! SuperRoot content except the block leaves.

use alloc::vec::Vec;

use superroot_types::{
    ChainKey, Family, Hash, LeafCount, RowIndex, SAFE_INTEGER_MAX, TWIG_HEIGHT, TwigIndex, TwigSlot,
};

use super::{ConsistencyError, same, within};
use crate::perfect::{PerfectTree, empty_root};
use crate::range::{RangeHash, Sha256Range};
use crate::registry::LogRegistry;
use crate::superroot::{ChainReference, MiniMmr, SuperRoot, SuperRootHistory, build_tree};

/// Twig sealed since an earlier SuperRoot (in a blob, since the previous SuperRoot).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppendedTwig {
    /// Chain key.
    pub chain: ChainKey,
    /// Twig index in the chain.
    pub twig_index: TwigIndex,
    /// Twig root.
    pub twig_root: Hash,
}

/// SuperRoot blob: its preimage, every preimage behind its slots, and the profiles. Newly appended twig leaves may be
/// many and come separately, in pieces. All blobs from 0 on with their twigs are enough to check every log rule except
/// the block leaves: see [`super::Replay`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// The SuperRoot.
    pub super_root: SuperRoot,
    /// Mini-MMRs by family.
    pub mini_mmrs: [MiniMmr; Family::COUNT],
    /// References with rising row numbers.
    pub references: Vec<(RowIndex, ChainReference)>,
    /// Committed history.
    pub history: SuperRootHistory,
    /// Registry rows.
    pub registry: LogRegistry,
}

impl Blob {
    /// Tree over the 64 slots.
    #[must_use]
    pub fn tree(&self) -> PerfectTree {
        build_tree(&self.mini_mmrs, &self.references, &self.history, self.registry.root())
    }

    /// Checks the content against the SuperRoot, and the rules visible in a single blob: history length, runs and leaf
    /// counts. Appended twigs need the previous blob: see [`super::Replay`].
    ///
    /// # Errors
    /// [`ConsistencyError`] naming the mismatch.
    pub fn check(&self) -> Result<(), ConsistencyError> {
        within(&self.super_root)?;
        same("SuperRoot tree root", self.tree().root(), self.super_root.tree_root)?;
        let sequence = self.super_root.sequence;
        let leaf_count = self.history.leaf_count;
        if sequence.history() != leaf_count {
            return Err(ConsistencyError::HistoryCount { sequence, leaf_count });
        }
        if leaf_count == LeafCount::EMPTY {
            same("empty history", self.history.log_root, Sha256Range::empty())?;
        }
        self.check_references()?;
        self.check_leaf_counts()
    }

    fn check_references(&self) -> Result<(), ConsistencyError> {
        let mut above = None;
        for (row, reference) in &self.references {
            let wrong = |why| ConsistencyError::Reference { row: *row, why };
            if above.replace(*row).is_some_and(|above| above >= *row) {
                return Err(wrong("rows do not rise"));
            }
            let profile = self.registry.row(*row).ok_or(wrong("no such row"))?;
            if profile.chain != reference.chain {
                return Err(wrong("another chain"));
            }
            let start = reference.start.0;
            let number = reference.number.0;
            if start > number || number > SAFE_INTEGER_MAX {
                return Err(wrong("its run is none"));
            }
            if start < profile.first_number() {
                return Err(wrong("its run starts before its ledger"));
            }
            let starts_twig = reference.start.twig_slot() == TwigSlot::FIRST;
            if !starts_twig && start != profile.first_number() {
                return Err(wrong("its run starts inside a twig"));
            }
            let is_full = reference.number.twig_slot() == TwigSlot::LAST;
            if is_full && reference.open_twig_root != empty_root(TWIG_HEIGHT) {
                return Err(wrong("its open twig holds blocks past its last"));
            }
        }
        Ok(())
    }

    /// Checks each Mini-MMR's leaf count against the sealed twigs in its chains' runs.
    fn check_leaf_counts(&self) -> Result<(), ConsistencyError> {
        for (family, mini_mmr) in Family::ALL.into_iter().zip(&self.mini_mmrs) {
            let of_family =
                |(_, reference): &&(RowIndex, ChainReference)| reference.chain.family == family;
            let sealed = self.references.iter().filter(of_family);
            let expected = sealed.map(|(_, reference)| reference.sealed_twigs());
            let expected = LeafCount(expected.fold(0, u64::saturating_add));
            if mini_mmr.leaf_count != expected {
                let got = mini_mmr.leaf_count;
                return Err(ConsistencyError::LeafCount { family, got, expected });
            }
            if expected == LeafCount::EMPTY {
                same("empty Mini-MMR", mini_mmr.range_root, Hash::ZERO)?;
            }
        }
        Ok(())
    }
}
