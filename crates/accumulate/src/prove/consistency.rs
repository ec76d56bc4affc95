//! Blobs, and proofs that one SuperRoot extends another.

use std::ops::Range;

use superroot_proof::consistency::{
    AppendedTwig, Blob, Bridge, FullConsistency, HistoryConsistency, HistoryOpening, Upgrade,
};
use superroot_proof::note::Note;
use superroot_proof::superroot::{BlockReference, HISTORY_SLOT, History, MiniMmr};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Family, Hash};

use super::{InTwig, ProveError, Prover, Which, path};
use crate::nodes::{self, Growing};
use crate::record::Published;
use crate::recorded::{load_note, load_registry};

impl Prover {
    /// The blob of a SuperRoot.
    ///
    /// # Errors
    /// [`ProveError::UnknownSuperRoot`]; the store's.
    pub fn blob(&self, which: Which) -> Result<Blob, ProveError> {
        let published = self.published(which)?;
        Ok(Blob {
            super_root: published.super_root,
            mini_mmrs: published.mini_mmrs,
            references: published.references.clone(),
            history: published.history,
            registry: load_registry(&*self.store, &published)?,
        })
    }

    /// The twigs by which the Mini-MMRs grew up to a SuperRoot, family by family: since SuperRoot
    /// `after`, since the beginning where that is `None`. First how many they are, then themselves,
    /// where they are at most `max`.
    ///
    /// # Errors
    /// [`ProveError::UnknownSuperRoot`]; [`ProveError::Corrupt`]; the store's.
    pub fn appended(
        &self,
        after: Option<u64>,
        now: u64,
        max: u64,
    ) -> Result<(u64, Option<Vec<AppendedTwig>>), ProveError> {
        let old = match after {
            Some(after) => self.published(Which::Sequence(after))?.mini_mmrs,
            None => [MiniMmr::EMPTY; 9],
        };
        let new = self.published(Which::Sequence(now))?.mini_mmrs;
        let grown = || {
            let pairs = Family::ALL.into_iter().zip(old.iter().zip(&new));
            pairs.map(|(family, (old, new))| (family, old.leaf_count..new.leaf_count))
        };
        let count = grown().map(|(_, leaves)| leaves.end.saturating_sub(leaves.start)).sum();
        if count > max {
            return Ok((count, None));
        }
        let mut twigs = Vec::new();
        for (family, leaves) in grown() {
            twigs.extend(self.twigs(family, leaves)?);
        }
        Ok((count, Some(twigs)))
    }

    /// Leaves of a Mini-MMR that were published; the caller bounds their number.
    ///
    /// # Errors
    /// [`ProveError::Corrupt`] where one of them is gone; the store's.
    pub fn twigs(
        &self,
        family: Family,
        leaves: Range<u64>,
    ) -> Result<Vec<AppendedTwig>, ProveError> {
        let twig = |leaf_index| {
            let leaf = read::load_mini_mmr_leaf(&*self.store, family, leaf_index)?;
            let leaf = leaf.ok_or_else(|| ProveError::Corrupt {
                what: format!("leaf {leaf_index} of the {family} Mini-MMR is gone"),
            })?;
            let chain = ChainKey { family, id: leaf.chain_id };
            let (twig_index, twig_root) = (leaf.twig_index, leaf.twig_root);
            Ok(AppendedTwig { chain, twig_index, twig_root })
        };
        leaves.map(twig).collect()
    }

    /// Root of the first `size` entries of the history log: what a checkpoint of that size says.
    ///
    /// # Errors
    /// [`ProveError::UnknownSuperRoot`] past the newest SuperRoot; the store's.
    pub fn history_root(&self, size: u64) -> Result<Hash, ProveError> {
        Ok(self.history(size)?.root(size)?)
    }

    /// The signed note of that size of the log; `None` where nobody signed it.
    ///
    /// # Errors
    /// [`ProveError::Corrupt`] for a row that is no note; the store's.
    pub fn note(&self, size: u64) -> Result<Option<Note>, ProveError> {
        Ok(load_note(&*self.store, size)?)
    }

    /// The newest note that has the cosignatures which the log's policy asks for, with its size; `None`
    /// where no witness is configured, or no note has them yet. One read of the store.
    ///
    /// # Errors
    /// As [`Prover::note`].
    pub fn cosigned_note(&self) -> Result<Option<(u64, Note)>, ProveError> {
        let Some(size) = self.board.cosigned() else { return Ok(None) };
        Ok(self.note(size)?.map(|note| (size, note)))
    }

    /// That the first `from` entries of the history log are those of its first `to`: what a witness is
    /// shown (RFC 9162, section 2.1.4). Empty where `from` is 0, or `to`.
    ///
    /// # Errors
    /// [`ProveError::Order`] where `from` is above `to`; [`ProveError::UnknownSuperRoot`] past the
    /// newest SuperRoot; the store's.
    pub fn history_growth(&self, from: u64, to: u64) -> Result<Vec<Hash>, ProveError> {
        if from > to {
            return Err(ProveError::Order { from, to });
        }
        Ok(self.history(to)?.consistency(from, to)?)
    }

    /// The history log's nodes, up to that size.
    pub(super) fn history(&self, size: u64) -> Result<Growing<'_>, ProveError> {
        let latest = self.latest().ok_or(ProveError::NothingPublished)?;
        let sequence = latest.super_root.sequence;
        if size > sequence.saturating_add(1) {
            return Err(ProveError::UnknownSuperRoot { asked: format!("history of size {size}") });
        }
        // the newest entry itself is stored with the SuperRoot after it
        let mut history = Growing::over(nodes::Range::History, &*self.store);
        history.append(sequence, History::leaf(&latest.super_root))?;
        Ok(history)
    }

    /// Consistency of strength `history`.
    ///
    /// # Errors
    /// [`ProveError::Order`] unless `from < to`; [`ProveError::UnknownSuperRoot`]; the store's.
    pub fn history_consistency(
        &self,
        from: u64,
        to: u64,
    ) -> Result<HistoryConsistency, ProveError> {
        if from >= to {
            return Err(ProveError::Order { from, to });
        }
        let new = self.published(Which::Sequence(to))?;
        let old = self.published(Which::Sequence(from))?;
        let opening = |published: &Published| -> Result<HistoryOpening, ProveError> {
            let siblings = path(&published.tree(), HISTORY_SLOT)?;
            Ok(HistoryOpening { history: published.history, siblings })
        };
        let upgrade = Upgrade {
            from: old.super_root,
            to: new.super_root,
            opening: opening(&new)?,
            path: nodes::Range::History.inclusion(&*self.store, from, to)?,
        };
        let path = nodes::Range::History.consistency(&*self.store, from, to)?;
        Ok(HistoryConsistency { upgrade, from_opening: opening(&old)?, path })
    }

    /// Consistency of strength `full`; [`Prover::appended`] gives the twigs that belong to it.
    ///
    /// # Errors
    /// As [`Prover::history_consistency`].
    pub fn full_consistency(&self, from: u64, to: u64) -> Result<FullConsistency, ProveError> {
        let history = self.history_consistency(from, to)?;
        let (old, new) = (self.blob(Which::Sequence(from))?, self.blob(Which::Sequence(to))?);
        let mut mini_mmr_paths: [Vec<Hash>; 9] = Default::default();
        for (slot, family) in Family::ALL.into_iter().enumerate() {
            let (m, n) = (old.mini_mmrs[slot].leaf_count, new.mini_mmrs[slot].leaf_count);
            mini_mmr_paths[slot] = nodes::Range::MiniMmr(family).consistency(&*self.store, m, n)?;
        }
        let mut bridges = Vec::new();
        for (row, before) in &old.references {
            let after = new.references.iter().find(|(other, _)| other == row);
            let (_, after) = after.ok_or_else(|| ProveError::Corrupt {
                what: format!("the reference of row {row} is gone"),
            })?;
            if BlockNumber(before.number.0 + 1).twig_slot() != 0 {
                bridges.push(self.bridge(before, after)?);
            }
        }
        Ok(FullConsistency { history, from: old, to: new, mini_mmr_paths, bridges })
    }

    fn bridge(
        &self,
        before: &BlockReference,
        after: &BlockReference,
    ) -> Result<Bridge, ProveError> {
        let (chain, next) = (before.chain, BlockNumber(before.number.0 + 1));
        let InTwig { leaf, siblings, .. } = self.in_twig(chain, next, after)?;
        Ok(Bridge { chain, leaf, siblings })
    }
}
