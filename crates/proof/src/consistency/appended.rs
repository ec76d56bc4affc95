//! Appended twigs between two SuperRoots, checked as they arrive.

use alloc::vec::Vec;
use core::ops::Range;

use superroot_types::{ChainKey, Family, Hash, LeafIndex, TwigIndex};

use super::order::TwigSequence;
use super::{AppendedTwig, Blob, ConsistencyError, same};
use crate::range::{KeccakRange, Peaks, RangeError};
use crate::superroot::MiniMmr;
use crate::twig::twig_leaf;

/// Outstanding twigs between two SuperRoots, taken family by family with rising leaf index, in memory independent from
/// their number:
///
/// ```text
/// due() ──► family, leaves a..b ──► fetch a page ──► take(twig) .. ──► due() .. ──► finish()
/// ```
/// Nothing is shown before [`Appending::finish`] accepts.
#[derive(Clone, Debug)]
#[must_use = "nothing is shown before all twigs came and `finish` accepts"]
pub struct Appending {
    families: Vec<GrowingMmr>,
    /// Growing Mini-MMR; all earlier entries are complete.
    at: usize,
    order: TwigSequence,
    /// Earlier open twigs now sealed, with their required root.
    bridged: Vec<(ChainKey, TwigIndex, Hash)>,
    taken: u64,
}

#[derive(Clone, Debug)]
struct GrowingMmr {
    family: Family,
    peaks: Peaks,
    now: MiniMmr,
}

impl Appending {
    /// Twigs from the Mini-MMRs `before` to `now`; `peaks` gives a family's earlier peaks. Equal leaf counts are
    /// compared at once.
    pub(super) fn new(
        (before, now): (&[MiniMmr; Family::COUNT], &[MiniMmr; Family::COUNT]),
        mut peaks: impl FnMut(usize) -> Peaks,
        order: TwigSequence,
        bridged: Vec<(ChainKey, TwigIndex, Hash)>,
    ) -> Result<Self, ConsistencyError> {
        let mut families = Vec::new();
        let pairs = Family::ALL.into_iter().zip(before.iter().zip(now)).enumerate();
        for (position, (family, (before, now))) in pairs {
            let from = before.leaf_count;
            let to = now.leaf_count;
            if from > to {
                let cause = RangeError::Shrunk { from, to };
                return Err(ConsistencyError::Range { what: "Mini-MMR", cause });
            }
            if from == to {
                same("Mini-MMR range root", now.range_root, before.range_root)?;
            } else {
                families.push(GrowingMmr { family, peaks: peaks(position), now: *now });
            }
        }
        Ok(Self { families, at: 0, order, bridged, taken: 0 })
    }

    /// All twigs behind a blob, each once, in any order.
    ///
    /// # Errors
    /// As [`Blob::check`].
    pub fn all(blob: &Blob) -> Result<Self, ConsistencyError> {
        blob.check()?;
        let before = &[MiniMmr::EMPTY; Family::COUNT];
        let order = TwigSequence::any(&[], &blob.references);
        Self::new((before, &blob.mini_mmrs), |_| Peaks::default(), order, Vec::new())
    }

    /// No outstanding twigs.
    pub const fn nothing() -> Self {
        let order = TwigSequence::nothing();
        Self { families: Vec::new(), at: 0, order, bridged: Vec::new(), taken: 0 }
    }

    /// Next family and its Mini-MMR leaf range; `None` when complete.
    #[must_use]
    pub fn due(&self) -> Option<(Family, Range<LeafIndex>)> {
        let growing = self.families.get(self.at)?;
        Some((growing.family, growing.peaks.count().end()..growing.now.leaf_count.end()))
    }

    /// Twigs taken so far.
    #[must_use]
    pub const fn taken(&self) -> u64 {
        self.taken
    }

    /// Outstanding twigs.
    #[must_use]
    pub fn missing(&self) -> u64 {
        let left = self.families.iter().skip(self.at);
        let left = left.map(|one| one.now.leaf_count.since(one.peaks.count()).unwrap_or(0));
        left.fold(0, u64::saturating_add)
    }

    /// Takes the next twig. After an error nothing more may be taken.
    ///
    /// # Errors
    /// [`ConsistencyError::Appended`] for a twig not due, sealed before, or too far out of order;
    /// [`ConsistencyError::Mismatch`] for a changed open twig or a Mini-MMR with a wrong later root.
    pub fn take(&mut self, twig: &AppendedTwig) -> Result<(), ConsistencyError> {
        let AppendedTwig { chain, twig_index, twig_root } = *twig;
        let wrong = ConsistencyError::Appended { position: self.taken };
        let growing = self.families.get_mut(self.at).filter(|one| one.family == chain.family);
        let Some(growing) = growing.filter(|_| self.order.take(chain, twig_index)) else {
            return Err(wrong);
        };
        let bridged = self.bridged.iter().position(|one| (one.0, one.1) == (chain, twig_index));
        if let Some(bridged) = bridged {
            let (_, _, root) = self.bridged.swap_remove(bridged);
            same("root of the twig sealed since", root, twig_root)?;
        }
        growing.peaks.append::<KeccakRange>(twig_leaf(chain, twig_index, &twig_root));
        if growing.peaks.count() == growing.now.leaf_count {
            let root = growing.peaks.root::<KeccakRange>();
            same("Mini-MMR range root", root, growing.now.range_root)?;
            self.at = self.at.saturating_add(1);
        }
        self.taken = self.taken.saturating_add(1);
        Ok(())
    }

    /// Takes all twigs in order.
    ///
    /// # Errors
    /// As [`Appending::take`].
    pub fn take_all(&mut self, twigs: &[AppendedTwig]) -> Result<(), ConsistencyError> {
        twigs.iter().try_for_each(|twig| self.take(twig))
    }

    /// Accepts if every twig arrived.
    ///
    /// # Errors
    /// [`ConsistencyError::Appended`] at the first missing twig; [`ConsistencyError::Bridge`] for a missing earlier
    /// open twig.
    pub fn finish(self) -> Result<(), ConsistencyError> {
        self.into_peaks().map(|_| ())
    }

    /// Like [`Appending::finish`]; returns the peaks for every grown Mini-MMR.
    ///
    /// # Errors
    /// As [`Appending::finish`].
    pub fn into_peaks(self) -> Result<impl Iterator<Item = (Family, Peaks)>, ConsistencyError> {
        if self.at < self.families.len() || !self.order.is_complete() {
            return Err(ConsistencyError::Appended { position: self.taken });
        }
        match self.bridged.first() {
            Some((chain, ..)) => Err(ConsistencyError::Bridge { chain: *chain }),
            None => Ok(self.families.into_iter().map(|one| (one.family, one.peaks))),
        }
    }
}
