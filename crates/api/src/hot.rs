//! Answers that were just written, for whoever asks the same. A proof under one SuperRoot is the same bytes
//! until the next one is published, or for ever where the request names the SuperRoot; a page that says how
//! old things are is the same for a second; one of the state of chains, until anything is written or told.
//! Of a proof the text of the block and its entry is kept besides: it is the same under every SuperRoot.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::body::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use superroot_accumulate::Published;
use superroot_proof::bundle::{Bundle, Facts, HeldBase, Statement, Subject};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};
use superroot_wire::{BaseText, BesideEvent, Shape};

use crate::ApiError;

/// Bytes of one answer that is remembered, at most.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Bytes of a usual answer.
const USUAL_BYTES: u64 = 8 << 10;
/// Bytes that an answer takes beside its own.
const BESIDE: u64 = 512;
/// Bytes of the texts of blocks and entries that are kept.
const BASES_BYTES_MAX: u64 = 16 << 20;

/// The answers, by their address: path and query fix chain, entry, levels and form. Items of batches are among them,
/// by SuperRoot and question.
pub(crate) struct Hot {
    answers: Cache<String, Arc<Written>, Weight>,
    bases: Cache<BaseKey, Arc<Base>, Weight>,
}

/// What in a block an answer is of, and in which shape.
type BaseKey = (ChainKey, Hash, Subject, Shape);

/// The text of levels 1 and 2 of an answer, and what it was written of.
struct Base {
    held: Arc<HeldBase>,
    text: Arc<BaseText>,
}

/// An answer as it was written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) bytes: Bytes,
    pub(crate) tag: Option<String>,
    pub(crate) published: Arc<Published>,
    pub(crate) of: Of,
    pub(crate) is_fixed: bool,
    /// How many commits the store had taken when the block that it proves was last seen to stand.
    pub(crate) stood_at: AtomicU64,
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

impl Weighter<BaseKey, Arc<Base>> for Weight {
    fn weight(&self, _: &BaseKey, base: &Arc<Base>) -> u64 {
        // what it was written of may be held here alone
        BESIDE + base.text.byte_count() as u64 + base.held.byte_count() as u64
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
        let usual = |bytes: u64| usize::try_from(bytes / USUAL_BYTES).unwrap_or(usize::MAX);
        let bases = Cache::with_weighter(usual(BASES_BYTES_MAX), BASES_BYTES_MAX, Weight);
        Self { answers: Cache::with_weighter(usual(bytes_max), bytes_max, Weight), bases }
    }

    /// The text of levels 1 and 2 of a proof in that shape: of one with a block that held before, `held`, as it was
    /// written then.
    ///
    /// # Errors
    /// Those of `beside`, which says what is known of the event.
    pub(crate) fn base_text(
        &self,
        (bundle, facts): (&Bundle, &Facts),
        held: Option<&Arc<HeldBase>>,
        shape: Shape,
        beside: impl FnOnce() -> Result<BesideEvent, ApiError>,
    ) -> Result<Arc<BaseText>, ApiError> {
        let Statement { chain, subject, .. } = facts.statement;
        let key = facts.block_hash.map(|hash| (chain, hash, subject, shape));
        let known = key.and_then(|key| self.bases.get(&key));
        let known = known.filter(|it| held.is_some_and(|held| Arc::ptr_eq(held, &it.held)));
        if let Some(known) = known {
            return Ok(Arc::clone(&known.text));
        }
        let beside = beside()?;
        let text = Arc::new(BaseText::of(bundle, facts, shape, beside));
        // more may be known of an event once more of its block is held
        let is_whole = !matches!(subject, Subject::Log { .. }) || beside.is_whole(facts);
        if let (Some(key), Some(held)) = (key.filter(|_| is_whole && text.byte_count() > 0), held) {
            let (held, text) = (Arc::clone(held), Arc::clone(&text));
            self.bases.insert(key, Arc::new(Base { held, text }));
        }
        Ok(text)
    }

    /// What was written at that address under `latest`, or under the SuperRoot that the address names,
    /// where `is_so` says that what it is of is still so.
    pub(crate) fn find(
        &self,
        address: &str,
        latest: Option<&Published>,
        is_so: impl FnOnce(&Written) -> bool,
    ) -> Option<Arc<Written>> {
        let written = self.answers.get(address)?;
        let is_newest = latest.is_some_and(|latest| latest.hash == written.published.hash);
        ((written.is_fixed || is_newest) && is_so(&written)).then_some(written)
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
        let stood_at = AtomicU64::new(u64::MAX);
        let written = Written { bytes, tag, published, of, is_fixed, stood_at };
        hot.answers.insert(address, Arc::new(written));
    }
}
