//! Blobs, and consistency proofs between SuperRoots.

use std::ops::Range;

use superroot_proof::consistency::{
    AppendedTwig, Blob, Bridge, FullConsistency, HistoryConsistency, HistoryOpening, LogExtension,
};
use superroot_proof::note::Note;
use superroot_proof::superroot::{ChainReference, HISTORY_SLOT, MiniMmr, SuperRootHistory};
use superroot_store::read;
use superroot_types::{
    BlockNumber, ChainKey, Family, Hash, LeafIndex, LogSize, Sequence, SuperRootRef, TwigSlot,
};

use super::error::ProveError;
use super::prover::Prover;
use super::twig::{InTwig, path};
use crate::nodes::{self, GrowingRange};
use crate::record::Published;
use crate::recorded::{load_note, load_registry};

impl Prover {
    /// Blob of a SuperRoot.
    pub fn blob(&self, which: SuperRootRef) -> Result<Blob, ProveError> {
        let published = self.published(which)?;
        Ok(Blob {
            super_root: published.super_root,
            mini_mmrs: published.mini_mmrs,
            references: published.references.clone(),
            history: published.history,
            registry: load_registry(&*self.store, &published)?,
        })
    }

    /// Twigs appended to the Mini-MMRs up to a SuperRoot, family by family: since SuperRoot `after`, or since the
    /// beginning if `None`. Returns the count, then the twigs, if at most `max`.
    pub fn appended(
        &self,
        after: Option<Sequence>,
        now: Sequence,
        max: u64,
    ) -> Result<(u64, Option<Vec<AppendedTwig>>), ProveError> {
        let old = match after {
            Some(after) => self.published(SuperRootRef::Sequence(after))?.mini_mmrs,
            None => [MiniMmr::EMPTY; Family::COUNT],
        };
        let new = self.published(SuperRootRef::Sequence(now))?.mini_mmrs;
        let grown = || {
            let pairs = Family::ALL.into_iter().zip(old.iter().zip(&new));
            pairs.map(|(family, (old, new))| (family, old.leaf_count.end()..new.leaf_count.end()))
        };
        let counts = grown().map(|(_, leaves)| leaves.end.0.saturating_sub(leaves.start.0));
        let count = counts.sum();
        if count > max {
            return Ok((count, None));
        }
        let mut twigs = Vec::new();
        for (family, leaves) in grown() {
            twigs.extend(self.twigs(family, leaves)?);
        }
        Ok((count, Some(twigs)))
    }

    /// Published leaves of a Mini-MMR; the caller bounds the number. [`ProveError::Corrupt`] for a missing leaf.
    pub fn twigs(
        &self,
        family: Family,
        leaves: Range<LeafIndex>,
    ) -> Result<Vec<AppendedTwig>, ProveError> {
        let twig = |leaf_index| {
            let leaf = read::load_mini_mmr_leaf(&*self.store, family, leaf_index)?;
            let leaf = leaf.ok_or_else(|| ProveError::Corrupt {
                what: format!("leaf {leaf_index} of the {family} Mini-MMR is gone"),
            })?;
            let chain = ChainKey { family, id: leaf.chain_id };
            let twig_index = leaf.twig_index;
            let twig_root = leaf.twig_root;
            Ok(AppendedTwig { chain, twig_index, twig_root })
        };
        (leaves.start.0..leaves.end.0).map(LeafIndex).map(twig).collect()
    }

    /// Root over the first `size` history entries, as in the checkpoint of this size.
    ///
    /// # Errors
    /// [`ProveError::UnknownSuperRoot`] past the newest SuperRoot; store errors.
    pub fn history_root(&self, size: LogSize) -> Result<Hash, ProveError> {
        Ok(self.history(size)?.root(size.leaf_count())?)
    }

    /// Signed note by log size; `None` if unsigned, [`ProveError::Corrupt`] if unreadable.
    pub fn note(&self, size: LogSize) -> Result<Option<Note>, ProveError> {
        Ok(load_note(&*self.store, size)?)
    }

    /// Newest note with the cosignatures required by the log's policy, and its size; `None` without configured
    /// witnesses, or before the first such note. One store read.
    pub fn cosigned_note(&self) -> Result<Option<(LogSize, Note)>, ProveError> {
        let Some(size) = self.board.cosigned() else { return Ok(None) };
        Ok(self.note(size)?.map(|note| (size, note)))
    }

    /// Proof for witnesses that the history log's first `from` entries are a prefix of its first `to` (RFC 9162,
    /// section 2.1.4). Empty for a `from` of 0 or `to`.
    ///
    /// # Errors
    /// [`ProveError::Order`] if `from` is above `to`; [`ProveError::UnknownSuperRoot`] past the newest SuperRoot; store
    /// errors.
    pub fn history_growth(&self, from: LogSize, to: LogSize) -> Result<Vec<Hash>, ProveError> {
        if from > to {
            return Err(ProveError::Order { from: from.0, to: to.0 });
        }
        Ok(self.history(to)?.consistency(from.leaf_count(), to.leaf_count())?)
    }

    /// History log nodes, up to this size.
    pub(super) fn history(&self, size: LogSize) -> Result<GrowingRange<'_>, ProveError> {
        let latest = self.latest().ok_or(ProveError::NothingPublished)?;
        if size > latest.log_size()? {
            return Err(ProveError::UnknownSuperRoot { asked: format!("history of size {size}") });
        }
        // the newest entry itself is stored with the SuperRoot after it
        let mut history = GrowingRange::over(nodes::NodeRange::History, &*self.store);
        let before = latest.super_root.sequence.history();
        history.append(before, SuperRootHistory::leaf(&latest.super_root))?;
        Ok(history)
    }

    /// Consistency proof of strength `history`.
    ///
    /// # Errors
    /// [`ProveError::Order`] unless `from < to`; [`ProveError::UnknownSuperRoot`]; store errors.
    pub fn history_consistency(
        &self,
        from: Sequence,
        to: Sequence,
    ) -> Result<HistoryConsistency, ProveError> {
        if from >= to {
            return Err(ProveError::Order { from: from.0, to: to.0 });
        }
        let new = self.published(SuperRootRef::Sequence(to))?;
        let old = self.published(SuperRootRef::Sequence(from))?;
        let opening = |published: &Published| -> Result<HistoryOpening, ProveError> {
            let siblings = path(&published.tree(), HISTORY_SLOT)?;
            Ok(HistoryOpening { history: published.history, siblings })
        };
        let range = nodes::NodeRange::History;
        let upgrade = LogExtension {
            from: old.super_root,
            to: new.super_root,
            opening: opening(&new)?,
            path: range.inclusion(&*self.store, from.leaf_index(), to.history())?,
        };
        let path = range.consistency(&*self.store, from.history(), to.history())?;
        Ok(HistoryConsistency { upgrade, from_opening: opening(&old)?, path })
    }

    /// Consistency proof of strength `full`; [`Prover::appended`] returns the twigs for this proof.
    pub fn full_consistency(
        &self,
        from: Sequence,
        to: Sequence,
    ) -> Result<FullConsistency, ProveError> {
        let history = self.history_consistency(from, to)?;
        let old = self.blob(SuperRootRef::Sequence(from))?;
        let new = self.blob(SuperRootRef::Sequence(to))?;
        let mut mini_mmr_paths: [Vec<Hash>; Family::COUNT] = Default::default();
        for (slot, family) in Family::ALL.into_iter().enumerate() {
            let m = old.mini_mmrs[slot].leaf_count;
            let n = new.mini_mmrs[slot].leaf_count;
            mini_mmr_paths[slot] =
                nodes::NodeRange::MiniMmr(family).consistency(&*self.store, m, n)?;
        }
        let mut bridges = Vec::new();
        for (row, before) in &old.references {
            let after = new.references.iter().find(|(other, _)| other == row);
            let (_, after) = after.ok_or_else(|| ProveError::Corrupt {
                what: format!("the reference of row {row} is gone"),
            })?;
            if before.number.twig_slot() != TwigSlot::LAST {
                bridges.push(self.bridge(before, after)?);
            }
        }
        Ok(FullConsistency { history, from: old, to: new, mini_mmr_paths, bridges })
    }

    fn bridge(
        &self,
        before: &ChainReference,
        after: &ChainReference,
    ) -> Result<Bridge, ProveError> {
        let chain = before.chain;
        let next = BlockNumber(before.number.0 + 1);
        let InTwig { leaf, siblings, .. } = self.in_twig(chain, next, after)?;
        Ok(Bridge { chain, leaf, siblings })
    }
}
