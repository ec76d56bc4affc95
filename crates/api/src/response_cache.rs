//! Cache of rendered responses. A proof under one SuperRoot has the same bytes until the next one is published, or for
//! ever if the request names the SuperRoot; an answer with ages is valid for one second; an answer about chain state is
//! valid until a store commit or a status change. The text of a proof's block and entry is cached separately: it is the
//! same under every SuperRoot.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::body::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use superroot_accumulate::Published;
use superroot_accumulate::prove::VerifiedBase;
use superroot_proof::bundle::{Bundle, Facts, ProofSubject, Statement};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};
use superroot_wire::{BaseText, BesideEvent, Shape};

use crate::ApiError;

/// Largest cached response in bytes.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Typical response size in bytes.
const USUAL_BYTES: u64 = 8 << 10;
/// Cache overhead per response in bytes.
const BESIDE: u64 = 512;
/// Largest total of cached block and entry texts in bytes.
const BASES_BYTES_MAX: u64 = 16 << 20;

/// Responses by address: path and query determine chain, entry, levels and form. Batch items are included, by SuperRoot
/// and question.
pub(crate) struct ResponseCache {
    answers: Cache<String, Arc<CachedResponse>, ResponseWeight>,
    bases: Cache<BaseKey, Arc<Base>, ResponseWeight>,
}

/// Block, entry and shape of a proof text.
type BaseKey = (ChainKey, Hash, ProofSubject, Shape);

/// Text of proof levels 1 and 2, and its source.
struct Base {
    held: Arc<VerifiedBase>,
    text: Arc<BaseText>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    File,
    Html,
}

#[derive(Debug)]
pub(crate) struct CachedResponse {
    pub(crate) bytes: Bytes,
    pub(crate) media: Media,
    pub(crate) tag: Option<String>,
    pub(crate) published: Arc<Published>,
    pub(crate) chain: Option<ChainKey>,
    pub(crate) validity: Validity,
    pub(crate) is_fixed: bool,
    /// Store commit count when the proven block was last seen in its chain.
    pub(crate) checked_at: AtomicU64,
}

/// Dependencies of a cached response besides its SuperRoot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    /// None.
    SuperRoot,
    /// Proven block: valid until a reorganisation removes it.
    Block(ChainKey, BlockNumber, Hash),
    /// Second, and status change count.
    Second(UnixSeconds, u64),
    /// Second, status change count and store commit count.
    State(UnixSeconds, u64, u64),
}

#[derive(Clone)]
struct ResponseWeight;

impl Weighter<String, Arc<CachedResponse>> for ResponseWeight {
    fn weight(&self, address: &String, response: &Arc<CachedResponse>) -> u64 {
        BESIDE + address.len() as u64 + response.bytes.len() as u64
    }
}

impl Weighter<BaseKey, Arc<Base>> for ResponseWeight {
    fn weight(&self, _: &BaseKey, base: &Arc<Base>) -> u64 {
        // what it was written of may be held here alone
        BESIDE + base.text.byte_count() as u64 + base.held.byte_count() as u64
    }
}

/// Cache slot for a response, filled after rendering.
#[derive(Clone)]
pub(crate) struct CacheSlot {
    pub(crate) cache: Arc<ResponseCache>,
    pub(crate) address: String,
    pub(crate) validity: Validity,
}

impl std::fmt::Debug for CacheSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CacheSlot").field("address", &self.address).finish_non_exhaustive()
    }
}

impl ResponseCache {
    /// Cache for at most `bytes_max` bytes of responses; 0 turns it off.
    pub(crate) fn new(bytes_max: u64) -> Self {
        let usual = |bytes: u64| usize::try_from(bytes / USUAL_BYTES).unwrap_or(usize::MAX);
        let bases = Cache::with_weighter(usual(BASES_BYTES_MAX), BASES_BYTES_MAX, ResponseWeight);
        Self { answers: Cache::with_weighter(usual(bytes_max), bytes_max, ResponseWeight), bases }
    }

    /// Returns the text of proof levels 1 and 2 in this shape; a proof with an already verified block, `held`, reuses
    /// its earlier text.
    pub(crate) fn base_text(
        &self,
        (bundle, facts): (&Bundle, &Facts),
        held: Option<&Arc<VerifiedBase>>,
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
        let is_whole = !matches!(subject, ProofSubject::Log { .. }) || beside.is_whole(facts);
        if let (Some(key), Some(held)) = (key.filter(|_| is_whole && text.byte_count() > 0), held) {
            let held = Arc::clone(held);
            let text = Arc::clone(&text);
            self.bases.insert(key, Arc::new(Base { held, text }));
        }
        Ok(text)
    }

    /// Returns the response for the address under `latest`, or under the SuperRoot in the address, if `is_valid`.
    pub(crate) fn find(
        &self,
        address: &str,
        latest: Option<&Published>,
        is_valid: impl FnOnce(&CachedResponse) -> bool,
    ) -> Option<Arc<CachedResponse>> {
        let cached = self.answers.get(address)?;
        let is_newest = latest.is_some_and(|latest| latest.hash == cached.published.hash);
        ((cached.is_fixed || is_newest) && is_valid(&cached)).then_some(cached)
    }
}

pub(crate) struct Rendered {
    pub(crate) bytes: Bytes,
    pub(crate) media: Media,
    pub(crate) tag: Option<String>,
    pub(crate) chain: Option<ChainKey>,
    pub(crate) is_fixed: bool,
}

impl CacheSlot {
    /// Caches a response under a SuperRoot; responses above 1 MiB are skipped.
    pub(crate) fn put(self, rendered: Rendered, published: Arc<Published>) {
        let Self { cache, address, validity } = self;
        let Rendered { bytes, media, tag, chain, is_fixed } = rendered;
        if bytes.len() > ANSWER_BYTES_MAX {
            return;
        }
        let checked_at = AtomicU64::new(u64::MAX);
        let response =
            CachedResponse { bytes, media, tag, published, chain, validity, is_fixed, checked_at };
        cache.answers.insert(address, Arc::new(response));
    }
}
