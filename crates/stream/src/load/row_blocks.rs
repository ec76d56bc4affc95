//! Blocks of a row, with the finalities for which their events are delivered.

use superroot_types::{BlockNumber, Hash};

use crate::cursor::RowPosition;
use crate::row::{BlockRun, Events, LogRowKind};
use crate::subscription::DeliveryFinality;

/// Blocks of a row whose events are delivered.
pub(super) struct RowBlocks<'a> {
    pub(super) run: &'a BlockRun,
    pub(super) hashes: Option<&'a [Hash]>,
    pub(super) events: Events,
    pub(super) reached: Option<DeliveryFinality>,
    /// Whether the blocks became final without being taken before: heads are delivered too.
    pub(super) is_new: bool,
    pub(super) is_late: bool,
}

impl RowBlocks<'_> {
    pub(super) fn means(&self, number: BlockNumber, hash: Hash) -> bool {
        let place = usize::try_from(number.0 - self.run.from.0).unwrap_or(usize::MAX);
        self.hashes.is_none_or(|hashes| hashes.get(place) == Some(&hash))
    }

    /// Position for one ordinal of a block and one finality.
    pub(super) fn place(
        &self,
        block: u32,
        ordinal: u32,
        finality: DeliveryFinality,
    ) -> RowPosition {
        let views = self.views();
        let slot = views.iter().position(|one| *one == finality).unwrap_or(0);
        let slots = u32::try_from(views.len()).unwrap_or(1);
        let slot = u32::try_from(slot).unwrap_or(0);
        RowPosition { block, ordinal: ordinal.saturating_mul(slots).saturating_add(slot) }
    }

    /// Finalities delivered by this kind of row.
    pub(super) const fn views(&self) -> &'static [DeliveryFinality] {
        match (self.reached, self.is_new) {
            (Some(DeliveryFinality::Head), _) => &[DeliveryFinality::Head],
            (Some(DeliveryFinality::Finalized), false) => &[DeliveryFinality::Finalized],
            (Some(DeliveryFinality::Finalized), true) => {
                &[DeliveryFinality::Head, DeliveryFinality::Finalized]
            }
            (Some(DeliveryFinality::Anchored), _) => &[DeliveryFinality::Anchored],
            (None, _) => {
                &[DeliveryFinality::Head, DeliveryFinality::Finalized, DeliveryFinality::Anchored]
            }
        }
    }
}

/// Blocks whose events a row delivers; `None` for a row of another kind.
pub(super) fn blocks_of(what: &LogRowKind) -> Option<RowBlocks<'_>> {
    let of = |run, events, reached| RowBlocks {
        run,
        hashes: None,
        events,
        reached: Some(reached),
        is_new: false,
        is_late: false,
    };
    match what {
        LogRowKind::Taken { run, hashes, events } => {
            Some(RowBlocks { hashes: Some(hashes), ..of(run, *events, DeliveryFinality::Head) })
        }
        LogRowKind::Final { run, is_new, events } => {
            Some(RowBlocks { is_new: *is_new, ..of(run, *events, DeliveryFinality::Finalized) })
        }
        LogRowKind::Anchored { run, events, .. } => {
            Some(of(run, *events, DeliveryFinality::Anchored))
        }
        LogRowKind::Body { run, events } => Some(RowBlocks {
            reached: None,
            is_late: true,
            ..of(run, *events, DeliveryFinality::Head)
        }),
        LogRowKind::Undone { .. }
        | LogRowKind::Retracted { .. }
        | LogRowKind::Published { .. }
        | LogRowKind::ChangesMissed { .. } => None,
    }
}
