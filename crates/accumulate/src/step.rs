//! The single writer of roots: one step makes at most one SuperRoot.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use superroot_proof::note::Signer;
use superroot_proof::registry::Registry;
use superroot_proof::superroot::{BlockReference, History, MiniMmr, SuperRoot, build_tree, log_id};
use superroot_proof::twig::twig_leaf;
use superroot_store::layout::{ChainState, MiniMmrLeafRow, Tip};
use superroot_store::{Batch, Store, Table, feed, read, write};
use superroot_types::{BlockNumber, ChainKey, Family, Hash, UnixSeconds};

use crate::AccumulateError;
use crate::board::Board;
use crate::nodes::{Growing, Range};
use crate::open_twig::{OpenTwig, Sealed, older_twigs};
use crate::record::{Published, encode_registry};
use crate::recorded::HEAD;
use crate::recover::{self, Appended};

/// Twigs that are written at once, at most: of the longest gaps there are half a million empty ones.
const TWIGS_AT_ONCE: usize = 4_096;

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing changed, so there is nothing to publish.
    Idle,
    /// A SuperRoot was published.
    Advanced {
        /// Its sequence.
        sequence: u64,
        /// Its hash.
        hash: Hash,
        /// Twigs sealed in it.
        sealed_twigs: usize,
    },
    /// A SuperRoot that was published once is to be repeated, and not all of it is here yet.
    Waiting {
        /// Its sequence.
        sequence: u64,
        /// Sequence of the last one to be repeated.
        goal: u64,
        /// What is missing.
        why: String,
    },
}

/// Makes SuperRoots out of the final blocks in the store.
///
/// ```text
/// final blocks -> open twigs -> sealed twigs -> Mini-MMRs ┐
///                     └-> block references                ├-> SuperRoot
///                    SuperRoots before -> history         ┘
/// ```
/// A step ends in one commit, which expects the SuperRoot before: of two writers on one store only
/// one goes on, and a crash leaves either all of a SuperRoot or nothing that leads to it. Where a step seals very many
/// twigs it has written them before, in parts: that is for one writer, as the lock of a store's folder has it.
pub struct Accumulator {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) board: Board,
    registry: Registry,
    log_id: Hash,
    open_twigs: BTreeMap<ChainKey, OpenTwig>,
    pub(crate) signers: Vec<Signer>,
    twigs_at_once: usize,
    /// The newest that is committed; shown on the board, or about to be.
    pub(crate) last: Option<Arc<Published>>,
}

/// Everything a step has worked out before it commits.
pub(crate) struct Draft {
    mini_mmrs: [MiniMmr; 9],
    pub(crate) references: Vec<(usize, BlockReference)>,
    sealed: Vec<Sealed>,
    pub(crate) batch: Batch,
}

impl Draft {
    /// A draft that adds nothing yet to the SuperRoot before.
    pub(crate) fn after(before: Option<&Published>) -> Self {
        Self {
            mini_mmrs: before.map_or([MiniMmr::EMPTY; 9], |before| before.mini_mmrs),
            references: Vec::new(),
            sealed: Vec::new(),
            batch: Batch::new(),
        }
    }
}

/// What a SuperRoot has beside what follows from the chains and the one before.
pub(crate) struct Terms<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) timestamp: UnixSeconds,
    /// The note that goes with it; signed now, where none is given.
    pub(crate) note: Option<&'a str>,
}

impl Accumulator {
    /// Opens the log of `origin` in that store, and checks that what was published still comes out.
    ///
    /// # Errors
    /// [`AccumulateError::Origin`] and [`AccumulateError::Registry`] when the store holds another
    /// log or rows that this registry changes; [`AccumulateError::Corrupt`] when the last SuperRoot
    /// is not what its parts give.
    pub fn open(
        store: Arc<dyn Store>,
        registry: Registry,
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
            twigs_at_once: TWIGS_AT_ONCE,
            last,
        })
    }

    /// The same, writing so many sealed twigs at once, at least one.
    #[must_use]
    pub fn writing_at_once(self, twigs: usize) -> Self {
        Self { twigs_at_once: twigs.max(1), ..self }
    }

    /// What the configured rows have and the standing log has not, in the order of rows. The next
    /// SuperRoot commits to it, and no later one can do without. Nothing where no SuperRoot stands.
    ///
    /// # Errors
    /// [`AccumulateError::Corrupt`] when the store lacks the standing rows; else the store's error.
    pub fn appended(&self) -> Result<Vec<Appended>, AccumulateError> {
        let standing = recover::load_standing(&*self.store, self.last.as_deref())?;
        Ok(standing
            .map_or_else(Vec::new, |(_, standing)| recover::appended(&standing, &self.registry)))
    }

    /// Where the newest SuperRoot can be read, by any number of readers.
    #[must_use]
    pub fn board(&self) -> Board {
        self.board.clone()
    }

    /// Publishes a SuperRoot if any chain has new final blocks, or older ones below its run, or rows
    /// or rules were appended.
    ///
    /// # Errors
    /// [`AccumulateError::Conflict`] when another writer was first (open again);
    /// [`AccumulateError::Corrupt`] when the store lacks what was committed; else the store's error.
    pub fn step(&mut self, now: UnixSeconds) -> Result<Progress, AccumulateError> {
        self.step_without(&BTreeSet::new(), now)
    }

    /// The same, taking nothing new of some chains: what is final on them is in doubt.
    ///
    /// # Errors
    /// As [`Accumulator::step`].
    pub fn step_without(
        &mut self,
        doubted: &BTreeSet<ChainKey>,
        now: UnixSeconds,
    ) -> Result<Progress, AccumulateError> {
        let progress = self.commit_without(doubted, now)?;
        self.show();
        Ok(progress)
    }

    /// The same, showing nothing: what was made is durable, and stands on no board until
    /// [`Accumulator::show`]. Between the two its note can be kept in a second place.
    ///
    /// # Errors
    /// As [`Accumulator::step`].
    pub fn commit_without(
        &mut self,
        doubted: &BTreeSet<ChainKey>,
        now: UnixSeconds,
    ) -> Result<Progress, AccumulateError> {
        if let Some(goal) = self.goal()? {
            return self.repeat(goal);
        }
        let before = self.last.clone();
        let Some(mut draft) = self.draft(before.as_deref(), doubted)? else {
            return Ok(Progress::Idle);
        };
        let timestamp = before.as_ref().map_or(now, |before| before.super_root.timestamp.max(now));
        let terms = Terms { registry: &self.registry, timestamp, note: None };
        let published = self.publish_into(&mut draft, before.as_deref(), &terms)?;
        self.commit(draft, published)
    }

    /// Commits a SuperRoot, all of it or nothing.
    pub(crate) fn commit(
        &mut self,
        draft: Draft,
        published: Published,
    ) -> Result<Progress, AccumulateError> {
        let (sequence, hash) = (published.super_root.sequence, published.hash);
        let sealed_twigs = draft.sealed.iter().map(|run| run.indexes.clone().count()).sum();
        self.store.commit(draft.batch).map_err(AccumulateError::commit)?;
        self.last = Some(Arc::new(published));
        metrics::counter!("superroot_accumulate_super_roots_total").increment(1);
        metrics::counter!("superroot_accumulate_sealed_twigs_total").increment(sealed_twigs as u64);
        Ok(Progress::Advanced { sequence, hash, sealed_twigs })
    }

    /// Shows the newest SuperRoot that is committed.
    pub fn show(&self) {
        if let Some(last) = &self.last {
            let open = self.open_twigs.iter().map(|(chain, twig)| (*chain, twig.tree()));
            self.board.publish(last.clone(), open.collect());
        }
    }

    /// The newest SuperRoot that is committed, whether it is shown yet or not.
    #[must_use]
    pub fn newest(&self) -> Option<&Published> {
        self.last.as_deref()
    }

    /// What would be published now; `None` when no chain has a new final block or older twigs, and
    /// the registry is that of the last one.
    fn draft(
        &mut self,
        before: Option<&Published>,
        doubted: &BTreeSet<ChainKey>,
    ) -> Result<Option<Draft>, AccumulateError> {
        let mut draft = Draft::after(before);
        // rows and rules that were appended are announced, whether blocks come or not
        let registry_root = self.registry.root();
        let mut changed = before.is_some_and(|before| before.registry_root != registry_root);
        for (row, profile) in self.registry.rows().to_vec().iter().enumerate() {
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

    /// Newest final block of a chain that may be published: where its nodes took blocks back, the last
    /// one below those.
    pub(crate) fn standing(
        &self,
        chain: ChainKey,
        state: &ChainState,
    ) -> Result<Option<Tip>, AccumulateError> {
        let Some(indexed) = state.indexed else { return Ok(None) };
        let contested = read::load_contested(&*self.store, chain)?;
        let Some(contested) = contested.filter(|contested| *contested <= indexed.number) else {
            return Ok(Some(indexed));
        };
        let number = contested.0.checked_sub(1).map(BlockNumber);
        let Some(number) = number.filter(|number| *number >= state.start) else { return Ok(None) };
        let row = read::load_block(&*self.store, chain, number)?;
        Ok(row.map(|row| Tip { number, hash: row.hash }))
    }

    /// Takes a chain's new final blocks into its open twig, sealing what they fill, and the whole
    /// twigs by which its run was filled backwards.
    pub(crate) fn advance(
        &mut self,
        chain: ChainKey,
        state: &ChainState,
        tip: Tip,
        last: Option<BlockReference>,
        draft: &mut Draft,
    ) -> Result<BlockReference, AccumulateError> {
        let start = last.map_or(state.start, |last| last.start.min(state.start));
        if let Some(last) = last {
            let older = older_twigs(&*self.store, chain, start, last.start)?;
            draft.sealed.extend(older);
            if tip.number <= last.number {
                return Ok(BlockReference { start, ..last });
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
        let reference = BlockReference {
            chain,
            start,
            number: tip.number,
            block_hash: tip.hash,
            open_twig_root: twig.root(),
        };
        self.open_twigs.insert(chain, twig);
        Ok(reference)
    }

    /// Puts everything of the new SuperRoot into the draft's batch.
    pub(crate) fn publish_into(
        &self,
        draft: &mut Draft,
        before: Option<&Published>,
        terms: &Terms<'_>,
    ) -> Result<Published, AccumulateError> {
        let sequence = before.map_or(0, |before| before.super_root.sequence + 1);
        let &Terms { registry, timestamp, note } = terms;
        let expected = before.map(|before| before.super_root.sequence.to_be_bytes());
        let expected = expected.as_ref().map(<[u8; 8]>::as_slice);
        draft.sealed.sort_unstable_by_key(|run| (run.chain, run.indexes.start));
        for family in Family::ALL {
            self.append_twigs(family, draft, expected)?;
        }
        let (history, nodes) = self.append_history(before)?;
        let registry_root = registry.root();
        let tree = build_tree(&draft.mini_mmrs, &draft.references, &history, registry_root);
        let log_id = self.log_id;
        let super_root = SuperRoot { log_id, sequence, timestamp, tree_root: tree.root() };
        let published = Published {
            super_root,
            hash: super_root.hash(),
            mini_mmrs: draft.mini_mmrs,
            references: std::mem::take(&mut draft.references),
            history,
            registry_root,
        };
        draft.batch.expect(Table::Meta, HEAD, expected).put(
            Table::Meta,
            HEAD,
            sequence.to_be_bytes(),
        );
        match note {
            Some(note) => write::put_note(&mut draft.batch, sequence + 1, note),
            None => self.put_note(&mut draft.batch, nodes.clone(), &super_root)?,
        }
        nodes.put_into(&mut draft.batch);
        write::put_super_root(&mut draft.batch, sequence, &published.hash, published.encode());
        feed::put_publication(&mut draft.batch, sequence, &published.hash);
        if before.is_none_or(|before| before.registry_root != registry_root) {
            let bytes = encode_registry(registry);
            write::put_registry(&mut draft.batch, &registry_root, bytes);
        }
        Ok(published)
    }

    /// Appends a family's sealed twigs to its Mini-MMR. Where they are many, they are written before the SuperRoot is:
    /// nothing leads to them until it stands, and another one that takes their places writes over them.
    fn append_twigs(
        &self,
        family: Family,
        draft: &mut Draft,
        expected: Option<&[u8]>,
    ) -> Result<(), AccumulateError> {
        let Some(mini_mmr) = draft.mini_mmrs.get_mut(usize::from(family.byte())) else {
            return Ok(());
        };
        let runs = draft.sealed.iter().filter(|run| run.chain.family == family);
        let mut written = 0;
        let mut nodes = Growing::over(Range::MiniMmr(family), &*self.store);
        for (run, twig_index) in runs.flat_map(|run| run.indexes.clone().map(move |at| (run, at))) {
            let &Sealed { chain, root: twig_root, .. } = run;
            if written == self.twigs_at_once {
                let added = std::mem::replace(
                    &mut nodes,
                    Growing::over(Range::MiniMmr(family), &*self.store),
                );
                added.put_into(&mut draft.batch);
                draft.batch.expect(Table::Meta, HEAD, expected);
                let batch = std::mem::take(&mut draft.batch);
                self.store.commit(batch).map_err(AccumulateError::commit)?;
                written = 0;
            }
            let leaf_index = mini_mmr.leaf_count;
            nodes.append(leaf_index, twig_leaf(chain, twig_index, &twig_root))?;
            let row = MiniMmrLeafRow { chain_id: chain.id, twig_index, twig_root };
            write::put_mini_mmr_leaf(&mut draft.batch, family, leaf_index, &row);
            if let Some(nodes) = &run.nodes {
                write::put_twig_nodes(&mut draft.batch, chain, twig_index, nodes);
            }
            mini_mmr.leaf_count += 1;
            written += 1;
        }
        if written > 0 {
            mini_mmr.range_root = nodes.root(mini_mmr.leaf_count)?;
            nodes.put_into(&mut draft.batch);
        }
        Ok(())
    }

    /// Appends the SuperRoot before to the history that the new one commits to.
    fn append_history(
        &self,
        before: Option<&Published>,
    ) -> Result<(History, Growing<'_>), AccumulateError> {
        let mut nodes = Growing::over(Range::History, &*self.store);
        if let Some(before) = before {
            let leaf = History::leaf(&before.super_root);
            nodes.append(before.super_root.sequence, leaf)?;
        }
        let leaf_count = before.map_or(0, |before| before.super_root.sequence + 1);
        let log_root = nodes.root(leaf_count)?;
        Ok((History { leaf_count, log_root }, nodes))
    }
}
