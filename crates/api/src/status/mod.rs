//! Current chain status: written by the chain loops, shown by routes.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use superroot_types::{Address, ChainId, ChainKey};
use superroot_wire::chain::{ContractStatus, WitnessStatus};

pub(crate) mod current;
mod publishing;
mod reason;
mod reason_text;
mod stage;
mod view;

pub use current::chain_view;
pub use publishing::Publishing;
pub use reason::{FailingNode, StallReason};
pub use stage::{ChainStage, FINALITY_STALLED_AFTER_MS, stalled_after_ms};
pub use view::{
    Backfill, CatchUp, CatchUpView, ChainView, Claimed, Differing, LeftOut, Point, Repair,
    StatusError, TEXT_CHARS_MAX, WatchView,
};

/// Skipped blocks listed per chain.
pub const LEFT_OUT_MAX: usize = 16;
/// Endpoints listed per chain.
pub const ENDPOINTS_MAX: usize = 64;

/// Kind of contract that the service writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContractKind {
    /// SuperRoots.
    Anchor,
    /// Usage checkpoints.
    Registry,
}

/// Source of chain status.
pub trait StatusReader: Send + Sync {
    /// Current chain state; a planned chain's view if unknown. Never blocks on I/O.
    fn status(&self, chain: ChainKey) -> ChainView;

    /// Number of status changes so far.
    fn changes(&self) -> u64;

    /// Store size on disk in bytes, if known.
    fn store_bytes(&self) -> Option<u64>;

    /// Free bytes on the store's disk, if known.
    fn free_bytes(&self) -> Option<u64>;

    /// Reason why the store is read-only, if it is.
    fn read_only(&self) -> Option<String>;

    /// Publishing state, as reported by the publisher.
    fn publishing(&self) -> Publishing;

    /// Publishing state for display: a read-only store overrides it.
    fn shown_publishing(&self) -> Publishing {
        match self.publishing() {
            Publishing::On if self.read_only().is_some() => Publishing::no_room(),
            publishing => publishing,
        }
    }

    /// Each witness's progress, by name; no ages.
    fn witnesses(&self) -> Vec<WitnessStatus>;

    /// Progress of each contract that the service writes to, by chain.
    fn contracts(&self, kind: ContractKind) -> Vec<ContractStatus>;

    /// Whether a stop was requested: the service still answers for a while, but is not ready.
    fn is_stopping(&self) -> bool {
        false
    }
}

/// All chain views in memory: loops write, routes read.
#[derive(Debug, Default)]
pub struct StatusBoard {
    views: RwLock<HashMap<ChainKey, ChainView>>,
    changes: AtomicU64,
    store_bytes: RwLock<Option<u64>>,
    free_bytes: RwLock<Option<u64>>,
    read_only: RwLock<Option<String>>,
    publishing: RwLock<Publishing>,
    witnesses: RwLock<BTreeMap<String, WitnessStatus>>,
    contracts: RwLock<BTreeMap<(ContractKind, ChainId, Address), ContractStatus>>,
    is_stopping: AtomicBool,
}

impl StatusBoard {
    /// Empty board.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes a chain's view. Skipped blocks beyond [`LEFT_OUT_MAX`] are dropped, oldest first; endpoints beyond
    /// [`ENDPOINTS_MAX`] are dropped and long texts truncated.
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
    /// Sets the publishing state.
    pub fn set_publishing(&self, publishing: Publishing) {
        *self.publishing.write().unwrap_or_else(PoisonError::into_inner) = publishing;
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Records a stop request.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets the store size on disk.
    pub fn set_store_bytes(&self, bytes: u64) {
        *self.store_bytes.write().unwrap_or_else(PoisonError::into_inner) = Some(bytes);
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets the free bytes on the store's disk; `None`: unknown.
    pub fn set_free_bytes(&self, bytes: Option<u64>) {
        *self.free_bytes.write().unwrap_or_else(PoisonError::into_inner) = bytes;
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets the reason for a read-only store; `None`: writable.
    pub fn set_read_only(&self, why: Option<String>) {
        *self.read_only.write().unwrap_or_else(PoisonError::into_inner) = why;
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Changes a witness's status; adds the witness if new.
    pub fn update_witness<T>(&self, name: &str, change: impl FnOnce(&mut WitnessStatus) -> T) -> T {
        let mut witnesses = self.witnesses.write().unwrap_or_else(PoisonError::into_inner);
        let new = || WitnessStatus { name: name.to_owned(), ..WitnessStatus::default() };
        let done = change(witnesses.entry(name.to_owned()).or_insert_with(new));
        self.changes.fetch_add(1, Ordering::Relaxed);
        done
    }

    /// Changes an anchor contract's status; adds the contract if new.
    pub fn update_contract(
        &self,
        (kind, chain_id, contract): (ContractKind, ChainId, Address),
        change: impl FnOnce(&mut ContractStatus),
    ) {
        let mut contracts = self.contracts.write().unwrap_or_else(PoisonError::into_inner);
        let new = || ContractStatus::new(chain_id, contract);
        change(contracts.entry((kind, chain_id, contract)).or_insert_with(new));
        self.changes.fetch_add(1, Ordering::Relaxed);
    }
}

impl StatusReader for StatusBoard {
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

    fn contracts(&self, kind: ContractKind) -> Vec<ContractStatus> {
        let contracts = self.contracts.read().unwrap_or_else(PoisonError::into_inner);
        let of_kind = contracts.iter().filter(|((of, ..), _)| *of == kind);
        of_kind.map(|(_, status)| status.clone()).collect()
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
