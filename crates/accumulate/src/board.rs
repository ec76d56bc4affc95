//! Where the newest SuperRoot hangs: one writer, any number of readers, no I/O.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use superroot_proof::note::VerifierKey;
use superroot_proof::perfect::PerfectTree;
use superroot_types::{ChainKey, Hash, Network};

use crate::record::Published;

/// The newest SuperRoot, and the open twigs as it has them, as far as its maker holds them.
#[derive(Debug, Default)]
struct Shown {
    published: Option<Arc<Published>>,
    open_twigs: HashMap<ChainKey, Arc<PerfectTree>>,
}

/// The newest SuperRoot of a log; clones show the same board.
#[derive(Clone, Debug)]
pub struct Board {
    origin: Arc<str>,
    keys: Arc<[VerifierKey]>,
    latest: Arc<RwLock<Shown>>,
    /// Size of the newest note that has its witnesses; 0: none.
    cosigned: Arc<AtomicU64>,
}

impl Board {
    pub(crate) fn new(origin: &str, latest: Option<Arc<Published>>) -> Self {
        let latest = Shown { published: latest, open_twigs: HashMap::new() };
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
        self.latest.read().unwrap_or_else(PoisonError::into_inner).published.clone()
    }

    /// A chain's open twig of that root; `None` where it is not at hand.
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
        *latest = Shown { published: Some(published), open_twigs };
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
