//! Where the newest SuperRoot hangs: one writer, any number of readers, no I/O.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use superroot_proof::note::VerifierKey;
use superroot_types::Network;

use crate::record::Published;

/// The newest SuperRoot of a log; clones show the same board.
#[derive(Clone, Debug)]
pub struct Board {
    origin: Arc<str>,
    keys: Arc<[VerifierKey]>,
    latest: Arc<RwLock<Option<Arc<Published>>>>,
    /// Size of the newest note that has its witnesses; 0: none.
    cosigned: Arc<AtomicU64>,
}

impl Board {
    pub(crate) fn new(origin: &str, latest: Option<Arc<Published>>) -> Self {
        let latest = Arc::new(RwLock::new(latest));
        Self { origin: origin.into(), keys: Arc::default(), latest, cosigned: Arc::default() }
    }

    /// The same board, of a log that these keys sign.
    pub(crate) fn signed_by(self, keys: impl Iterator<Item = VerifierKey>) -> Self {
        Self { keys: keys.collect(), ..self }
    }

    /// Keys that sign the log; none where nobody does.
    #[must_use]
    pub fn keys(&self) -> &[VerifierKey] {
        &self.keys
    }

    /// Origin of the log.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Network that the origin names.
    #[must_use]
    pub fn network(&self) -> Network {
        Network::of_origin(&self.origin)
    }

    /// The newest SuperRoot; `None` until the first stands.
    #[must_use]
    pub fn latest(&self) -> Option<Arc<Published>> {
        self.latest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn publish(&self, published: Arc<Published>) {
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        *latest = Some(published);
    }

    /// Size of the newest note with the cosignatures that the log's policy asks for; `None` where no
    /// witness is configured, or none has such a note yet.
    pub(crate) fn cosigned(&self) -> Option<u64> {
        Some(self.cosigned.load(Ordering::SeqCst)).filter(|size| *size > 0)
    }

    pub(crate) fn show_cosigned(&self, size: u64) {
        self.cosigned.fetch_max(size, Ordering::SeqCst);
    }
}
