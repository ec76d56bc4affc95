//! Log replay from blobs: every log rule except the block leaves.

use superroot_types::{Family, Hash, LogSize, Sequence};

use super::full::{check_growth, check_registry};
use super::order::TwigSequence;
use super::{AppendedTwig, Appending, Blob, ConsistencyError, same};
use crate::range::{KeccakRange, Peaks, Sha256Range};
use crate::superroot::{MiniMmr, SuperRootHistory};

/// Replayed log state. Replaying every blob from SuperRoot 0 on, each with its twigs, checks every log rule except the
/// block leaves, including that no twig was sealed twice or left out and that each SuperRoot's twigs came in order.
///
/// ```text
/// begin(blob 0) ──► its twigs, piece by piece ──► finish ──► begin(blob 1) ..
///                                    each must follow from the one before
/// ```
#[derive(Clone, Debug, Default)]
pub struct Replay {
    last: Option<Blob>,
    mini_mmrs: [Peaks; Family::COUNT],
    /// Entries before the last blob's SuperRoot: its committed history.
    history: Peaks,
}

/// Next blob with outstanding twigs.
#[derive(Clone, Debug)]
#[must_use = "a step counts only after `Replay::finish`"]
pub struct ReplayStep {
    blob: Blob,
    history: Peaks,
    /// Outstanding twigs.
    pub appending: Appending,
}

impl Replay {
    /// Replay before the first blob.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Resumes a replay after `last`, with the peaks for each Mini-MMR and for the committed history. Earlier rules
    /// count as checked by the caller.
    ///
    /// # Errors
    /// [`ConsistencyError`] if the peaks do not match `last`.
    pub fn resume(
        last: Blob,
        mini_mmrs: [Peaks; Family::COUNT],
        history: Peaks,
    ) -> Result<Self, ConsistencyError> {
        last.check()?;
        for (peaks, mini_mmr) in mini_mmrs.iter().zip(&last.mini_mmrs) {
            let held =
                MiniMmr { leaf_count: peaks.count(), range_root: peaks.root::<KeccakRange>() };
            same("Mini-MMR range root", held.range_root, mini_mmr.range_root)?;
            if held != *mini_mmr {
                return Err(ConsistencyError::Appended { position: held.leaf_count.0 });
            }
        }
        let sequence = last.super_root.sequence;
        let leaf_count = history.count();
        if sequence.history() != leaf_count {
            return Err(ConsistencyError::HistoryCount { sequence, leaf_count });
        }
        same("history log root", history.root::<Sha256Range>(), last.history.log_root)?;
        Ok(Self { last: Some(last), mini_mmrs, history })
    }

    /// Last blob.
    #[must_use]
    pub const fn last(&self) -> Option<&Blob> {
        self.last.as_ref()
    }

    /// Mini-MMR peaks by family.
    #[must_use]
    pub const fn mini_mmrs(&self) -> &[Peaks; Family::COUNT] {
        &self.mini_mmrs
    }

    /// History peaks committed by the last blob: all earlier SuperRoots.
    #[must_use]
    pub const fn history(&self) -> &Peaks {
        &self.history
    }

    /// SuperRoots so far: the next sequence.
    #[must_use]
    pub const fn size(&self) -> LogSize {
        match self.last {
            Some(_) => LogSize(self.history.count().0.saturating_add(1)),
            None => LogSize::EMPTY,
        }
    }

    /// History root including the last SuperRoot: the checkpoint root at [`Replay::size`].
    #[must_use]
    pub fn log_root(&self) -> Hash {
        self.next_history().root::<Sha256Range>()
    }

    fn next_history(&self) -> Peaks {
        let mut history = self.history.clone();
        if let Some(last) = &self.last {
            history.append::<Sha256Range>(SuperRootHistory::leaf(&last.super_root));
        }
        history
    }

    /// Checks the next blob; the caller compares its SuperRoot hash with a trusted hash. The twigs go into
    /// [`ReplayStep::appending`], then the step to [`Replay::finish`]. An abandoned step changes nothing.
    ///
    /// # Errors
    /// [`ConsistencyError`] naming the first broken rule.
    pub fn begin(&self, blob: Blob) -> Result<ReplayStep, ConsistencyError> {
        blob.check()?;
        let to = blob.super_root.sequence;
        if to != self.size().next() {
            let from = self.last.as_ref().map_or(Sequence::FIRST, |last| last.super_root.sequence);
            return Err(ConsistencyError::Order { from, to });
        }
        if let Some(last) = &self.last {
            check_step(last, &blob)?;
        }
        let history = self.next_history();
        same("history log root", history.root::<Sha256Range>(), blob.history.log_root)?;
        let before = self.last.as_ref();
        let references = before.map_or(&[][..], |last| &last.references);
        let mini_mmrs = before.map_or(&[MiniMmr::EMPTY; Family::COUNT], |last| &last.mini_mmrs);
        let order = TwigSequence::strict(references, &blob.references);
        let peaks = |family: usize| self.mini_mmrs.get(family).cloned().unwrap_or_default();
        let none = alloc::vec::Vec::new();
        let appending = Appending::new((mini_mmrs, &blob.mini_mmrs), peaks, order, none)?;
        Ok(ReplayStep { blob, history, appending })
    }

    /// Completes a step with all its twigs.
    ///
    /// # Errors
    /// As [`Appending::finish`]; [`ConsistencyError::Order`] for a step begun elsewhere.
    pub fn finish(&mut self, step: ReplayStep) -> Result<(), ConsistencyError> {
        let ReplayStep { blob, history, appending } = step;
        let from = self.size().next();
        let to = blob.super_root.sequence;
        if from != to || history != self.next_history() {
            return Err(ConsistencyError::Order { from, to });
        }
        for (family, peaks) in appending.into_peaks()? {
            if let Some(place) = self.mini_mmrs.get_mut(usize::from(family.byte())) {
                *place = peaks;
            }
        }
        self.history = history;
        self.last = Some(blob);
        Ok(())
    }

    /// Takes a blob with all its twigs. A refused blob changes nothing.
    ///
    /// # Errors
    /// As [`Replay::begin`] and [`Replay::finish`].
    pub fn accept(
        &mut self,
        blob: Blob,
        appended: &[AppendedTwig],
    ) -> Result<(), ConsistencyError> {
        let mut step = self.begin(blob)?;
        step.appending.take_all(appended)?;
        self.finish(step)
    }
}

fn check_step(last: &Blob, next: &Blob) -> Result<(), ConsistencyError> {
    if last.super_root.log_id != next.super_root.log_id {
        return Err(ConsistencyError::Log);
    }
    if last.super_root.timestamp > next.super_root.timestamp {
        return Err(ConsistencyError::Timestamp);
    }
    check_registry(last, next)?;
    for (row, before) in &last.references {
        check_growth(last, next, *row, before)?;
    }
    Ok(())
}
