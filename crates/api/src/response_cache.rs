//! Cache of rendered responses. A proof under one SuperRoot has the same bytes until the next one is published, or for
//! ever where the request names the SuperRoot; an answer with ages in it is the same for a second; one of the state of
//! chains until the store takes a commit or a chain's status changes. The text of a proof's block and entry is cached
//! separately: it is the same under every SuperRoot.

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

/// Most bytes of one cached response.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Bytes of a usual response.
const USUAL_BYTES: u64 = 8 << 10;
/// Bytes that a response takes in the cache besides its own.
const BESIDE: u64 = 512;
/// Most bytes of cached texts of blocks and entries.
const BASES_BYTES_MAX: u64 = 16 << 20;

/// Responses by their address: path and query fix chain, entry, levels and form. Items of batches are among them,
/// by SuperRoot and question.
pub(crate) struct ResponseCache {
    answers: Cache<String, Arc<CachedResponse>, Weight>,
    bases: Cache<BaseKey, Arc<Base>, Weight>,
}

/// What in a block an answer is of, and in which shape.
type BaseKey = (ChainKey, Hash, Subject, Shape);

/// The text of levels 1 and 2 of an answer, and what it was written of.
struct Base {
    held: Arc<HeldBase>,
    text: Arc<BaseText>,
}

/// Form of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    /// A file of bytes.
    File,
    /// A page for people.
    Html,
}

/// A rendered response.
#[derive(Debug)]
pub(crate) struct CachedResponse {
    pub(crate) bytes: Bytes,
    pub(crate) media: Media,
    pub(crate) tag: Option<String>,
    pub(crate) published: Arc<Published>,
    pub(crate) chain: Option<ChainKey>,
    pub(crate) validity: Validity,
    /// Whether the request named the SuperRoot.
    pub(crate) is_fixed: bool,
    /// Commits of the store when the proven block was last seen to be part of its chain.
    pub(crate) checked_at: AtomicU64,
}

/// What a cached response depends on besides its SuperRoot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    /// Nothing.
    SuperRoot,
    /// The proven block: valid until it is taken back.
    Block(ChainKey, BlockNumber, Hash),
    /// The second, and the count of status changes.
    Second(UnixSeconds, u64),
    /// The second, the count of status changes, and the count of the store's commits.
    State(UnixSeconds, u64, u64),
}

#[derive(Clone)]
struct Weight;

impl Weighter<String, Arc<CachedResponse>> for Weight {
    fn weight(&self, address: &String, response: &Arc<CachedResponse>) -> u64 {
        BESIDE + address.len() as u64 + response.bytes.len() as u64
    }
}

impl Weighter<BaseKey, Arc<Base>> for Weight {
    fn weight(&self, _: &BaseKey, base: &Arc<Base>) -> u64 {
        // what it was written of may be held here alone
        BESIDE + base.text.byte_count() as u64 + base.held.byte_count() as u64
    }
}

/// Where a response is cached once it is rendered.
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
    /// A cache of at most that many bytes of responses; 0 caches none.
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

    /// The response rendered at that address under `latest`, or under the SuperRoot that the address names,
    /// if `is_valid`.
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

/// Parts of a rendered response.
pub(crate) struct Rendered {
    pub(crate) bytes: Bytes,
    pub(crate) media: Media,
    pub(crate) tag: Option<String>,
    pub(crate) chain: Option<ChainKey>,
    pub(crate) is_fixed: bool,
}

impl CacheSlot {
    /// Caches a response under that SuperRoot; one above 1 MiB is not cached.
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
