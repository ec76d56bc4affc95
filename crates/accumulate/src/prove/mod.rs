//! Proofs out of what was published. Everything here reads; calls block, so async code wraps them
//! in `spawn_blocking`.

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
use superroot_chain::{Evidence, Extent};
use superroot_proof::bundle::{
    BlockProof, Bundle, EntryProof, Facts, Held, HeldBase, HeldTop, HeldTwig, NotePath, OpenPlace,
    Place, Policy, ProofError, RegistryOpening, SealedPlace, Statement, Subject, SuperRootProof,
    TwigProof, Verified, verify_again,
};
use superroot_proof::ledger::{Body, EventOffsets};
use superroot_proof::note::VerifierKey;
use superroot_proof::perfect::PerfectTree;
use superroot_proof::range::Bags;
use superroot_proof::registry::{ROWS_MAX, Registry};
use superroot_proof::superroot::{BlockReference, REGISTRY_SLOT, reference_slot};
use superroot_proof::twig;
use superroot_store::layout::{BlockRow, ChainState, TwigNodes};
use superroot_store::{Store, read};
use superroot_types::{
    BlockNumber, ChainKey, Family, Hash, Network, TWIG_BLOCKS, TWIG_HEIGHT, UnixSeconds,
};

use crate::board::Board;
use crate::nodes::Range;
use crate::open_twig::load_hashes;
use crate::record::Published;
use crate::recorded::{load_published, load_registry};

/// Whole twigs that are kept, at 131 KB each: open ones of earlier SuperRoots, and sealed ones without nodes.
const TWIGS_MAX: usize = 64;
/// Parts of sealed twigs that are kept, at 2 to 4 KB each.
const PARTS_MAX: usize = 8_192;
/// Bytes of bodies that are kept decoded.
const BODIES_BYTES_MAX: u64 = 48 << 20;
/// Bytes of a usual one.
const BODY_BYTES: usize = 256 << 10;
/// SuperRoots whose trees and registries are kept.
const TOPS_MAX: usize = 32;
/// Bytes of blocks and entries of proofs that held, which are kept so that they are hashed once.
const BASES_BYTES_MAX: u64 = 16 << 20;
/// Bytes of a usual one.
const BASE_BYTES: usize = 16 << 10;
/// Rows of blocks that are kept until something is committed, at about 1 KB each: one answer reads its block several times.
const ROWS_KEPT_MAX: usize = 1_024;
/// Nodes of Mini-MMRs that are kept, at some 70 bytes each; those near the peaks are on most paths.
const NODES_MAX: usize = 65_536;
/// Ways from blocks to their twigs' roots that held, at half a KB each.
const WAYS_MAX: usize = 4_096;
/// What was asked for and is not kept so far, at some 100 bytes each.
const ASKED_MAX: usize = 16_384;

/// Which SuperRoot a proof ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The newest.
    Latest,
    /// That of this sequence.
    Sequence(u64),
    /// That of this hash.
    Hash(Hash),
    /// None: levels 1 and 2 alone, of any block that is held.
    Unanchored,
}

/// A twig up to a number.
type TwigKey = (ChainKey, u64, u64);
/// A part of a sealed twig: the tree over one of its nodes, or, without one, that above them all.
type PartKey = (ChainKey, u64, Option<u64>);
/// A body by chain, block hash and how much of it is held: a reorganised block has another, and a
/// repaired one more.
type BodyKey = (ChainKey, Hash, Extent, usize);

/// What in a block a proof is of.
type BaseKey = (ChainKey, Hash, Subject);

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

/// A decoded body.
pub(crate) struct HeldBody {
    pub(super) body: Body,
    /// Once an event of it is asked for.
    offsets: OnceLock<EventOffsets>,
}

impl HeldBody {
    pub(super) const fn new(body: Body) -> Self {
        Self { body, offsets: OnceLock::new() }
    }

    /// How its events are counted over the whole block.
    pub(super) fn event_offsets(&self) -> &EventOffsets {
        self.offsets.get_or_init(|| self.body.event_offsets())
    }
}

/// What every proof under one SuperRoot needs of it.
struct Top {
    tree: PerfectTree,
    registry: Registry,
    profiles: PerfectTree,
    /// By family, once a block of one of its sealed twigs is proven.
    bags: [OnceLock<Bags>; 9],
    /// Once they are asked for, and where there is one.
    times: OnceLock<Vec<UnixSeconds>>,
    note: OnceLock<NotePath>,
    /// Level 5 of proofs that held: by row, of open twigs and then of sealed ones.
    held: [[OnceLock<HeldTop>; ROWS_MAX]; 2],
}

impl Top {
    /// Where level 5 of such a proof is remembered.
    fn held(&self, bundle: &Bundle) -> Option<&OnceLock<HeldTop>> {
        let row = usize::from(bundle.super_root()?.registry.row);
        let is_sealed = matches!(bundle.place()?, Place::Sealed(_));
        self.held[usize::from(is_sealed)].get(row)
    }
}

/// A leaf of a twig with its path.
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

/// Why a part of a twig is not at hand.
enum Missing {
    Nodes,
    Store(superroot_store::StoreError),
}

impl From<superroot_store::StoreError> for Missing {
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
    /// With the commits that the store had taken before they were read.
    rows: Arc<Cache<(ChainKey, BlockNumber), (u64, BlockRow)>>,
    keeps_bases: bool,
}

impl Prover {
    /// Proofs of the log on that board, out of that store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, board: Board) -> Self {
        let twigs = Arc::new(Cache::new(TWIGS_MAX));
        let usual = usize::try_from(BODIES_BYTES_MAX).unwrap_or(usize::MAX) / BODY_BYTES;
        let bodies = Arc::new(Cache::with_weighter(usual, BODIES_BYTES_MAX, ByBytes));
        let (tops, parts) = (Arc::new(Cache::new(TOPS_MAX)), Arc::new(Cache::new(PARTS_MAX)));
        let usual = usize::try_from(BASES_BYTES_MAX).unwrap_or(usize::MAX) / BASE_BYTES;
        let bases = Arc::new(Cache::with_weighter(usual, BASES_BYTES_MAX, ByBytes));
        let (asked, ways) = (Arc::new(Cache::new(ASKED_MAX)), Arc::new(Cache::new(WAYS_MAX)));
        let (nodes, rows) = (Arc::new(Cache::new(NODES_MAX)), Arc::new(Cache::new(ROWS_KEPT_MAX)));
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

    /// The same, which hashes levels 1 and 2 of each proof as if nobody had asked for it before: what the first pays who
    /// asks, for a benchmark. The block's way in its twig is still remembered.
    #[must_use]
    pub fn without_bases(self) -> Self {
        Self { keeps_bases: false, ..self }
    }

    /// The newest SuperRoot; no I/O.
    #[must_use]
    pub fn latest(&self) -> Option<Arc<Published>> {
        self.board.latest()
    }

    /// Origin of the log.
    #[must_use]
    pub fn origin(&self) -> &str {
        self.board.origin()
    }

    /// Keys that sign the log; none where nobody does.
    #[must_use]
    pub fn keys(&self) -> &[VerifierKey] {
        self.board.keys()
    }

    /// Network of the log.
    #[must_use]
    pub fn network(&self) -> Network {
        self.board.network()
    }

    /// The store it reads from.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// A published SuperRoot.
    ///
    /// # Errors
    /// [`ProveError::NothingPublished`], [`ProveError::UnknownSuperRoot`], or the store's.
    pub fn published(&self, which: Which) -> Result<Arc<Published>, ProveError> {
        let latest = self.latest().ok_or(ProveError::NothingPublished)?;
        let sequence = match which {
            Which::Latest | Which::Unanchored => return Ok(latest),
            Which::Sequence(sequence) => sequence,
            Which::Hash(hash) if hash == latest.hash => return Ok(latest),
            Which::Hash(hash) => read::load_sequence(&*self.store, &hash)?
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

    /// How far a chain has come.
    ///
    /// # Errors
    /// The store's.
    pub fn chain_state(&self, chain: ChainKey) -> Result<Option<ChainState>, ProveError> {
        Ok(read::load_chain_state(&*self.store, chain)?)
    }

    /// A held block, final or not.
    ///
    /// # Errors
    /// [`ProveError::NotFound`] with how far was checked; [`ProveError::BeforeStart`] below the
    /// chain's run; the store's.
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

    /// Why a held block is final; `None` as long as it is not. Answers commit to its bytes.
    ///
    /// # Errors
    /// [`ProveError::Corrupt`] where the evidence of a final block is gone; the store's.
    pub fn evidence(
        &self,
        chain: ChainKey,
        row: &BlockRow,
    ) -> Result<Option<Evidence>, ProveError> {
        let Some(agreed) = row.agreed else { return Ok(None) };
        let evidence = read::load_evidence(&*self.store, chain, agreed)?;
        let what = || format!("the evidence of block {agreed} of chain {chain} is gone");
        evidence.map(Some).ok_or_else(|| ProveError::Corrupt { what: what() })
    }

    /// Proof of a block, levels 2 to 5.
    ///
    /// # Errors
    /// [`ProveError`] saying why there is none.
    pub fn prove_block(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: Which,
    ) -> Result<Bundle, ProveError> {
        let row = self.placed(chain, number, at)?;
        self.bundle(chain, number, &row, Subject::Block, None, at)
    }

    /// Checks a proof under that SuperRoot as a client would. What proofs share is hashed once: the block and its entry
    /// under all SuperRoots, the block's way to the root of its twig, which stays once that is sealed, and of all proofs of
    /// a chain the way from its slot to this SuperRoot. Gives what held of levels 1 and 2, where the proof has a block and was
    /// asked for before: the same one while it is kept.
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
        let held = Held { base: base.as_deref(), twig: way.as_deref(), top, is_base_wanted };
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

    /// Whether a proof of that was asked for before, as far as it is known; from now on it was.
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

    /// The block, if it stands in that SuperRoot (or is held, where none is asked for).
    fn placed(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: Which,
    ) -> Result<BlockRow, ProveError> {
        if at == Which::Unanchored {
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

    /// Roots of a SuperRoot's Mini-MMRs, by family.
    ///
    /// # Errors
    /// As [`Prover::reference_times`].
    pub fn mini_mmr_roots(&self, published: &Published) -> Result<[Hash; 9], ProveError> {
        let top = self.top(published)?;
        Ok(Family::ALL.map(|family| top.tree.slot(u64::from(family.byte()))))
    }

    /// When the blocks were made that a SuperRoot refers to, in the order of its references.
    ///
    /// # Errors
    /// As [`Prover::block`].
    pub fn reference_times(&self, published: &Published) -> Result<Vec<UnixSeconds>, ProveError> {
        let top = self.top(published)?;
        if let Some(times) = top.times.get() {
            return Ok(times.clone());
        }
        let time = |reference: &BlockReference| {
            Ok(self.block(reference.chain, reference.number)?.timestamp)
        };
        let times = published.references.iter().map(|(_, reference)| time(reference));
        let times = times.collect::<Result<Vec<_>, ProveError>>()?;
        Ok(top.times.get_or_init(|| times).clone())
    }

    /// Refuses what the newest SuperRoot withdraws: it is proven under an older one no more either.
    ///
    /// # Errors
    /// [`ProveError::Withdrawn`]; [`ProveError::NothingPublished`]; the store's.
    pub fn check_stands(&self, chain: ChainKey, number: BlockNumber) -> Result<(), ProveError> {
        let top = self.top(&*self.published(Which::Latest)?)?;
        let from = top.registry.find(chain).and_then(|(_, profile)| profile.withdrawn_from());
        if from.is_some_and(|from| from <= number.0) {
            return Err(ProveError::Withdrawn { chain, number });
        }
        Ok(())
    }

    /// Joins an entry, a block and its place.
    fn bundle(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        row: &BlockRow,
        subject: Subject,
        entry: Option<EntryProof>,
        at: Which,
    ) -> Result<Bundle, ProveError> {
        let twig = match at {
            Which::Unanchored => None,
            at => Some(self.twig(chain, number, &*self.published(at)?)?),
        };
        let block = BlockProof { header: row.header.clone(), block_hash: row.hash, twig };
        let statement = Statement { chain, number, subject };
        Ok(Bundle { origin: self.origin().to_owned(), statement, entry, block: Some(block) })
    }

    /// Level 3 and up of an anchored block.
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
            let BlockReference { start, number, block_hash, .. } = *reference;
            Place::Open(OpenPlace { start, number, block_hash, super_root })
        } else {
            let leaf_index = read::load_leaf_index(&*self.store, chain, index)?
                .ok_or_else(|| gone(format!("twig {index} of chain {chain} has no leaf")))?;
            let family = chain.family;
            let mini_mmr = published.mini_mmrs[usize::from(family.byte())];
            let count = mini_mmr.leaf_count;
            let siblings = self.in_mini_mmr(published, family, leaf_index)?;
            let slot = u64::from(family.byte());
            Place::Sealed(SealedPlace {
                leaf_index,
                leaf_count: count,
                siblings,
                root: mini_mmr.root(family),
                super_root: Some(self.super_root(published, row, slot)?),
            })
        };
        Ok(TwigProof { siblings, root, place: Some(place) })
    }

    /// Path of a twig in its Mini-MMR, as it stood at that SuperRoot.
    fn in_mini_mmr(
        &self,
        published: &Published,
        family: Family,
        leaf_index: u64,
    ) -> Result<Vec<Hash>, ProveError> {
        let (top, slot, range) =
            (self.top(published)?, usize::from(family.byte()), Range::MiniMmr(family));
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

    /// What stands at a number in its twig, as the twig stood at that reference.
    fn in_twig(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        reference: &BlockReference,
    ) -> Result<InTwig, ProveError> {
        let (index, slot) = (number.twig_index(), number.twig_slot());
        if index < reference.open_twig_index() {
            return self.in_sealed_twig(chain, number);
        }
        let tree = match self.board.open_twig(chain, &reference.open_twig_root) {
            Some(tree) => tree,
            None => self.whole_twig(chain, index, reference.number.0.saturating_add(1))?,
        };
        InTwig::of(&tree, slot)
    }

    /// A twig out of its blocks below `end`.
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

    /// What stands at a number in its sealed twig: out of the twig's kept nodes and the blocks below one of them.
    fn in_sealed_twig(&self, chain: ChainKey, number: BlockNumber) -> Result<InTwig, ProveError> {
        let (index, slot) = (number.twig_index(), number.twig_slot());
        let above = self.parts.get_or_insert_with(&(chain, index, None), || {
            let nodes = read::load_twig_nodes(&*self.store, chain, index)?;
            nodes.map(|nodes| Arc::new(nodes.tree())).ok_or(Missing::Nodes)
        });
        let above = match above {
            Ok(above) => above,
            // an empty one, or sealed by an earlier build
            Err(Missing::Nodes) => {
                let tree = self.whole_twig(chain, index, (index + 1) * TWIG_BLOCKS)?;
                return InTwig::of(&tree, slot);
            }
            Err(Missing::Store(error)) => return Err(error.into()),
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

    /// Level 5, from a slot, with the profile of the row.
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

/// A perfect path of the length its tree has.
fn path<const HEIGHT: usize>(tree: &PerfectTree, slot: u64) -> Result<[Hash; HEIGHT], ProveError> {
    let siblings = tree.siblings(slot).try_into();
    siblings.map_err(|_| ProveError::Corrupt { what: "a tree has another height".to_owned() })
}
