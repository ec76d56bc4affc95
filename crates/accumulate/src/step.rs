//! The single writer of roots: one step makes at most one SuperRoot.

mod publish;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use superroot_proof::note::Signer;
use superroot_proof::registry::LogRegistry;
use superroot_proof::superroot::{ChainReference, MiniMmr, log_id};
use superroot_store::layout::{BlockTip, ChainState};
use superroot_store::{Store, WriteBatch, read};
use superroot_types::{BlockNumber, ChainKey, Family, Hash, RowIndex, Sequence, UnixSeconds};

use crate::AccumulateError;
use crate::board::Board;
use crate::evm_signer::EvmSigner;
use crate::open_twig::{OpenTwig, SealedTwigs, older_twigs};
use crate::record::Published;
use crate::recover::{self, RegistryAppend};

/// Most twigs in one write: the longest gaps have half a million empty ones.
const TWIGS_AT_ONCE: usize = 4_096;

/// Result of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccumulateProgress {
    /// No change, nothing published.
    Idle,
    /// Published a SuperRoot.
    Advanced {
        sequence: Sequence,
        hash: Hash,
        /// Twigs sealed in this SuperRoot.
        sealed_twigs: usize,
    },
    /// Waiting for the data of a SuperRoot to repeat.
    Waiting {
        sequence: Sequence,
        /// Sequence of the last SuperRoot to repeat.
        goal: Sequence,
        /// Missing data.
        why: String,
    },
}

/// Makes SuperRoots from the final blocks in the store.
///
/// ```text
/// final blocks -> open twigs -> sealed twigs -> Mini-MMRs ┐
///                     └-> block references                ├-> SuperRoot
///                    SuperRoots before -> history         ┘
/// ```
/// A step ends in one commit, which expects the previous SuperRoot: with two writers on one store only one continues,
/// and a crash leaves a whole SuperRoot or no reference to one. A step with very many sealed twigs writes them
/// beforehand, in parts. This needs a single writer, ensured by the lock on the store's folder.
pub struct Accumulator {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) board: Board,
    registry: LogRegistry,
    log_id: Hash,
    open_twigs: BTreeMap<ChainKey, OpenTwig>,
    pub(crate) signers: Vec<Signer>,
    /// Key for contracts, if any.
    pub(crate) evm_signer: Option<EvmSigner>,
    twigs_at_once: usize,
    /// Newest committed SuperRoot, shown on the board or about to be.
    pub(crate) last: Option<Arc<Published>>,
}

/// Result of a step before the commit.
pub(crate) struct SuperRootDraft {
    mini_mmrs: [MiniMmr; Family::COUNT],
    pub(crate) references: Vec<(RowIndex, ChainReference)>,
    sealed: Vec<SealedTwigs>,
    pub(crate) batch: WriteBatch,
}

impl SuperRootDraft {
    /// Draft without changes to the previous SuperRoot.
    pub(crate) fn after(before: Option<&Published>) -> Self {
        Self {
            mini_mmrs: before.map_or([MiniMmr::EMPTY; Family::COUNT], |before| before.mini_mmrs),
            references: Vec::new(),
            sealed: Vec::new(),
            batch: WriteBatch::new(),
        }
    }
}

/// SuperRoot inputs besides the chains and the previous SuperRoot.
pub(crate) struct SuperRootTerms<'a> {
    pub(crate) registry: &'a LogRegistry,
    pub(crate) timestamp: UnixSeconds,
    /// Given note; `None`: signed now.
    pub(crate) note: Option<&'a str>,
}

impl Accumulator {
    /// Opens the log of `origin` in this store, and checks the published data.
    ///
    /// # Errors
    /// [`AccumulateError::Origin`] if the store has another log; [`AccumulateError::Registry`] if this registry changes
    /// stored rows; [`AccumulateError::Corrupt`] if the last SuperRoot does not match its parts.
    pub fn open(
        store: Arc<dyn Store>,
        registry: LogRegistry,
        origin: &str,
    ) -> Result<Self, AccumulateError> {
        let log_id = log_id(origin).map_err(|_| AccumulateError::Origin {
            got: origin.to_owned(),
            expected: "1 to 255 bytes without white space and plus sign".to_owned(),
        })?;
        let last = recover::open(&*store, &registry, origin)?.map(Arc::new);
        let board = Board::new(origin, last.clone());
        let open_twigs = BTreeMap::new();
        Ok(Self {
            store,
            board,
            registry,
            log_id,
            open_twigs,
            signers: Vec::new(),
            evm_signer: None,
            twigs_at_once: TWIGS_AT_ONCE,
            last,
        })
    }

    /// Sets the number of sealed twigs in one write, at least one.
    #[must_use]
    pub fn writing_at_once(self, twigs: usize) -> Self {
        Self { twigs_at_once: twigs.max(1), ..self }
    }

    /// Additions in the configured rows compared with the current log, in row order. The next SuperRoot commits to the
    /// additions, and every later SuperRoot needs them. Empty without a SuperRoot.
    ///
    /// # Errors
    /// [`AccumulateError::Corrupt`] if the current rows are missing in the store; store errors.
    pub fn appended(&self) -> Result<Vec<RegistryAppend>, AccumulateError> {
        let standing = recover::load_standing(&*self.store, self.last.as_deref())?;
        Ok(standing
            .map_or_else(Vec::new, |(_, standing)| recover::appended(&standing, &self.registry)))
    }

    /// Board with the newest SuperRoot, for any number of readers.
    #[must_use]
    pub fn board(&self) -> Board {
        self.board.clone()
    }

    /// Publishes a SuperRoot if a chain has new final blocks or older ones below its run, or if rows or rules were
    /// appended.
    ///
    /// # Errors
    /// [`AccumulateError::Conflict`] if another writer was first (open again); [`AccumulateError::Corrupt`] if
    /// committed data is missing in the store; store errors.
    pub fn step(&mut self, now: UnixSeconds) -> Result<AccumulateProgress, AccumulateError> {
        self.step_without(&BTreeSet::new(), now)
    }

    /// [`Accumulator::step`] without new blocks on chains with doubtful finality.
    pub fn step_without(
        &mut self,
        doubted: &BTreeSet<ChainKey>,
        now: UnixSeconds,
    ) -> Result<AccumulateProgress, AccumulateError> {
        let progress = self.commit_without(doubted, now)?;
        self.show();
        Ok(progress)
    }

    /// [`Accumulator::step_without`] without showing the result: the SuperRoot is durable, but on no board until
    /// [`Accumulator::show`]. The caller can store the note in a second place in between.
    pub fn commit_without(
        &mut self,
        doubted: &BTreeSet<ChainKey>,
        now: UnixSeconds,
    ) -> Result<AccumulateProgress, AccumulateError> {
        if let Some(goal) = self.goal()? {
            return self.repeat(goal);
        }
        let before = self.last.clone();
        let Some(mut draft) = self.draft(before.as_deref(), doubted)? else {
            return Ok(AccumulateProgress::Idle);
        };
        let timestamp = before.as_ref().map_or(now, |before| before.super_root.timestamp.max(now));
        let terms = SuperRootTerms { registry: &self.registry, timestamp, note: None };
        let published = self.publish_into(&mut draft, before.as_deref(), &terms)?;
        self.commit(draft, published)
    }

    /// Commits a SuperRoot atomically.
    pub(crate) fn commit(
        &mut self,
        draft: SuperRootDraft,
        published: Published,
    ) -> Result<AccumulateProgress, AccumulateError> {
        let sequence = published.super_root.sequence;
        let hash = published.hash;
        let sealed_twigs = draft.sealed.iter().map(|run| run.indexes().count()).sum();
        self.store.commit(draft.batch).map_err(AccumulateError::commit)?;
        self.last = Some(Arc::new(published));
        metrics::counter!("superroot_accumulate_super_roots_total").increment(1);
        metrics::counter!("superroot_accumulate_sealed_twigs_total").increment(sealed_twigs as u64);
        Ok(AccumulateProgress::Advanced { sequence, hash, sealed_twigs })
    }

    /// Shows the newest committed SuperRoot on the board.
    pub fn show(&self) {
        if let Some(last) = &self.last {
            let open = self.open_twigs.iter().map(|(chain, twig)| (*chain, twig.tree()));
            self.board.publish(last.clone(), open.collect());
        }
    }

    /// Newest committed SuperRoot, shown or not.
    #[must_use]
    pub fn newest(&self) -> Option<&Published> {
        self.last.as_deref()
    }

    /// Draft of the next SuperRoot; `None` without new final blocks, older twigs, or registry changes.
    fn draft(
        &mut self,
        before: Option<&Published>,
        doubted: &BTreeSet<ChainKey>,
    ) -> Result<Option<SuperRootDraft>, AccumulateError> {
        let mut draft = SuperRootDraft::after(before);
        // rows and rules that were appended are announced, whether blocks come or not
        let registry_root = self.registry.root();
        let mut changed = before.is_some_and(|before| before.registry_root != registry_root);
        for (row, profile) in self.registry.clone().numbered_rows() {
            let chain = profile.chain;
            let last = before.and_then(|before| before.reference(chain)).map(|(_, last)| *last);
            let state = read::load_chain_state(&*self.store, chain)?;
            let tip = match &state {
                Some(state) => self.standing(chain, state)?,
                None => None,
            };
            let newer = state.as_ref().zip(tip);
            let newer = newer.filter(|(state, tip)| {
                last.is_none_or(|last| tip.number > last.number || state.start < last.start)
            });
            // a withdrawn chain's reference is frozen
            let is_frozen = profile.withdrawn_from().is_some() || doubted.contains(&chain);
            let newer = newer.filter(|_| !is_frozen);
            match (newer, last) {
                (Some((state, tip)), last) => {
                    let reference = self.advance(chain, state, tip, last, &mut draft)?;
                    draft.references.push((row, reference));
                    changed = true;
                }
                (None, Some(last)) => draft.references.push((row, last)),
                (None, None) => {}
            }
        }
        if changed { Ok(Some(draft)) } else { Ok(None) }
    }

    /// Newest publishable final block of a chain: below any blocks taken back by its nodes.
    pub(crate) fn standing(
        &self,
        chain: ChainKey,
        state: &ChainState,
    ) -> Result<Option<BlockTip>, AccumulateError> {
        let Some(indexed) = state.indexed else { return Ok(None) };
        let contested = read::load_contested(&*self.store, chain)?;
        let Some(contested) = contested.filter(|contested| *contested <= indexed.number) else {
            return Ok(Some(indexed));
        };
        let number = contested.0.checked_sub(1).map(BlockNumber);
        let Some(number) = number.filter(|number| *number >= state.start) else { return Ok(None) };
        let row = read::load_block(&*self.store, chain, number)?;
        Ok(row.map(|row| BlockTip { number, hash: row.hash }))
    }

    /// Takes a chain's new final blocks into its open twig, seals the full twigs, and adds the whole twigs below the
    /// run's earlier start.
    pub(crate) fn advance(
        &mut self,
        chain: ChainKey,
        state: &ChainState,
        tip: BlockTip,
        last: Option<ChainReference>,
        draft: &mut SuperRootDraft,
    ) -> Result<ChainReference, AccumulateError> {
        let start = last.map_or(state.start, |last| last.start.min(state.start));
        if let Some(last) = last {
            let older = older_twigs(&*self.store, chain, start, last.start)?;
            draft.sealed.extend(older);
            if tip.number <= last.number {
                return Ok(ChainReference { start, ..last });
            }
        }
        let held = self.open_twigs.remove(&chain);
        let held = held.filter(|twig| last.is_some_and(|last| twig.stands_at(&last)));
        let mut twig = match held {
            Some(twig) => twig,
            None => OpenTwig::load(&*self.store, chain, start, last.as_ref())?,
        };
        let sealed = twig.take(&*self.store, tip)?;
        draft.sealed.extend(sealed);
        let reference = ChainReference {
            chain,
            start,
            number: tip.number,
            block_hash: tip.hash,
            open_twig_root: twig.root(),
        };
        self.open_twigs.insert(chain, twig);
        Ok(reference)
    }
}
