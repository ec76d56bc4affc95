//! The blooms of each chain's twigs, built as twigs become whole.

use std::sync::Arc;
use std::time::Duration;

use superroot_chain::ChainRow;
use superroot_index::IndexError;
use superroot_index::bloom::{Built, Place, build_next};
use superroot_store::{Store, StoreError};
use superroot_types::{ErrorKind, UnixSeconds};

use crate::stage::{Failure, StageName, Work};

/// Time between looks for a twig that became whole.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// Time between looks at an index that is behind.
const WAIT_INTERVAL: Duration = Duration::from_millis(500);

/// Builds one twig a step.
pub(crate) struct TwigBlooms {
    store: Arc<dyn Store>,
    row: ChainRow,
    place: Place,
}

impl TwigBlooms {
    pub(crate) fn new(store: Arc<dyn Store>, row: ChainRow) -> Self {
        Self { store, row, place: Place::default() }
    }
}

impl Work for TwigBlooms {
    fn name(&self) -> StageName {
        StageName::Blooms
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, Failure> {
        Ok(match build_next(&*self.store, &self.row, &mut self.place).map_err(index_failure)? {
            Built::Twig(_) => Duration::ZERO,
            Built::Waits => WAIT_INTERVAL,
            Built::All => LOOK_INTERVAL,
        })
    }
}

/// What a block that cannot be read is: a matter of one chain, which a repair mends. Its index waits there.
pub(crate) fn index_failure(error: IndexError) -> Failure {
    let is_over = matches!(error, IndexError::Store(StoreError::Dead));
    Failure::of(error, ErrorKind::Unavailable, is_over)
}
