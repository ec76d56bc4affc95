//! Proofs from published data. This module only reads; calls block, so async code wraps them in `spawn_blocking`.

mod consistency;
mod entry;
mod error;
mod notes;
mod scan;
mod tiles;

pub use entry::{EventInBlock, Occurrence};
pub use error::ProveError;
pub use tiles::{TILE_WIDTH, tiled};

use std::sync::{Arc, OnceLock};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use superroot_chain::{Extent, FinalityEvidence};
use superroot_proof::bundle::{
    BlockLevel, Bundle, EntryProof, Facts, HeldBase, HeldProof, HeldTop, HeldTwig, NotePath,
    OpenPlace, Policy, ProofError, ProofSubject, RegistryOpening, SealedPlace, Statement,
    SuperRootProof, TwigPosition, TwigProof, Verified, verify_again,
};
use superroot_proof::ledger::{Body, EventOffsets};
use superroot_proof::note::VerifierKey;
use superroot_proof::perfect::PerfectTree;
use superroot_proof::range::Bags;
use superroot_proof::registry::{LogRegistry, ROWS_MAX};
use superroot_proof::superroot::{ChainReference, REGISTRY_SLOT, reference_slot};
use superroot_proof::twig;
use superroot_store::layout::{BlockRow, ChainState, TwigNodes};
use superroot_store::{Store, read};
use superroot_types::{
    BlockNumber, ChainKey, Family, Hash, Network, TWIG_BLOCKS, TWIG_HEIGHT, UnixSeconds,
};

use crate::board::Board;
use crate::nodes::NodeRange;
use crate::open_twig::load_hashes;
use crate::record::Published;
use crate::recorded::{load_published, load_registry};

/// Cached whole twigs, at 131 KB each: open twigs of earlier SuperRoots, and sealed twigs without nodes.
const TWIGS_MAX: usize = 64;
/// Cached parts of sealed twigs, at 2 to 4 KB each.
const PARTS_MAX: usize = 8_192;
/// Bytes of cached decoded bodies.
const BODIES_BYTES_MAX: u64 = 48 << 20;
/// Bytes of a typical body.
const BODY_BYTES: usize = 256 << 10;
/// SuperRoots with cached trees and registries.
const TOPS_MAX: usize = 32;
/// Bytes of cached blocks and entries from verified proofs, so that each is hashed once.
const BASES_BYTES_MAX: u64 = 16 << 20;
/// Bytes of a typical base.
const BASE_BYTES: usize = 16 << 10;
/// Block rows cached until the next commit, at about 1 KB each: one answer reads its block several times.
const ROWS_KEPT_MAX: usize = 1_024;
/// Cached Mini-MMR nodes, at some 70 bytes each; nodes near the peaks are on most paths.
const NODES_MAX: usize = 65_536;
/// Cached verified paths from blocks to twig roots, at half a KB each.
const WAYS_MAX: usize = 4_096;
/// Remembered requests without a cached base, at some 100 bytes each.
const ASKED_MAX: usize = 16_384;

/// SuperRoot at the end of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuperRootChoice {
    Latest,
    Sequence(u64),
    Hash(Hash),
    /// No SuperRoot: levels 1 and 2 only, for any stored block.
    Unanchored,
}

/// Twig up to a number.
type TwigKey = (ChainKey, u64, u64);
/// Part of a sealed twig: the tree over one of its nodes, or with `None` the tree above all nodes.
type PartKey = (ChainKey, u64, Option<u64>);
/// Body by chain, block hash and stored extent: a reorganised block has another body, and a repaired block a larger
/// one.
type BodyKey = (ChainKey, Hash, Extent, usize);

/// Subject of a proof in a block.
type BaseKey = (ChainKey, Hash, ProofSubject);

#[derive(Clone)]
struct ByBytes;

impl Weighter<BodyKey, Arc<HeldBody>> for ByBytes {
    fn weight(&self, _: &BodyKey, held: &Arc<HeldBody>) -> u64 {
        // and its hashes, offsets, and what is around them
        held.body.byte_count() as u64 * 5 / 4 + 4096
    }
}

impl Weighter<BaseKey, Arc<HeldBase>> for ByBytes {
    fn weight(&self, _: &BaseKey, base: &Arc<HeldBase>) -> u64 {
        // and what is around the bytes
        base.byte_count() as u64 + 512
    }
}

pub(crate) struct HeldBody {
    pub(super) body: Body,
    offsets: OnceLock<EventOffsets>,
}

impl HeldBody {
    pub(super) const fn new(body: Body) -> Self {
        Self { body, offsets: OnceLock::new() }
    }

    /// Event counts over the whole block.
    pub(super) fn event_offsets(&self) -> &EventOffsets {
        self.offsets.get_or_init(|| self.body.event_offsets())
    }
}

/// Data shared by every proof under one SuperRoot.
struct Top {
    tree: PerfectTree,
    registry: LogRegistry,
    profiles: PerfectTree,
    /// By family; set by the first proof for a sealed twig.
    bags: [OnceLock<Bags>; 9],
    times: OnceLock<Vec<UnixSeconds>>,
    note: OnceLock<NotePath>,
    /// Level 5 of verified proofs: by row, for open twigs and then for sealed ones.
    held: [[OnceLock<HeldTop>; ROWS_MAX]; 2],
}

impl Top {
    /// Cache slot for level 5 of this proof.
    fn held(&self, bundle: &Bundle) -> Option<&OnceLock<HeldTop>> {
        let row = usize::from(bundle.super_root()?.registry.row);
        let is_sealed = matches!(bundle.place()?, TwigPosition::Sealed(_));
        self.held[usize::from(is_sealed)].get(row)
    }
}

struct InTwig {
    leaf: Hash,
    siblings: [Hash; TWIG_HEIGHT],
    root: Hash,
}

impl InTwig {
    fn of(twig: &PerfectTree, slot: u64) -> Result<Self, ProveError> {
        Ok(Self { leaf: twig.slot(slot), siblings: path(twig, slot)?, root: twig.root() })
    }
}

/// Reason why a part of a twig is unavailable.
enum MissingPart {
    Nodes,
    Store(superroot_store::StoreError),
}

impl From<superroot_store::StoreError> for MissingPart {
    fn from(error: superroot_store::StoreError) -> Self {
        Self::Store(error)
    }
}

/// Makes proofs; clones share their caches.
#[derive(Clone)]
pub struct Prover {
    store: Arc<dyn Store>,
    board: Board,
    tops: Arc<Cache<Hash, Arc<Top>>>,
    twigs: Arc<Cache<TwigKey, Arc<PerfectTree>>>,
    parts: Arc<Cache<PartKey, Arc<PerfectTree>>>,
    bodies: Arc<Cache<BodyKey, Arc<HeldBody>, ByBytes>>,
    bases: Arc<Cache<BaseKey, Arc<HeldBase>, ByBytes>>,
    asked: Arc<Cache<BaseKey, ()>>,
    ways: Arc<Cache<(ChainKey, BlockNumber), Arc<HeldTwig>>>,
    nodes: Arc<Cache<(Family, u8, u64), Hash>>,
    /// Rows, each with the store's commit count before the read.
    rows: Arc<Cache<(ChainKey, BlockNumber), (u64, BlockRow)>>,
    keeps_bases: bool,
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
        }
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
    pub fn published(&self, which: SuperRootChoice) -> Result<Arc<Published>, ProveError> {
        let latest = self.latest().ok_or(ProveError::NothingPublished)?;
        let sequence = match which {
            SuperRootChoice::Latest | SuperRootChoice::Unanchored => return Ok(latest),
            SuperRootChoice::Sequence(sequence) => sequence,
            SuperRootChoice::Hash(hash) if hash == latest.hash => return Ok(latest),
            SuperRootChoice::Hash(hash) => read::load_sequence(&*self.store, &hash)?
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

    /// Progress of a chain.
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

    /// Proof of a block, levels 2 to 5.
    pub fn prove_block(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: SuperRootChoice,
    ) -> Result<Bundle, ProveError> {
        let row = self.placed(chain, number, at)?;
        self.bundle(chain, number, &row, ProofSubject::Block, None, at)
    }

    /// Verifies a proof under this SuperRoot like a client. Shared parts are hashed once: the block and its entry for
    /// all SuperRoots, the block's path to its twig root (permanent once sealed), and the path from a chain's slot to
    /// this SuperRoot for all proofs. Returns the verified levels 1 and 2 if the proof has a block and was requested
    /// before; repeated calls return the same value while cached.
    ///
    /// # Errors
    /// As [`verify_again`].
    pub fn verify(
        &self,
        bundle: &Bundle,
        policy: &Policy<'_>,
        published: &Published,
    ) -> Result<(Verified<Facts>, Option<Arc<HeldBase>>), ProofError> {
        let top = self.tops.get(&published.hash);
        let place = top.as_ref().and_then(|top| top.held(bundle));
        let Statement { chain, number, subject } = bundle.statement;
        let way = bundle.twig().and_then(|_| self.ways.get(&(chain, number)));
        let key = bundle.block.as_ref().map(|block| (chain, block.block_hash, subject));
        let base = key.and_then(|key| self.bases.get(&key));
        let top = place.and_then(OnceLock::get);
        // who asks first does not pay for those that may never ask
        let is_base_wanted = base.is_some() || key.is_some_and(|key| self.was_asked(key));
        let held = HeldProof { base: base.as_deref(), twig: way.as_deref(), top, is_base_wanted };
        let (facts, holds) = verify_again(bundle, policy, held)?;
        if let (Some(place), Some(held)) = (place, holds.top) {
            place.get_or_init(|| held);
        }
        if let Some(way) = holds.twig {
            self.ways.insert((chain, number), Arc::new(way));
        }
        let Some((key, new)) = key.zip(holds.base) else { return Ok((facts, base)) };
        let new = Arc::new(new);
        self.bases.insert(key, Arc::clone(&new));
        Ok((facts, Some(new)))
    }

    /// Whether a proof for this key is known to be requested before; records this request.
    fn was_asked(&self, key: BaseKey) -> bool {
        if !self.keeps_bases {
            return false;
        }
        let was_asked = self.asked.get(&key).is_some();
        if !was_asked {
            self.asked.insert(key, ());
        }
        was_asked
    }

    /// Block anchored in this SuperRoot; without a SuperRoot, any stored block.
    fn placed(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: SuperRootChoice,
    ) -> Result<BlockRow, ProveError> {
        if at == SuperRootChoice::Unanchored {
            return self.block(chain, number);
        }
        self.check_stands(chain, number)?;
        let published = self.published(at)?;
        let reference = published.reference(chain).map(|(_, reference)| *reference);
        let anchored = reference.map(|reference| reference.number);
        if let Some(start) = reference.map(|one| one.start).filter(|start| number < *start) {
            return Err(ProveError::BeforeStart { chain, number, start });
        }
        if anchored.is_some_and(|anchored| number <= anchored) {
            return self.block(chain, number);
        }
        let held = read::load_block(&*self.store, chain, number)?;
        let state = self.chain_state(chain)?;
        let checked_to = state.as_ref().and_then(|state| state.checked_to);
        if held.is_none() && checked_to.is_some_and(|checked_to| number <= checked_to) {
            return Err(ProveError::NotFound {
                chain,
                what: format!("block {number}"),
                checked_to,
            });
        }
        let head = state.and_then(|state| state.head).map(|head| head.number);
        let is_final = held.as_ref().is_some_and(BlockRow::is_final);
        let held = held.is_some();
        Err(ProveError::NotAnchored { chain, number, anchored, head, held, is_final })
    }

    fn top(&self, published: &Published) -> Result<Arc<Top>, ProveError> {
        self.tops.get_or_insert_with(&published.hash, || {
            let registry = load_registry(&*self.store, published)?;
            let profiles = registry.tree();
            let tree = published.tree();
            let (bags, times, note) = Default::default();
            let held = [const { [const { OnceLock::new() }; ROWS_MAX] }; 2];
            Ok(Arc::new(Top { tree, registry, profiles, bags, times, note, held }))
        })
    }

    /// Mini-MMR roots of a SuperRoot, by family.
    pub fn mini_mmr_roots(&self, published: &Published) -> Result<[Hash; 9], ProveError> {
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
        let top = self.top(&*self.published(SuperRootChoice::Latest)?)?;
        let from = top.registry.find(chain).and_then(|(_, profile)| profile.withdrawn_from());
        if from.is_some_and(|from| from <= number.0) {
            return Err(ProveError::Withdrawn { chain, number });
        }
        Ok(())
    }

    /// Joins an entry, a block and its position.
    fn bundle(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        row: &BlockRow,
        subject: ProofSubject,
        entry: Option<EntryProof>,
        at: SuperRootChoice,
    ) -> Result<Bundle, ProveError> {
        let twig = match at {
            SuperRootChoice::Unanchored => None,
            at => Some(self.twig(chain, number, &*self.published(at)?)?),
        };
        let block = BlockLevel { header: row.header.clone(), block_hash: row.hash, twig };
        let statement = Statement { chain, number, subject };
        Ok(Bundle { origin: self.origin().to_owned(), statement, entry, block: Some(block) })
    }

    /// Levels 3 and up for an anchored block.
    fn twig(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        published: &Published,
    ) -> Result<TwigProof, ProveError> {
        let gone = |what: String| ProveError::Corrupt { what };
        let (row, reference) = published
            .reference(chain)
            .ok_or_else(|| gone(format!("chain {chain} has no reference")))?;
        let index = number.twig_index();
        let InTwig { siblings, root, .. } = self.in_twig(chain, number, reference)?;
        let place = if index == reference.open_twig_index() {
            if root != reference.open_twig_root {
                return Err(gone(format!("open twig {index} of chain {chain} differs")));
            }
            let super_root = self.super_root(published, row, reference_slot(row))?;
            let ChainReference { start, number, block_hash, .. } = *reference;
            TwigPosition::Open(OpenPlace { start, number, block_hash, super_root })
        } else {
            let leaf_index = read::load_leaf_index(&*self.store, chain, index)?
                .ok_or_else(|| gone(format!("twig {index} of chain {chain} has no leaf")))?;
            let family = chain.family;
            let mini_mmr = published.mini_mmrs[usize::from(family.byte())];
            let count = mini_mmr.leaf_count;
            let siblings = self.in_mini_mmr(published, family, leaf_index)?;
            let slot = u64::from(family.byte());
            TwigPosition::Sealed(SealedPlace {
                leaf_index,
                leaf_count: count,
                siblings,
                root: mini_mmr.root(family),
                super_root: Some(self.super_root(published, row, slot)?),
            })
        };
        Ok(TwigProof { siblings, root, place: Some(place) })
    }

    /// Path of a twig in its Mini-MMR at this SuperRoot.
    fn in_mini_mmr(
        &self,
        published: &Published,
        family: Family,
        leaf_index: u64,
    ) -> Result<Vec<Hash>, ProveError> {
        let top = self.top(published)?;
        let slot = usize::from(family.byte());
        let range = NodeRange::MiniMmr(family);
        let bags = match top.bags[slot].get() {
            Some(bags) => bags,
            None => {
                let made = range.bags(&*self.store, published.mini_mmrs[slot].leaf_count)?;
                top.bags[slot].get_or_init(|| made)
            }
        };
        Ok(bags.prove_inclusion(leaf_index, |height, index| {
            // a complete subtree never changes
            self.nodes.get_or_insert_with(&(family, height, index), || {
                range.load(&*self.store, height, index)
            })
        })?)
    }

    /// Leaf at a number in its twig, at this reference.
    fn in_twig(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        reference: &ChainReference,
    ) -> Result<InTwig, ProveError> {
        let index = number.twig_index();
        let slot = number.twig_slot();
        if index < reference.open_twig_index() {
            return self.in_sealed_twig(chain, number);
        }
        let tree = match self.board.open_twig(chain, &reference.open_twig_root) {
            Some(tree) => tree,
            None => self.whole_twig(chain, index, reference.number.0.saturating_add(1))?,
        };
        InTwig::of(&tree, slot)
    }

    /// Twig built from the blocks below `end`.
    fn whole_twig(
        &self,
        chain: ChainKey,
        index: u64,
        end: u64,
    ) -> Result<Arc<PerfectTree>, ProveError> {
        self.twigs.get_or_insert_with(&(chain, index, end), || {
            let hashes = load_hashes(&*self.store, chain, index * TWIG_BLOCKS, end)?;
            Ok(Arc::new(twig::build(chain, index, hashes)))
        })
    }

    /// Leaf at a number in its sealed twig: from the twig's stored nodes and the blocks below one node.
    fn in_sealed_twig(&self, chain: ChainKey, number: BlockNumber) -> Result<InTwig, ProveError> {
        let index = number.twig_index();
        let slot = number.twig_slot();
        let above = self.parts.get_or_insert_with(&(chain, index, None), || {
            let nodes = read::load_twig_nodes(&*self.store, chain, index)?;
            nodes.map(|nodes| Arc::new(nodes.tree())).ok_or(MissingPart::Nodes)
        });
        let above = match above {
            Ok(above) => above,
            // an empty one, or sealed by an earlier build
            Err(MissingPart::Nodes) => {
                let tree = self.whole_twig(chain, index, (index + 1) * TWIG_BLOCKS)?;
                return InTwig::of(&tree, slot);
            }
            Err(MissingPart::Store(error)) => return Err(error.into()),
        };
        let node = slot >> TwigNodes::HEIGHT;
        let below = self.parts.get_or_insert_with(&(chain, index, Some(node)), || {
            let count = 1 << TwigNodes::HEIGHT;
            let first = index * TWIG_BLOCKS + node * count;
            let mut slots = vec![Hash::ZERO; 1 << TwigNodes::HEIGHT];
            for (number, hash) in load_hashes(&*self.store, chain, first, first + count)? {
                slots[(number.0 - first) as usize] = twig::block_leaf(chain, number, &hash);
            }
            let below = PerfectTree::new(TwigNodes::HEIGHT, slots);
            let what = || {
                format!(
                    "the blocks of twig {index} of chain {chain} are not those it was sealed with"
                )
            };
            match below.root() == above.slot(node) {
                true => Ok(Arc::new(below)),
                false => Err(ProveError::Corrupt { what: what() }),
            }
        })?;
        let in_part = slot % (1 << TwigNodes::HEIGHT);
        let siblings = [below.siblings(in_part), above.siblings(node)].concat();
        let what = || ProveError::Corrupt { what: "a twig has another height".to_owned() };
        let siblings = siblings.try_into().map_err(|_| what())?;
        Ok(InTwig { leaf: below.slot(in_part), siblings, root: above.root() })
    }

    /// Level 5, from a slot, with the row's profile.
    fn super_root(
        &self,
        published: &Published,
        row: usize,
        slot: u64,
    ) -> Result<SuperRootProof, ProveError> {
        let top = self.top(published)?;
        let Top { tree, registry, profiles, .. } = &*top;
        let profile = registry.rows().get(row).and_then(|profile| profile.encode().ok());
        let what = || ProveError::Corrupt { what: format!("registry row {row} is gone") };
        let row = u8::try_from(row).map_err(|_| what())?;
        let registry = RegistryOpening {
            profile: profile.ok_or_else(what)?,
            row,
            count: u8::try_from(registry.rows().len()).map_err(|_| what())?,
            row_siblings: path(profiles, u64::from(row))?,
            siblings: path(tree, REGISTRY_SLOT)?,
        };
        let preimage = published.super_root.encode();
        Ok(SuperRootProof { siblings: path(tree, slot)?, preimage, registry, note: None })
    }
}

/// Perfect path with the tree's height.
fn path<const HEIGHT: usize>(tree: &PerfectTree, slot: u64) -> Result<[Hash; HEIGHT], ProveError> {
    let siblings = tree.siblings(slot).try_into();
    siblings.map_err(|_| ProveError::Corrupt { what: "a tree has another height".to_owned() })
}
