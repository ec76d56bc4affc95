//! Latest SuperRoot in memory: one writer, any number of readers, no I/O.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use superroot_proof::note::VerifierKey;
use superroot_proof::perfect::PerfectTree;
use superroot_types::{ChainKey, Hash, LogSize, Network};

use crate::record::Published;

/// Newest SuperRoot, with its open twigs where the writer has them in memory.
#[derive(Debug, Default)]
struct LatestRoot {
    published: Option<Arc<Published>>,
    open_twigs: HashMap<ChainKey, Arc<PerfectTree>>,
}

/// Newest SuperRoot of a log; clones share the state.
#[derive(Clone, Debug)]
pub struct Board {
    origin: Arc<str>,
    keys: Arc<[VerifierKey]>,
    latest: Arc<RwLock<LatestRoot>>,
    /// Size of the newest note with a witness quorum; 0: no such note.
    cosigned: Arc<AtomicU64>,
}

impl Board {
    pub(crate) fn new(origin: &str, latest: Option<Arc<Published>>) -> Self {
        let latest = LatestRoot { published: latest, open_twigs: HashMap::new() };
        let latest = Arc::new(RwLock::new(latest));
        Self { origin: origin.into(), keys: Arc::default(), latest, cosigned: Arc::default() }
    }

    /// Sets the log's signing keys.
    pub(crate) fn signed_by(self, keys: impl Iterator<Item = VerifierKey>) -> Self {
        Self { keys: keys.collect(), ..self }
    }

    /// Keys that sign the log; empty for an unsigned log.
    #[must_use]
    pub fn keys(&self) -> &[VerifierKey] {
        &self.keys
    }

    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Network named in the origin.
    #[must_use]
    pub fn network(&self) -> Network {
        Network::of_origin(&self.origin)
    }

    /// Newest SuperRoot; `None` before the first.
    #[must_use]
    pub fn latest(&self) -> Option<Arc<Published>> {
        self.latest.read().unwrap_or_else(PoisonError::into_inner).published.clone()
    }

    /// Open twig with this root, if in memory.
    pub(crate) fn open_twig(&self, chain: ChainKey, root: &Hash) -> Option<Arc<PerfectTree>> {
        let shown = self.latest.read().unwrap_or_else(PoisonError::into_inner);
        shown.open_twigs.get(&chain).filter(|twig| twig.root() == *root).cloned()
    }

    pub(crate) fn publish(
        &self,
        published: Arc<Published>,
        open_twigs: HashMap<ChainKey, Arc<PerfectTree>>,
    ) {
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        *latest = LatestRoot { published: Some(published), open_twigs };
    }

    /// Size of the newest note with the cosignatures required by the log's policy; `None` without configured witnesses,
    /// or before the first such note.
    pub(crate) fn cosigned(&self) -> Option<LogSize> {
        Some(LogSize(self.cosigned.load(Ordering::SeqCst))).filter(|size| *size > LogSize::EMPTY)
    }

    pub(crate) fn show_cosigned(&self, size: LogSize) {
        self.cosigned.fetch_max(size.0, Ordering::SeqCst);
    }
}
