//! Answers that were just written, for whoever asks the same. A proof under one SuperRoot is the same bytes
//! until the next one is published, or for ever where the request names the SuperRoot; a page that says how
//! old things are is the same for a second; one of the state of chains, until anything is written or told.

use std::sync::Arc;

use axum::body::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use superroot_accumulate::Published;
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

/// Bytes of one answer that is remembered, at most.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Bytes of a usual answer.
const USUAL_BYTES: u64 = 8 << 10;
/// Bytes that an answer takes beside its own.
const BESIDE: u64 = 512;

/// The answers, by their address: path and query fix chain, entry, levels and form. Items of batches are among them,
/// by SuperRoot and question.
pub(crate) struct Hot(Cache<String, Arc<Written>, Weight>);

/// An answer as it was written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) bytes: Bytes,
    pub(crate) tag: Option<String>,
    pub(crate) published: Arc<Published>,
    pub(crate) of: Of,
    pub(crate) is_fixed: bool,
}

/// What an answer is of, by which it is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// A block that it proves: until that is taken back.
    Block(ChainKey, BlockNumber, Hash),
    /// The second at which it was written, and how often the status had changed before.
    Second(UnixSeconds, u64),
    /// The same, and how many commits the store had taken: all that the answer follows from.
    State(UnixSeconds, u64, u64),
}

#[derive(Clone)]
struct Weight;

impl Weighter<String, Arc<Written>> for Weight {
    fn weight(&self, address: &String, written: &Arc<Written>) -> u64 {
        BESIDE + address.len() as u64 + written.bytes.len() as u64
    }
}

/// Where an answer that is about to be written is kept.
#[derive(Clone)]
pub(crate) struct Keep {
    pub(crate) hot: Arc<Hot>,
    pub(crate) address: String,
    pub(crate) of: Of,
}

impl std::fmt::Debug for Keep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keep").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Hot {
    /// Room for so many bytes of answers; none of them is remembered where that is 0.
    pub(crate) fn new(bytes_max: u64) -> Self {
        let answers = usize::try_from(bytes_max / USUAL_BYTES).unwrap_or(usize::MAX);
        Self(Cache::with_weighter(answers, bytes_max, Weight))
    }

    /// What was written at that address under `latest`, or under the SuperRoot that the address names,
    /// where `is_so` says that what it is of is still so.
    pub(crate) fn find(
        &self,
        address: &str,
        latest: Option<&Published>,
        is_so: impl FnOnce(&Of) -> bool,
    ) -> Option<Arc<Written>> {
        let written = self.0.get(address)?;
        let is_newest = latest.is_some_and(|latest| latest.hash == written.published.hash);
        ((written.is_fixed || is_newest) && is_so(&written.of)).then_some(written)
    }
}

impl Keep {
    /// Remembers the bytes of an answer under that SuperRoot.
    pub(crate) fn put(
        self,
        (bytes, tag): (Bytes, Option<String>),
        published: Arc<Published>,
        is_fixed: bool,
    ) {
        let Self { hot, address, of } = self;
        if bytes.len() > ANSWER_BYTES_MAX {
            return;
        }
        hot.0.insert(address, Arc::new(Written { bytes, tag, published, of, is_fixed }));
    }
}
