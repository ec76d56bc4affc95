//! Upgrades, and consistency of strength `history`.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::{ConsistencyError, same, within};
use crate::perfect::root_of_path;
use crate::range::{Sha256Range, verify_consistency, verify_inclusion};
use crate::superroot::{HISTORY_SLOT, History, SUPER_ROOT_HEIGHT, SuperRoot};

/// The history under slot 54 of a SuperRoot, opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryOpening {
    /// What it commits to.
    pub history: History,
    /// From slot 54 upward.
    pub siblings: [Hash; SUPER_ROOT_HEIGHT],
}

impl HistoryOpening {
    /// Checks that this is the history of that SuperRoot.
    pub(crate) fn check(&self, super_root: &SuperRoot) -> Result<(), ConsistencyError> {
        let (sequence, leaf_count) = (super_root.sequence, self.history.leaf_count);
        if sequence != leaf_count {
            return Err(ConsistencyError::HistoryCount { sequence, leaf_count });
        }
        let got = root_of_path(&self.history.root(), HISTORY_SLOT, &self.siblings);
        same("SuperRoot tree root over the history", got, super_root.tree_root)
    }
}

/// Shows that the log of a later SuperRoot holds an earlier one, nothing more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgrade {
    /// The earlier one.
    pub from: SuperRoot,
    /// The later one.
    pub to: SuperRoot,
    /// The later one's history.
    pub opening: HistoryOpening,
    /// Path of the earlier one in it.
    pub path: Vec<Hash>,
}

impl Upgrade {
    /// Checks the upgrade between two SuperRoot hashes that the client brings.
    ///
    /// # Errors
    /// [`ConsistencyError`] naming what does not hold.
    pub fn verify(&self, from: &Hash, to: &Hash) -> Result<(), ConsistencyError> {
        brought("earlier", self.from.hash(), *from)?;
        brought("later", self.to.hash(), *to)?;
        if self.from.log_id != self.to.log_id {
            return Err(ConsistencyError::Log);
        }
        if self.from.sequence >= self.to.sequence {
            let (from, to) = (self.from.sequence, self.to.sequence);
            return Err(ConsistencyError::Order { from, to });
        }
        if self.from.timestamp > self.to.timestamp {
            return Err(ConsistencyError::Timestamp);
        }
        within(&self.from)?;
        within(&self.to)?;
        self.opening.check(&self.to)?;
        let History { leaf_count, log_root } = self.opening.history;
        let leaf = History::leaf(&self.from);
        let sequence = self.from.sequence;
        verify_inclusion::<Sha256Range>(&leaf, sequence, leaf_count, &self.path, &log_root)
            .map_err(|cause| ConsistencyError::Range { what: "history", cause })
    }
}

fn brought(which: &'static str, got: Hash, expected: Hash) -> Result<(), ConsistencyError> {
    if got == expected { Ok(()) } else { Err(ConsistencyError::Root { which, got, expected }) }
}

/// Consistency of strength `history`: no SuperRoot was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryConsistency {
    /// The later log holds the earlier SuperRoot.
    pub upgrade: Upgrade,
    /// The earlier one's history.
    pub from_opening: HistoryOpening,
    /// RFC 9162 consistency path from the earlier history to the later.
    pub path: Vec<Hash>,
}

impl HistoryConsistency {
    /// Checks it between two SuperRoot hashes that the client brings.
    ///
    /// # Errors
    /// [`ConsistencyError`] naming what does not hold.
    pub fn verify(&self, from: &Hash, to: &Hash) -> Result<(), ConsistencyError> {
        self.upgrade.verify(from, to)?;
        self.from_opening.check(&self.upgrade.from)?;
        let (old, new) = (self.from_opening.history, self.upgrade.opening.history);
        verify_consistency::<Sha256Range>(
            old.leaf_count,
            new.leaf_count,
            &old.log_root,
            &new.log_root,
            &self.path,
        )
        .map_err(|cause| ConsistencyError::Range { what: "history", cause })
    }
}
