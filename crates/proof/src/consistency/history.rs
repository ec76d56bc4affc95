//! Upgrades, and consistency strength `history`.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::{ConsistencyError, same, within};
use crate::perfect::root_of_path;
use crate::range::{Sha256Range, verify_consistency, verify_inclusion};
use crate::superroot::{HISTORY_SLOT, SUPER_ROOT_HEIGHT, SuperRoot, SuperRootHistory};

/// SuperRoot history, opened under slot 54.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryOpening {
    /// Committed history.
    pub history: SuperRootHistory,
    /// Siblings from slot 54 upward.
    pub siblings: [Hash; SUPER_ROOT_HEIGHT],
}

impl HistoryOpening {
    pub(crate) fn check(&self, super_root: &SuperRoot) -> Result<(), ConsistencyError> {
        let sequence = super_root.sequence;
        let leaf_count = self.history.leaf_count;
        if sequence.history() != leaf_count {
            return Err(ConsistencyError::HistoryCount { sequence, leaf_count });
        }
        let got = root_of_path(&self.history.root(), HISTORY_SLOT, &self.siblings);
        same("SuperRoot tree root over the history", got, super_root.tree_root)
    }
}

/// Shows only that a later SuperRoot's log contains an earlier SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogExtension {
    /// Earlier SuperRoot.
    pub from: SuperRoot,
    /// Later SuperRoot.
    pub to: SuperRoot,
    /// Later SuperRoot's history.
    pub opening: HistoryOpening,
    /// Earlier SuperRoot's path in the later history.
    pub path: Vec<Hash>,
}

impl LogExtension {
    /// Checks the upgrade between two SuperRoot hashes from the client.
    ///
    /// # Errors
    /// [`ConsistencyError`] naming the fault.
    pub fn verify(&self, from: &Hash, to: &Hash) -> Result<(), ConsistencyError> {
        brought("earlier", self.from.hash(), *from)?;
        brought("later", self.to.hash(), *to)?;
        if self.from.log_id != self.to.log_id {
            return Err(ConsistencyError::Log);
        }
        if self.from.sequence >= self.to.sequence {
            let from = self.from.sequence;
            let to = self.to.sequence;
            return Err(ConsistencyError::Order { from, to });
        }
        if self.from.timestamp > self.to.timestamp {
            return Err(ConsistencyError::Timestamp);
        }
        within(&self.from)?;
        within(&self.to)?;
        self.opening.check(&self.to)?;
        let SuperRootHistory { leaf_count, log_root } = self.opening.history;
        let leaf = SuperRootHistory::leaf(&self.from);
        let index = self.from.sequence.leaf_index();
        verify_inclusion::<Sha256Range>(&leaf, index, leaf_count, &self.path, &log_root)
            .map_err(|cause| ConsistencyError::Range { what: "history", cause })
    }
}

fn brought(which: &'static str, got: Hash, expected: Hash) -> Result<(), ConsistencyError> {
    if got == expected { Ok(()) } else { Err(ConsistencyError::Root { which, got, expected }) }
}

/// Consistency strength `history`: no SuperRoot was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryConsistency {
    /// Proof that the later log contains the earlier SuperRoot.
    pub upgrade: LogExtension,
    /// Earlier SuperRoot's history.
    pub from_opening: HistoryOpening,
    /// RFC 9162 consistency path from the earlier to the later history.
    pub path: Vec<Hash>,
}

impl HistoryConsistency {
    /// Checks the history between two SuperRoot hashes from the client.
    ///
    /// # Errors
    /// [`ConsistencyError`] naming the fault.
    pub fn verify(&self, from: &Hash, to: &Hash) -> Result<(), ConsistencyError> {
        self.upgrade.verify(from, to)?;
        self.from_opening.check(&self.upgrade.from)?;
        let old = self.from_opening.history;
        let new = self.upgrade.opening.history;
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
