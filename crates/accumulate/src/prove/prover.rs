//! The prover: its caches, and the published data that every proof starts from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};

use quick_cache::sync::Cache;
use superroot_chain::FinalityEvidence;
use superroot_chain::finality::SetPin;
use superroot_proof::note::VerifierKey;
use superroot_proof::perfect::PerfectTree;
use superroot_proof::registry::ROWS_MAX;
use superroot_proof::superroot::ChainReference;
use superroot_store::layout::{BlockRow, ChainState};
use superroot_store::{Store, read};
use superroot_types::{BlockNumber, ChainKey, Family, Hash, Network, SuperRootRef, UnixSeconds};

use super::caches::{BaseKey, BodyKey, ByBytes, FollowedSets, HeldBody, PartKey, Top, TwigKey};
use super::error::ProveError;
use super::verified::{VerifiedBase, VerifiedTwig};
use crate::board::Board;
use crate::record::Published;
use crate::recorded::{load_published, load_registry};

/// Cached whole twigs, at 131 KB each: open twigs of earlier SuperRoots, and sealed twigs without nodes.
const TWIGS_MAX: usize = 64;
/// Cached parts of sealed twigs, at 2 to 4 KB each.
const PARTS_MAX: usize = 8_192;
/// Bytes of cached decoded bodies.
const BODIES_BYTES_MAX: u64 = 48 << 20;
/// A typical body's bytes.
const BODY_BYTES: usize = 256 << 10;
/// SuperRoots with cached trees and registries.
const TOPS_MAX: usize = 32;
/// Bytes of cached blocks and entries from verified proofs, so that each is hashed once.
const BASES_BYTES_MAX: u64 = 16 << 20;
/// A typical base's bytes.
const BASE_BYTES: usize = 16 << 10;
/// Block rows cached until the next commit, at about 1 KB each: one answer reads its block several times.
const ROWS_KEPT_MAX: usize = 1_024;
/// Cached Mini-MMR nodes, at some 70 bytes each; nodes near the peaks are on most paths.
const NODES_MAX: usize = 65_536;
/// Cached verified paths from blocks to twig roots, at half a KB each.
const WAYS_MAX: usize = 4_096;
/// Remembered requests without a cached base, at some 100 bytes each.
const ASKED_MAX: usize = 16_384;

/// No SuperRoot at the end of a proof: levels 1 and 2 only, for any stored block.
pub const UNANCHORED: Option<SuperRootRef> = None;

/// Makes proofs; clones share their caches.
#[derive(Clone)]
pub struct Prover {
    pub(super) store: Arc<dyn Store>,
    pub(super) board: Board,
    pub(super) tops: Arc<Cache<Hash, Arc<Top>>>,
    pub(super) twigs: Arc<Cache<TwigKey, Arc<PerfectTree>>>,
    pub(super) parts: Arc<Cache<PartKey, Arc<PerfectTree>>>,
    pub(super) bodies: Arc<Cache<BodyKey, Arc<HeldBody>, ByBytes>>,
    pub(super) bases: Arc<Cache<BaseKey, Arc<VerifiedBase>, ByBytes>>,
    pub(super) asked: Arc<Cache<BaseKey, ()>>,
    pub(super) ways: Arc<Cache<(ChainKey, BlockNumber), Arc<VerifiedTwig>>>,
    pub(super) nodes: Arc<Cache<(Family, u8, u64), Hash>>,
    /// Rows, each with the store's commit count before the read.
    pub(super) rows: Arc<Cache<(ChainKey, BlockNumber), (u64, BlockRow)>>,
    pub(super) keeps_bases: bool,
    /// Begin of trust in signers by chain, besides built-in sets.
    pub(super) pins: Arc<BTreeMap<ChainKey, SetPin>>,
    /// Chains with a source of evidence besides blocks.
    collected: Arc<BTreeSet<ChainKey>>,
    /// Ids of followed sets.
    pub(super) followed: Arc<Mutex<FollowedSets>>,
}

impl Prover {
    /// Prover for the log on this board, from this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, board: Board) -> Self {
        let twigs = Arc::new(Cache::new(TWIGS_MAX));
        let usual = usize::try_from(BODIES_BYTES_MAX).unwrap_or(usize::MAX) / BODY_BYTES;
        let bodies = Arc::new(Cache::with_weighter(usual, BODIES_BYTES_MAX, ByBytes));
        let tops = Arc::new(Cache::new(TOPS_MAX));
        let parts = Arc::new(Cache::new(PARTS_MAX));
        let usual = usize::try_from(BASES_BYTES_MAX).unwrap_or(usize::MAX) / BASE_BYTES;
        let bases = Arc::new(Cache::with_weighter(usual, BASES_BYTES_MAX, ByBytes));
        let asked = Arc::new(Cache::new(ASKED_MAX));
        let ways = Arc::new(Cache::new(WAYS_MAX));
        let nodes = Arc::new(Cache::new(NODES_MAX));
        let rows = Arc::new(Cache::new(ROWS_KEPT_MAX));
        Self {
            store,
            board,
            tops,
            twigs,
            parts,
            bodies,
            bases,
            asked,
            ways,
            nodes,
            rows,
            keeps_bases: true,
            pins: Arc::default(),
            collected: Arc::default(),
            followed: Arc::default(),
        }
    }

    /// Begins trust in signers with these sets.
    #[must_use]
    pub fn with_pins(self, pins: BTreeMap<ChainKey, SetPin>) -> Self {
        Self { pins: Arc::new(pins), ..self }
    }

    /// Chains whose evidence is collected besides blocks.
    #[must_use]
    pub fn with_collected(self, collected: BTreeSet<ChainKey>) -> Self {
        Self { collected: Arc::new(collected), ..self }
    }

    /// Whether a chain's evidence is collected besides blocks.
    #[must_use]
    pub fn collects_evidence(&self, chain: ChainKey) -> bool {
        self.collected.contains(&chain)
    }

    /// Disables the cache for levels 1 and 2, so that a benchmark measures the cost for a first caller. The block's
    /// path in its twig is still cached.
    #[must_use]
    pub fn without_bases(self) -> Self {
        Self { keeps_bases: false, ..self }
    }

    /// Newest SuperRoot; no I/O.
    #[must_use]
    pub fn latest(&self) -> Option<Arc<Published>> {
        self.board.latest()
    }

    #[must_use]
    pub fn origin(&self) -> &str {
        self.board.origin()
    }

    /// Keys that sign the log; empty for an unsigned log.
    #[must_use]
    pub fn keys(&self) -> &[VerifierKey] {
        self.board.keys()
    }

    #[must_use]
    pub fn network(&self) -> Network {
        self.board.network()
    }

    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Published SuperRoot; [`ProveError::NothingPublished`] before the first, [`ProveError::UnknownSuperRoot`] if not
    /// found.
    pub fn published(&self, which: SuperRootRef) -> Result<Arc<Published>, ProveError> {
        let latest = self.latest().ok_or(ProveError::NothingPublished)?;
        let sequence = match which {
            SuperRootRef::Latest => return Ok(latest),
            SuperRootRef::Sequence(sequence) => sequence,
            SuperRootRef::Hash(hash) if hash == latest.hash => return Ok(latest),
            SuperRootRef::Hash(hash) => read::load_sequence(&*self.store, &hash)?
                .ok_or_else(|| ProveError::no_super_root(&hash))?,
        };
        if sequence == latest.super_root.sequence {
            return Ok(latest);
        }
        let unknown = || ProveError::UnknownSuperRoot { asked: sequence.to_string() };
        if sequence > latest.super_root.sequence {
            return Err(unknown());
        }
        load_published(&*self.store, sequence)?.map(Arc::new).ok_or_else(unknown)
    }

    /// A chain's progress.
    pub fn chain_state(&self, chain: ChainKey) -> Result<Option<ChainState>, ProveError> {
        Ok(read::load_chain_state(&*self.store, chain)?)
    }

    /// Stored block, final or not.
    ///
    /// # Errors
    /// [`ProveError::NotFound`] with the checked range; [`ProveError::BeforeStart`] below the chain's run; store
    /// errors.
    pub fn block(&self, chain: ChainKey, number: BlockNumber) -> Result<BlockRow, ProveError> {
        let commits = self.store.commit_count();
        if let Some((at, row)) = self.rows.get(&(chain, number))
            && at == commits
        {
            return Ok(row);
        }
        let row = self.load_block(chain, number)?;
        self.rows.insert((chain, number), (commits, row.clone()));
        Ok(row)
    }

    fn load_block(&self, chain: ChainKey, number: BlockNumber) -> Result<BlockRow, ProveError> {
        let state = self.chain_state(chain)?;
        if let Some(start) = state.as_ref().map(|state| state.start).filter(|start| number < *start)
        {
            return Err(ProveError::BeforeStart { chain, number, start });
        }
        if let Some(row) = read::load_block(&*self.store, chain, number)? {
            return Ok(row);
        }
        let checked_to = state.and_then(|state| state.checked_to);
        Err(ProveError::NotFound { chain, what: format!("block {number}"), checked_to })
    }

    /// Finality evidence for a stored block; `None` if not final. Answers commit to these bytes.
    ///
    /// # Errors
    /// [`ProveError::Corrupt`] if a final block's evidence is missing; store errors.
    pub fn evidence(
        &self,
        chain: ChainKey,
        row: &BlockRow,
    ) -> Result<Option<FinalityEvidence>, ProveError> {
        let Some(agreed) = row.agreed else { return Ok(None) };
        let evidence = read::load_evidence(&*self.store, chain, agreed)?;
        let what = || format!("the evidence of block {agreed} of chain {chain} is gone");
        evidence.map(Some).ok_or_else(|| ProveError::Corrupt { what: what() })
    }

    pub(super) fn top(&self, published: &Published) -> Result<Arc<Top>, ProveError> {
        self.tops.get_or_insert_with(&published.hash, || {
            let registry = load_registry(&*self.store, published)?;
            let profiles = registry.tree();
            let tree = published.tree();
            let (bags, times, note) = Default::default();
            let verified = [const { [const { OnceLock::new() }; ROWS_MAX] }; 2];
            Ok(Arc::new(Top { tree, registry, profiles, bags, times, note, verified }))
        })
    }

    /// Mini-MMR roots of a SuperRoot, by family.
    pub fn mini_mmr_roots(
        &self,
        published: &Published,
    ) -> Result<[Hash; Family::COUNT], ProveError> {
        let top = self.top(published)?;
        Ok(Family::ALL.map(|family| top.tree.slot(u64::from(family.byte()))))
    }

    /// Timestamps of a SuperRoot's referenced blocks, in reference order.
    pub fn reference_times(&self, published: &Published) -> Result<Vec<UnixSeconds>, ProveError> {
        let top = self.top(published)?;
        if let Some(times) = top.times.get() {
            return Ok(times.clone());
        }
        let time = |reference: &ChainReference| {
            Ok(self.block(reference.chain, reference.number)?.timestamp)
        };
        let times = published.references.iter().map(|(_, reference)| time(reference));
        let times = times.collect::<Result<Vec<_>, ProveError>>()?;
        Ok(top.times.get_or_init(|| times).clone())
    }

    /// Refuses blocks withdrawn by the newest SuperRoot: proofs under older SuperRoots end too.
    ///
    /// # Errors
    /// [`ProveError::Withdrawn`]; [`ProveError::NothingPublished`]; store errors.
    pub fn check_stands(&self, chain: ChainKey, number: BlockNumber) -> Result<(), ProveError> {
        let top = self.top(&*self.published(SuperRootRef::Latest)?)?;
        let from = top.registry.find(chain).and_then(|(_, profile)| profile.withdrawn_from());
        if from.is_some_and(|from| from <= number.0) {
            return Err(ProveError::Withdrawn { chain, number });
        }
        Ok(())
    }
}
