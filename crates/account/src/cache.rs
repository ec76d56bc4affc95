//! What is remembered of keys, and when it is believed.
//!
//! ```text
//! look            hit, if the last refresh began less than BELIEVED_MS ago and the entry's seconds hold
//! begin ... keep  kept, if no change was applied between the two: what was loaded may be older
//! refresh         forgets whom new changes name, under the lock that `keep` takes
//! ```
//! What must always hold: a change that was committed when a refresh began is never answered past
//! it. One that came later is answered for [`BELIEVED_MS`] at most, counted from the last refresh
//! that began before it. What is unknown is not remembered at all.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::sync::Cache;
use superroot_store::{Batch, Store};
use superroot_types::{Hash, UnixSeconds};

use crate::changes::{Changed, KEPT_MS, Seen};
use crate::entitlement::{Entitlement, Remembered};
use crate::{AccountError, Stopwatch};

/// How long after the beginning of a refresh its result is believed, in milliseconds.
pub(crate) const BELIEVED_MS: u64 = 900;

/// Entitlements by the SHA-256 of their key.
pub(crate) struct KeyCache {
    entries: Cache<Hash, Arc<Remembered>>,
    /// What was applied of the log of changes.
    applied: Mutex<Applied>,
    /// Milliseconds of the stopwatch until which entries are believed.
    believed_until_ms: AtomicU64,
    stopwatch: Arc<dyn Stopwatch>,
}

/// How far the log of changes was read.
#[derive(Debug, Default)]
struct Applied {
    /// Raised when something was forgotten; none before the first refresh.
    epoch: Option<u64>,
    seen: Seen,
    /// When the last refresh that succeeded began, by the stopwatch.
    refreshed_ms: u64,
}

impl KeyCache {
    pub(crate) fn new(keys_max: usize, stopwatch: Arc<dyn Stopwatch>) -> Self {
        let entries = Cache::new(keys_max.max(1));
        let believed_until_ms = AtomicU64::new(0);
        Self { entries, applied: Mutex::default(), believed_until_ms, stopwatch }
    }

    /// What is known of a key, if it is believed now. Takes no lock that a refresh holds.
    pub(crate) fn look(&self, hash: &Hash, now: UnixSeconds) -> Option<Arc<Entitlement>> {
        if self.stopwatch.elapsed_ms() >= self.believed_until_ms.load(Ordering::Acquire) {
            return None;
        }
        let found = self.entries.get(hash)?;
        found.holds_at(now).then(|| Arc::clone(&found.entitlement))
    }

    /// To be asked before a key is loaded, and handed to [`KeyCache::keep`] after.
    pub(crate) fn begin(&self) -> Option<u64> {
        self.lock().epoch
    }

    fn lock(&self) -> MutexGuard<'_, Applied> {
        self.applied.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what was loaded since `begun`, unless changes were applied meanwhile.
    pub(crate) fn keep(&self, begun: Option<u64>, hash: Hash, remembered: Remembered) {
        let applied = self.lock();
        if begun.is_some() && applied.epoch == begun {
            self.entries.insert(hash, Arc::new(remembered));
        }
    }

    /// Forgets whom the log of changes names since the last time; everybody where that was too long
    /// ago to know.
    ///
    /// # Errors
    /// [`AccountError::Store`]: nothing is believed for longer than it was.
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

    /// Removes some of the changes that were seen long enough; how many.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub(crate) fn prune_changes(&self, store: &dyn Store) -> Result<usize, AccountError> {
        let mut batch = Batch::new();
        let removed = self.lock().seen.stage_removal(&mut batch, self.stopwatch.elapsed_ms());
        if removed > 0 {
            store.commit(batch)?;
        }
        Ok(removed)
    }

    /// Believes nothing until the next refresh: something was written, and it is not known what.
    pub(crate) fn distrust(&self) {
        let _applied = self.lock();
        self.believed_until_ms.store(0, Ordering::Release);
    }

    fn forget(&self, changed: &[Changed]) {
        let (mut accounts, mut wallets) = (Vec::new(), Vec::new());
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

    /// Keys remembered now.
    pub(crate) fn key_count(&self) -> usize {
        self.entries.len()
    }
}
