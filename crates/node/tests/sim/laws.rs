//! What must hold after every step, whatever happened: read from the disk, by somebody who remembers
//! everything that was acknowledged and knows what is true.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use superroot_accumulate::prove::Prover;
use superroot_chain::{Extent, FinalityEvidence};
use superroot_collect::WatchFilter;
use superroot_proof::consistency::Replay;
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::layout::{BlockRow, BlockTip, ChainState, HeaderWhy, HeldRun, KeptEntries};
use superroot_store::read;
use superroot_store::{ScanOrder, Store, Table};
use superroot_types::{BlockNumber, ChainKey, Hash, Sequence, SuperRootRef};

use crate::blocks::{Block, Oddity, Raw};
use crate::dice::Dice;
use crate::plan::{ChainPlan, Fate};

/// What is known of one chain, besides what is on the disk.
pub(crate) struct ChainWitness {
    pub(crate) key: ChainKey,
    fate: Fate,
    /// Nodes that must agree, and how many there are.
    quorum: (usize, usize),
    /// Every block that any node may show.
    known: BTreeMap<Hash, Arc<Block>>,
    /// Hashes that may be final, by number.
    may_be_final: BTreeMap<u64, BTreeSet<Hash>>,
    /// Final blocks that were reported as indexed.
    acknowledged: BTreeMap<u64, Hash>,
    is_halted: bool,
}

impl ChainWitness {
    pub(crate) fn new(plan: &ChainPlan) -> Self {
        let mut known = BTreeMap::new();
        for tale in [&plan.truth, &plan.forged] {
            known.extend(tale.blocks.iter().map(|(hash, (_, block))| (*hash, block.clone())));
        }
        let mut may_be_final: BTreeMap<u64, BTreeSet<Hash>> = BTreeMap::new();
        match plan.fate {
            Fate::Captured => {
                for (hash, block) in &known {
                    may_be_final.entry(block.number).or_default().insert(*hash);
                }
            }
            Fate::Sound | Fate::Broken => {
                let history = &plan.truth.history;
                let (first, last) = (history.last().first(), history.last().head().number);
                for number in first..=last {
                    may_be_final.insert(number, history.finals(number).into_iter().collect());
                }
            }
        }
        Self {
            key: plan.row.key(),
            fate: plan.fate,
            quorum: (plan.quorum, plan.nodes.len()),
            known,
            may_be_final,
            acknowledged: BTreeMap::new(),
            is_halted: false,
        }
    }

    /// The block as it was made.
    pub(crate) fn block(&self, hash: &Hash) -> &Arc<Block> {
        self.known.get(hash).expect("a block that no node has ever shown is held")
    }

    /// A step said that it got so far.
    pub(crate) fn acknowledge(&mut self, disk: &dyn Store, state: &ChainState) {
        let Some(indexed) = state.indexed else { return };
        for (number, row) in self.rows(disk, state).iter().filter(|(n, _)| *n <= indexed.number) {
            let before = self.acknowledged.insert(number.0, row.hash);
            assert!(before.is_none_or(|hash| hash == row.hash), "block {number} was exchanged");
        }
        assert_eq!(self.acknowledged.get(&indexed.number.0), Some(&indexed.hash));
    }

    pub(crate) fn halt(&mut self) {
        assert_ne!(self.fate, Fate::Sound, "a chain that never took back a final block is halted");
        self.is_halted = true;
    }

    pub(crate) const fn is_halted(&self) -> bool {
        self.is_halted
    }

    fn rows(&self, disk: &dyn Store, state: &ChainState) -> Vec<(BlockNumber, BlockRow)> {
        let numbers = state.start..BlockNumber(u64::MAX);
        read::load_blocks(disk, self.key, numbers, usize::MAX).unwrap()
    }

    /// Everything that must hold of the chain now.
    pub(crate) fn check(&self, disk: &dyn Store) {
        let Some(state) = read::load_chain_state(disk, self.key).unwrap() else {
            assert!(self.acknowledged.is_empty(), "everything acknowledged is lost");
            return;
        };
        let rows = self.rows(disk, &state);
        self.check_line(&state, &rows);
        self.check_truth(disk, &state, &rows);
        self.check_coverage(disk, &state, &rows);
        self.check_halt(disk);
    }

    /// One line from the start to the head, final up to what is indexed; nothing acknowledged lost.
    fn check_line(&self, state: &ChainState, rows: &[(BlockNumber, BlockRow)]) {
        let indexed = state.indexed.expect("a state is written with the first final block");
        let head = state.head.expect("a state is written with the first final block");
        let expected = state.start.0..=head.number.0;
        assert!(rows.iter().map(|(number, _)| number.0).eq(expected), "a gap, or one too many");
        for pair in rows.windows(2) {
            assert_eq!(pair[0].1.hash, pair[1].1.parent_hash, "block {} stands apart", pair[1].0);
        }
        let tip = |tip: BlockTip| rows[(tip.number.0 - state.start.0) as usize].1.hash == tip.hash;
        assert!(tip(indexed) && tip(head), "the state names other blocks than those held");
        for (number, row) in rows {
            assert_eq!(row.is_final(), *number <= indexed.number, "evidence of {number}");
            let block = self.block(&row.hash);
            assert_eq!((block.number, block.parent), (number.0, row.parent_hash));
        }
        assert_eq!(state.block_count, indexed.number.0 - state.start.0 + 1);
        assert_eq!(state.checked_to, Some(indexed.number));
        for (number, hash) in &self.acknowledged {
            let place =
                number.checked_sub(state.start.0).expect("the run begins later than before");
            assert!(*number <= indexed.number.0, "acknowledged block {number} is lost");
            assert_eq!(rows[place as usize].1.hash, *hash, "block {number} was exchanged");
        }
    }

    /// What is final is what is true, and enough nodes said so.
    fn check_truth(&self, disk: &dyn Store, state: &ChainState, rows: &[(BlockNumber, BlockRow)]) {
        let indexed = state.indexed.map_or(0, |indexed| indexed.number.0);
        for (number, row) in rows.iter().filter(|(number, _)| number.0 <= indexed) {
            let may = self.may_be_final.get(&number.0);
            assert!(
                may.is_some_and(|may| may.contains(&row.hash)),
                "a false block is final: {number} with {}",
                row.hash
            );
            let agreed = row.agreed.expect("a final block without evidence");
            let evidence = read::load_evidence(disk, self.key, agreed).unwrap();
            let Some(FinalityEvidence::NodeQuorum(quorum)) = evidence else {
                panic!("block {number} is final for another reason than the nodes' word");
            };
            let sources = &quorum.sources;
            let distinct: BTreeSet<&String> = sources.iter().map(|one| &one.operator).collect();
            assert!(distinct.len() >= self.quorum.0, "too few agreed on {number}: {sources:?}");
            assert_eq!((quorum.needed as usize, quorum.of as usize), self.quorum);
            let (_, top) = &rows[(agreed.0 - state.start.0) as usize];
            assert_eq!((quorum.number, quorum.hash), (agreed, top.hash), "evidence of {number}");
        }
    }

    /// Every number from the start to what is indexed is in exactly one run, which says what is held.
    fn check_coverage(
        &self,
        disk: &dyn Store,
        state: &ChainState,
        rows: &[(BlockNumber, BlockRow)],
    ) {
        let indexed = state.indexed.map_or(0, |indexed| indexed.number.0);
        let mut next = state.start.0;
        for CoverageRun { from, to, held } in coverage::load_coverage(disk, self.key).unwrap() {
            if held == HeldRun::Refused {
                assert!(from.0 > indexed, "a refused block among those held");
                let note = read::load_refused(disk, self.key, from).unwrap();
                assert!(note.is_some_and(|note| !note.reason.is_empty()), "no word on {from}");
                continue;
            }
            assert_eq!(from.0, next, "a gap that is not reported");
            for number in from.0..=to.0 {
                let (_, row) = &rows[(number - state.start.0) as usize];
                self.check_held(disk, held, row);
            }
            next = to.0 + 1;
        }
        assert_eq!(next, indexed + 1, "coverage ends before or after what is indexed");
    }

    /// What is kept of a block is at least what its watch list lets pass, by the block as it was made: more
    /// where another list counted while it was not final.
    fn check_held(&self, disk: &dyn Store, held: HeldRun, row: &BlockRow) {
        let block = self.block(&row.hash);
        let kept = match held {
            HeldRun::Whole => KeptEntries::All,
            HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched } => KeptEntries::Some(Vec::new()),
            HeldRun::Watched { watch_hash } => {
                let list = read::load_watch(disk, &watch_hash).unwrap();
                passing(&list.expect("the list of a run is gone"), block)
            }
            // a body without receipts, and none at all, of ledgers that have no other
            HeldRun::Partial { extent: Extent { transactions: true, receipts: false } }
                if matches!(block.raw, Raw::Cosmos(_)) =>
            {
                KeptEntries::All
            }
            HeldRun::HeaderOnly { why: HeaderWhy::NoBody } if matches!(block.raw, Raw::Slot) => {
                KeptEntries::All
            }
            // no node gave a body that recomputes, and the reason is noted
            HeldRun::Partial { .. } | HeldRun::HeaderOnly { why: HeaderWhy::NoBody }
                if self.is_noted(disk, block.number) =>
            {
                KeptEntries::All
            }
            other => panic!("{other:?} is not held of a live chain with every part"),
        };
        assert_eq!(row.kept.union(&kept), row.kept, "block {} under {held:?}", block.number);
        match block.oddity() {
            Some(Oddity::UnknownType) => {
                assert_eq!(row.extent, Extent::default(), "what no build knows is part of a body");
            }
            Some(Oddity::OtherGas) => assert!(!row.extent.receipts, "receipts without their root"),
            _ => {}
        }
    }

    fn is_noted(&self, disk: &dyn Store, number: u64) -> bool {
        let note = read::load_refused(disk, self.key, BlockNumber(number)).unwrap();
        note.is_some_and(|note| !note.reason.is_empty())
    }

    fn check_halt(&self, disk: &dyn Store) {
        let halt = read::load_halt(disk, self.key).unwrap();
        let retractions = read::load_retractions(disk, self.key).unwrap();
        assert_eq!(halt.is_some(), !retractions.is_empty(), "a halt is published with its reason");
        if self.fate == Fate::Sound {
            assert!(halt.is_none(), "a sound chain is halted");
        }
        assert!(halt.is_some() || !self.is_halted, "a halt was forgotten");
        for (number, row) in retractions {
            let held = read::load_block(disk, self.key, number).unwrap();
            assert_eq!(held.map(|held| held.hash), Some(row.held_hash), "it stays as it was");
            assert_ne!(row.held_hash, row.other_hash);
        }
    }

    /// Counts final blocks by what is odd about them, and those whose body was withheld for it.
    pub(crate) fn count_odd(&self, disk: &dyn Store, odd: &mut [u64; 6], withheld: &mut [u64; 6]) {
        let Some(state) = read::load_chain_state(disk, self.key).unwrap() else { return };
        let indexed = state.indexed.map_or(0, |indexed| indexed.number.0);
        for (number, row) in self.rows(disk, &state).iter().filter(|(n, _)| n.0 <= indexed) {
            let Some(oddity) = self.block(&row.hash).oddity() else { continue };
            odd[oddity as usize] += 1;
            withheld[oddity as usize] += u64::from(self.is_noted(disk, number.0));
        }
    }

    /// Every transaction that is kept is found under its hash, and no other row is in the index.
    pub(crate) fn check_index(&self, disk: &dyn Store) -> usize {
        let Some(state) = read::load_chain_state(disk, self.key).unwrap() else { return 0 };
        let mut count = 0;
        for (number, row) in self.rows(disk, &state) {
            let block = self.block(&row.hash);
            for (tx_index, hash) in (0..).zip(&block.transaction_hashes) {
                if !(row.extent.transactions && row.kept.holds(tx_index)) {
                    continue;
                }
                let places = read::find_transaction(disk, self.key, hash).unwrap();
                let found = places.iter().map(|place| (place.number, place.tx_index));
                assert!(found.eq([(number, tx_index)]), "{hash} is not in the index once");
                count += 1;
            }
        }
        count
    }
}

/// Which entries of a block pass a list.
fn passing(watch: &WatchFilter, block: &Block) -> KeptEntries {
    let WatchFilter::Some { addresses, topics } = watch else { return KeptEntries::All };
    // no other ledger's events have addresses or topics: there are no receipts
    let passes = |index: &u32| {
        block.receipts[*index as usize].logs.iter().any(|log| {
            addresses.contains(&log.address)
                || log.topics.iter().any(|topic| topics.contains(topic))
        })
    };
    KeptEntries::Some((0..block.receipts.len() as u32).filter(passes).collect())
}

/// No row of the index is of a transaction that is not kept.
pub(crate) fn check_index_rows(disk: &dyn Store, expected: usize) {
    let rows = disk.scan(Table::Transaction, b"", None, usize::MAX, ScanOrder::Rising).unwrap();
    assert_eq!(rows.len(), expected, "transactions of blocks that are gone are in the index");
}

/// What a stranger remembers of the log.
#[derive(Default)]
pub(crate) struct LogWitness {
    /// Hash of each SuperRoot by its sequence.
    pub(crate) hashes: Vec<Hash>,
    /// How far the newest goes on each chain.
    published: BTreeMap<ChainKey, BlockNumber>,
    /// First block that nodes had taken back when this was looked at last.
    contested: BTreeMap<ChainKey, BlockNumber>,
    replay: Replay,
}

impl LogWitness {
    /// Reads what is new of the log, and checks that it is the one line it was before.
    pub(crate) fn follow(&mut self, prover: &Prover, disk: &dyn Store, dice: &mut Dice) {
        let Some(latest) = prover.latest() else {
            assert!(self.hashes.is_empty(), "the log is gone");
            return;
        };
        let newest = latest.super_root.sequence.0;
        assert!(newest + 1 >= self.hashes.len() as u64, "a SuperRoot is gone");
        if let Some(last) = self.hashes.len().checked_sub(1) {
            let again = prover.published(SuperRootRef::Sequence(Sequence(last as u64))).unwrap();
            assert_eq!(again.hash, self.hashes[last], "a SuperRoot was exchanged");
        }
        for sequence in self.hashes.len() as u64..=newest {
            let published = prover.published(SuperRootRef::Sequence(Sequence(sequence))).unwrap();
            assert_eq!(published.super_root.hash(), published.hash);
            let blob = prover.blob(SuperRootRef::Sequence(Sequence(sequence))).unwrap();
            assert_eq!(blob.super_root.hash(), published.hash);
            let (count, twigs) = prover
                .appended(sequence.checked_sub(1).map(Sequence), Sequence(sequence), u64::MAX)
                .unwrap();
            let twigs = twigs.unwrap();
            assert_eq!(count, twigs.len() as u64);
            self.replay.accept(blob, &twigs).unwrap();
            for (_, reference) in &published.references {
                self.check_contested(disk, reference.chain, reference.number);
                let row = read::load_block(disk, reference.chain, reference.number).unwrap();
                let row = row.expect("a reference to a block that is not held");
                assert_eq!(row.hash, reference.block_hash, "a reference to another block");
                assert!(row.is_final(), "a reference to a block that is not final");
            }
            if let Some(before) = sequence.checked_sub(1) {
                let proof =
                    prover.history_consistency(Sequence(before), Sequence(sequence)).unwrap();
                proof.verify(&self.hashes[before as usize], &published.hash).unwrap();
            }
            self.hashes.push(published.hash);
        }
        self.note_contested(disk);
        if newest > 0 && dice.percent(20) {
            self.check_full(prover, dice);
        }
    }

    /// What nodes took back, and what stands on it, is not published anew while they do.
    fn check_contested(&mut self, disk: &dyn Store, chain: ChainKey, number: BlockNumber) {
        let before = self.published.insert(chain, number);
        let Some(first) = self.contested.get(&chain) else { return };
        if read::load_contested(disk, chain).unwrap() == Some(*first) && number >= *first {
            assert_eq!(before, Some(number), "a block that was taken back was published");
        }
    }

    fn note_contested(&mut self, disk: &dyn Store) {
        let chains = self.published.keys();
        let contested =
            chains.filter_map(|chain| Some((*chain, read::load_contested(disk, *chain).unwrap()?)));
        self.contested = contested.collect();
    }

    fn check_full(&self, prover: &Prover, dice: &mut Dice) {
        let to = dice.between(1, self.hashes.len() as u64 - 1);
        let from = dice.below(to);
        let (old, new) = (self.hashes[from as usize], self.hashes[to as usize]);
        let (_, twigs) = prover.appended(Some(Sequence(from)), Sequence(to), u64::MAX).unwrap();
        prover
            .full_consistency(Sequence(from), Sequence(to))
            .unwrap()
            .verify(&old, &new, &twigs.unwrap())
            .unwrap();
        prover
            .history_consistency(Sequence(from), Sequence(to))
            .unwrap()
            .verify(&old, &new)
            .unwrap();
    }
}
