//! How each chain fares at the moment: what the loops know, and the routes show.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use superroot_types::ChainKey;
use superroot_wire::chain::WitnessStatus;

pub(crate) mod current;
mod publishing;
mod reason;
mod stage;
mod view;

pub use current::chain_view;
pub use publishing::Publishing;
pub use reason::{FailingNode, Reason};
pub use stage::{ChainStage, FINALITY_STALLED_AFTER_MS, stalled_after_ms};
pub use view::{
    Backfill, CatchUp, ChainView, Claimed, Differing, LastError, LeftOut, Pace, Point, Repair,
    TEXT_CHARS_MAX, WatchView,
};

/// Blocks left out that are kept for a chain.
pub const LEFT_OUT_MAX: usize = 16;
/// Endpoints that are shown of a chain.
pub const ENDPOINTS_MAX: usize = 64;

/// Tells how chains fare.
pub trait ChainStatus: Send + Sync {
    /// How the chain fares now; a planned chain's view where nothing is known. Never blocks on I/O.
    fn status(&self, chain: ChainKey) -> ChainView;

    /// How often what is told here has changed.
    fn changes(&self) -> u64;

    /// Bytes that the store takes on disk, where that is known.
    fn store_bytes(&self) -> Option<u64>;

    /// Bytes that are free where the store lies, where that is known.
    fn free_bytes(&self) -> Option<u64>;

    /// Why nothing is written to the store, where that is so.
    fn read_only(&self) -> Option<String>;

    /// Whether SuperRoots are published, as whoever publishes them tells.
    fn publishing(&self) -> Publishing;

    /// The same as it is shown: nothing is published while nothing can be written.
    fn shown_publishing(&self) -> Publishing {
        match self.publishing() {
            Publishing::On if self.read_only().is_some() => Publishing::no_room(),
            publishing => publishing,
        }
    }

    /// How far each witness cosigned, by name; no ages.
    fn witnesses(&self) -> Vec<WitnessStatus>;

    /// Whether the service was asked to stop: it serves on for a while, and is not ready.
    fn is_stopping(&self) -> bool {
        false
    }
}

/// The views of all chains in memory: loops write, routes read.
#[derive(Debug, Default)]
pub struct StatusBoard {
    views: RwLock<HashMap<ChainKey, ChainView>>,
    changes: AtomicU64,
    store_bytes: RwLock<Option<u64>>,
    free_bytes: RwLock<Option<u64>>,
    read_only: RwLock<Option<String>>,
    publishing: RwLock<Publishing>,
    witnesses: RwLock<BTreeMap<String, WitnessStatus>>,
    is_stopping: AtomicBool,
}

impl StatusBoard {
    /// A board without a view.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the view of a chain. Blocks left out beyond [`LEFT_OUT_MAX`] are forgotten, oldest
    /// first; endpoints beyond [`ENDPOINTS_MAX`] and the ends of long texts are not kept.
    pub fn update(&self, chain: ChainKey, change: impl FnOnce(&mut ChainView)) {
        let mut views = self.views.write().unwrap_or_else(PoisonError::into_inner);
        let view = views.entry(chain).or_default();
        change(view);
        self.changes.fetch_add(1, Ordering::Relaxed);
        let surplus = view.left_out.len().saturating_sub(LEFT_OUT_MAX);
        view.left_out.drain(..surplus);
        view.endpoints.truncate(ENDPOINTS_MAX);
        let texts = view.left_out.iter_mut().map(|left| &mut left.reason);
        let errors = view.endpoints.iter_mut().filter_map(|endpoint| endpoint.last_error.as_mut());
        for text in texts.chain(errors) {
            if text.len() > TEXT_CHARS_MAX {
                *text = view::cut(text);
            }
        }
    }
}

impl StatusBoard {
    /// Tells whether SuperRoots are published.
    pub fn set_publishing(&self, publishing: Publishing) {
        *self.publishing.write().unwrap_or_else(PoisonError::into_inner) = publishing;
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells that the service was asked to stop.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells how many bytes the store takes on disk.
    pub fn set_store_bytes(&self, bytes: u64) {
        *self.store_bytes.write().unwrap_or_else(PoisonError::into_inner) = Some(bytes);
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells how many bytes are free where the store lies; `None`: that cannot be seen.
    pub fn set_free_bytes(&self, bytes: Option<u64>) {
        *self.free_bytes.write().unwrap_or_else(PoisonError::into_inner) = bytes;
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells why nothing is written to the store; `None`: it is.
    pub fn set_read_only(&self, why: Option<String>) {
        *self.read_only.write().unwrap_or_else(PoisonError::into_inner) = why;
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Changes what is told of a witness; from then on it is listed.
    pub fn update_witness<T>(&self, name: &str, change: impl FnOnce(&mut WitnessStatus) -> T) -> T {
        let mut witnesses = self.witnesses.write().unwrap_or_else(PoisonError::into_inner);
        let new = || WitnessStatus { name: name.to_owned(), ..WitnessStatus::default() };
        let done = change(witnesses.entry(name.to_owned()).or_insert_with(new));
        self.changes.fetch_add(1, Ordering::Relaxed);
        done
    }
}

impl ChainStatus for StatusBoard {
    fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    fn store_bytes(&self) -> Option<u64> {
        *self.store_bytes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn free_bytes(&self) -> Option<u64> {
        *self.free_bytes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_only(&self) -> Option<String> {
        self.read_only.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn publishing(&self) -> Publishing {
        self.publishing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn witnesses(&self) -> Vec<WitnessStatus> {
        let witnesses = self.witnesses.read().unwrap_or_else(PoisonError::into_inner);
        witnesses.values().cloned().collect()
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }

    fn status(&self, chain: ChainKey) -> ChainView {
        let views = self.views.read().unwrap_or_else(PoisonError::into_inner);
        views.get(&chain).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_types::{BlockNumber, ChainId, Family};

    const ETHEREUM: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

    #[test]
    fn only_the_newest_blocks_left_out_are_kept() {
        let board = StatusBoard::new();
        for number in 0..40 {
            let left_out = LeftOut { number: BlockNumber(number), reason: "x".into() };
            board.update(ETHEREUM, |view| view.left_out.push(left_out));
        }
        let kept: Vec<_> =
            board.status(ETHEREUM).left_out.iter().map(|left| left.number.0).collect();
        assert_eq!(kept, (24..40).collect::<Vec<_>>());
    }
}
