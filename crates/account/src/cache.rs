//! Cache of key rights, and its lifetime.
//!
//! ```text
//! look            hit, if the last refresh began less than BELIEVED_MS ago and the entry's seconds hold
//! begin ... keep  kept, if no change was applied between the two: what was loaded may be older
//! refresh         forgets whom new changes name, under the lock that `keep` takes
//! ```
//! Invariants: after a refresh, no answer predates a change committed before the refresh began. Answers predate a later
//! change by at most [`BELIEVED_MS`], counted from the last refresh that began before the change. Unknown keys are
//! never cached.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::sync::Cache;
use superroot_store::{Store, WriteBatch};
use superroot_types::{Hash, UnixSeconds};

use crate::changes::{Changed, KEPT_MS, SeenChanges};
use crate::entitlement::{Entitlement, Remembered};
use crate::{AccountError, Stopwatch};

/// Lifetime of a refresh from its beginning, in milliseconds.
pub(crate) const BELIEVED_MS: u64 = 900;

pub(crate) struct KeyCache {
    entries: Cache<Hash, Arc<Remembered>>,
    /// The change log's applied part.
    applied: Mutex<AppliedChanges>,
    /// Stopwatch reading until which entries are valid, in milliseconds.
    believed_until_ms: AtomicU64,
    stopwatch: Arc<dyn Stopwatch>,
}

/// Position in the change log.
#[derive(Debug, Default)]
struct AppliedChanges {
    /// Counter of evictions; `None` before the first refresh.
    epoch: Option<u64>,
    seen: SeenChanges,
    /// Stopwatch reading at the beginning of the last successful refresh.
    refreshed_ms: u64,
}

impl KeyCache {
    pub(crate) fn new(keys_max: usize, stopwatch: Arc<dyn Stopwatch>) -> Self {
        let entries = Cache::new(keys_max.max(1));
        let believed_until_ms = AtomicU64::new(0);
        Self { entries, applied: Mutex::default(), believed_until_ms, stopwatch }
    }

    /// A key's cached entitlement, if valid now. Takes no lock of a refresh.
    pub(crate) fn look(&self, hash: &Hash, now: UnixSeconds) -> Option<Arc<Entitlement>> {
        if self.stopwatch.elapsed_ms() >= self.believed_until_ms.load(Ordering::Acquire) {
            return None;
        }
        let found = self.entries.get(hash)?;
        found.holds_at(now).then(|| Arc::clone(&found.entitlement))
    }

    /// Epoch before loading a key, to be passed to [`KeyCache::keep`] after loading.
    pub(crate) fn begin(&self) -> Option<u64> {
        self.lock().epoch
    }

    fn lock(&self) -> MutexGuard<'_, AppliedChanges> {
        self.applied.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Caches an entry loaded since `begun`, unless changes were applied meanwhile.
    pub(crate) fn keep(&self, begun: Option<u64>, hash: Hash, remembered: Remembered) {
        let applied = self.lock();
        if begun.is_some() && applied.epoch == begun {
            self.entries.insert(hash, Arc::new(remembered));
        }
    }

    /// Evicts all entries named in the change log since the last refresh, or everything if the last refresh is too old.
    ///
    /// # Errors
    /// [`AccountError::Store`]: the lifetime of entries is not extended.
    pub(crate) fn refresh(&self, store: &dyn Store) -> Result<(), AccountError> {
        let mut applied = self.lock();
        let began_ms = self.stopwatch.elapsed_ms();
        let changed = applied.seen.look(store, began_ms)?;
        let is_behind =
            applied.epoch.is_none() || began_ms.saturating_sub(applied.refreshed_ms) >= KEPT_MS / 2;
        if is_behind {
            self.entries.clear();
        } else if !changed.is_empty() {
            self.forget(&changed);
        }
        if is_behind || !changed.is_empty() {
            applied.epoch = Some(applied.epoch.map_or(0, |epoch| epoch.wrapping_add(1)));
        }
        applied.refreshed_ms = began_ms;
        self.believed_until_ms.store(began_ms.saturating_add(BELIEVED_MS), Ordering::Release);
        Ok(())
    }

    /// Evicts entries by changes that are in memory alone.
    pub(crate) fn evict(&self, changed: &[Changed]) {
        if changed.is_empty() {
            return;
        }
        let mut applied = self.lock();
        self.forget(changed);
        applied.epoch = applied.epoch.map(|epoch| epoch.wrapping_add(1));
    }

    /// Removes some changes seen long enough ago. Returns their number.
    pub(crate) fn prune_changes(&self, store: &dyn Store) -> Result<usize, AccountError> {
        let mut batch = WriteBatch::new();
        let removed = self.lock().seen.stage_removal(&mut batch, self.stopwatch.elapsed_ms());
        if removed > 0 {
            store.commit(batch)?;
        }
        Ok(removed)
    }

    /// Invalidates everything until the next refresh: a write has an unknown outcome.
    pub(crate) fn distrust(&self) {
        let _applied = self.lock();
        self.believed_until_ms.store(0, Ordering::Release);
    }

    fn forget(&self, changed: &[Changed]) {
        let mut accounts = Vec::new();
        let mut wallets = Vec::new();
        for change in changed {
            match change {
                Changed::Account(account) => accounts.push(*account),
                Changed::Wallet(wallet) => wallets.push(*wallet),
                Changed::Key(hash) => _ = self.entries.remove(hash),
            }
        }
        if accounts.is_empty() && wallets.is_empty() {
            return;
        }
        accounts.sort_unstable();
        wallets.sort_unstable();
        self.entries.retain(|_, found| {
            let is_among = |account| accounts.binary_search(account).is_ok();
            let has = |wallet| wallets.binary_search(wallet).is_ok();
            !found.accounts.iter().any(is_among) && !found.wallets.iter().any(has)
        });
    }

    pub(crate) fn key_count(&self) -> usize {
        self.entries.len()
    }
}
