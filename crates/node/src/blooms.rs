//! Bloom filters per twig, built when a twig is complete.

use std::sync::Arc;
use std::time::Duration;

use superroot_chain::ChainSpec;
use superroot_index::IndexError;
use superroot_index::bloom::{BuildCursor, Built, build_next};
use superroot_store::{Store, StoreError};
use superroot_types::{ErrorKind, UnixSeconds};

use crate::stage::{BlockingStage, StageFailure, StageName};

const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// Poll interval while the index is behind.
const WAIT_INTERVAL: Duration = Duration::from_millis(500);

/// Builds one twig per step.
pub(crate) struct TwigBlooms {
    store: Arc<dyn Store>,
    row: ChainSpec,
    place: BuildCursor,
}

impl TwigBlooms {
    pub(crate) fn new(store: Arc<dyn Store>, row: ChainSpec) -> Self {
        Self { store, row, place: BuildCursor::default() }
    }
}

impl BlockingStage for TwigBlooms {
    fn name(&self) -> StageName {
        StageName::Blooms
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        Ok(match build_next(&*self.store, &self.row, &mut self.place).map_err(index_failure)? {
            Built::Twig(_) => Duration::ZERO,
            Built::Waits => WAIT_INTERVAL,
            Built::All => LOOK_INTERVAL,
        })
    }
}

/// An unreadable block affects one chain: the index waits there until a repair.
pub(crate) fn index_failure(error: IndexError) -> StageFailure {
    let is_over = matches!(error, IndexError::Store(StoreError::Dead));
    StageFailure::of(error, ErrorKind::Unavailable, is_over)
}
