//! Replaying a log from its blobs: every rule of the log but the block leaves.

use superroot_types::Family;

use super::appended::{append, check_order};
use super::full::{check_growth, check_registry};
use super::{Blob, ConsistencyError, same};
use crate::range::{Peaks, Sha256Range};
use crate::superroot::History;

/// What the blobs of a log add up to so far. Whoever gives it every blob from SuperRoot 0 on has
/// checked every rule of the log but the block leaves: that no twig was sealed twice or left out,
/// and that the twigs of each SuperRoot came in their order, too.
///
/// ```text
/// blob 0 ── accept ──► blob 1 ── accept ──► .. each must follow from the one before
/// ```
#[derive(Clone, Debug, Default)]
pub struct Replay {
    last: Option<Blob>,
    mini_mmrs: [Peaks; 9],
    history: Peaks,
}

impl Replay {
    /// Nothing read yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next blob; the caller compares its SuperRoot's hash with the one it trusts. A blob
    /// that is refused leaves everything as it was.
    ///
    /// # Errors
    /// [`ConsistencyError`] naming the first rule that it breaks.
    pub fn accept(&mut self, blob: &Blob) -> Result<(), ConsistencyError> {
        blob.check()?;
        let to = blob.super_root.sequence;
        if to != self.history.count() {
            let from = self.last.as_ref().map_or(0, |last| last.super_root.sequence);
            return Err(ConsistencyError::Order { from, to });
        }
        if let Some(last) = &self.last {
            check_step(last, blob)?;
        }
        check_order(self.last.as_ref(), blob, &blob.appended)?;
        same("history log root", self.history.root::<Sha256Range>(), blob.history.log_root)?;
        let mut mini_mmrs = self.mini_mmrs.clone();
        let held = Family::ALL.into_iter().zip(&mut mini_mmrs).zip(&blob.mini_mmrs);
        for ((family, peaks), mini_mmr) in held {
            append(peaks, family, &blob.appended, &mini_mmr.range_root)?;
        }
        self.mini_mmrs = mini_mmrs;
        self.history.append::<Sha256Range>(History::leaf(&blob.super_root));
        self.last = Some(blob.clone());
        Ok(())
    }
}

/// The rules between a blob and the next.
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
