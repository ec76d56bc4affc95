//! Laws of the feed over random lives of a chain.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use superroot_chain::Extent;
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, Sequence, UnixSeconds};

use super::*;
use crate::layout::{BlockRow, BlockTip, ChainState, KeptEntries, block_key, chain_key, stage_key};
use crate::{MemoryStore, ScanOrder, Store, StoreError, Table, WriteBatch, read, write};

const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };
const FEED: Feed = Feed::Chain(CHAIN);
const KEPT_SECONDS: u64 = 10;

/// Which hash stands under each number, by the feed alone.
struct Hashes;

fn row_key(number: BlockNumber) -> Vec<u8> {
    [&b"hashes"[..], &number.0.to_be_bytes()].concat()
}

impl FeedStage for Hashes {
    type Error = StoreError;

    fn name(&self) -> &'static str {
        "hashes"
    }

    fn apply(
        &mut self,
        store: &dyn Store,
        _: Feed,
        changes: &[FeedChange],
        batch: &mut WriteBatch,
    ) -> Result<(), StoreError> {
        for change in changes {
            match change {
                FeedChange::Taken { from, hashes } => {
                    for (number, hash) in (from.0..).map(BlockNumber).zip(hashes) {
                        let held = read::load_block(store, CHAIN, number)?;
                        if held.is_some_and(|row| row.hash == *hash) {
                            batch.put(Table::Meta, row_key(number), hash.0);
                        }
                    }
                }
                FeedChange::Undone { from, hashes } => {
                    for (number, hash) in (from.0..).map(BlockNumber).zip(hashes) {
                        let key = row_key(number);
                        let held = match batch.written(Table::Meta, &key) {
                            Some(written) => written.map(<[u8]>::to_vec),
                            None => store.get(Table::Meta, &key)?,
                        };
                        if held.is_some_and(|held| held == hash.0) {
                            batch.delete(Table::Meta, key);
                        }
                    }
                }
                FeedChange::Final { from, to } => {
                    let numbers = *from..BlockNumber(to.0 + 1);
                    for (number, row) in read::load_blocks(store, CHAIN, numbers, usize::MAX)? {
                        batch.put(Table::Meta, row_key(number), row.hash.0);
                    }
                }
                FeedChange::Body { .. }
                | FeedChange::Retracted { .. }
                | FeedChange::Published { .. } => {}
            }
        }
        Ok(())
    }

    fn clear(
        &mut self,
        store: &dyn Store,
        _: Feed,
        batch: &mut WriteBatch,
    ) -> Result<bool, StoreError> {
        let rows = store.scan(Table::Meta, b"hashes", Some(b"hashet"), 3, ScanOrder::Rising)?;
        for (key, _) in &rows {
            batch.delete(Table::Meta, key.clone());
        }
        Ok(rows.len() < 3)
    }
}

/// A chain that is collected.
struct Life {
    store: Arc<MemoryStore>,
    blocks: BTreeMap<u64, Hash>,
    final_to: u64,
    now: u64,
    salt: u8,
}

impl Life {
    fn new() -> Self {
        let (store, blocks) = (Arc::new(MemoryStore::new()), BTreeMap::new());
        let mut life = Self { store, blocks, final_to: 0, now: 100, salt: 0 };
        life.commit(0, &[0], 0);
        life
    }

    /// Undoes what is from `from` on, takes new blocks of these numbers, and finalises up to one.
    fn commit(&mut self, from: u64, taken: &[u64], final_to: u64) {
        let (mut batch, mut changes) = (WriteBatch::new(), Changes::default());
        self.salt = self.salt.wrapping_add(1);
        for (number, hash) in self.blocks.split_off(&from) {
            let number = BlockNumber(number);
            batch.delete(Table::Block, block_key(CHAIN, number));
            changes.undone(BlockTip { number, hash });
        }
        for number in taken {
            let mut hash = Hash([self.salt; 32]);
            hash.0[..8].copy_from_slice(&number.to_be_bytes());
            self.blocks.insert(*number, hash);
            changes.taken(BlockTip { number: BlockNumber(*number), hash });
        }
        for number in self.final_to..=final_to {
            changes.made_final(BlockNumber(number));
        }
        self.final_to = final_to + 1;
        for (number, hash) in &self.blocks {
            let row = BlockRow {
                hash: *hash,
                parent_hash: Hash::ZERO,
                timestamp: UnixSeconds(0),
                extent: Extent::default(),
                kept: KeptEntries::All,
                tx_count: None,
                header: Vec::new(),
                agreed: (*number <= final_to).then_some(BlockNumber(final_to)),
            };
            batch.put(Table::Block, block_key(CHAIN, BlockNumber(*number)), row.encode());
        }
        write::put_chain_state(&mut batch, CHAIN, &ChainState::empty(BlockNumber(0)));
        let now = UnixSeconds(self.now);
        append(&mut batch, &*self.store, CHAIN, changes, now, KEPT_SECONDS).unwrap();
        self.store.commit(batch).unwrap();
    }

    /// One of the things that happen to a chain.
    fn happens(&mut self, what: u8, much: u64) {
        let head = self.blocks.keys().next_back().copied().unwrap_or(0);
        let final_to = self.final_to - 1;
        match what {
            0 => self.commit(head + 1, &(head + 1..=head + much).collect::<Vec<_>>(), final_to),
            1 => {
                let from = (final_to + 1).max(head.saturating_sub(much));
                self.commit(from, &(from..=head + 1).collect::<Vec<_>>(), final_to);
            }
            2 => self.commit(head + 1, &[], (final_to + much).min(head)),
            _ => self.now += 4 * much,
        }
    }

    fn check_said(&self) {
        let rows =
            self.store.scan(Table::Meta, b"hashes", Some(b"hashet"), 9_999, ScanOrder::Rising);
        let said = rows.unwrap().into_iter();
        let held = self
            .blocks
            .iter()
            .map(|(number, hash)| (row_key(BlockNumber(*number)), hash.0.to_vec()));
        assert!(said.eq(held), "the stage says something else than is held");
    }

    fn follower(&self) -> Follower<Hashes> {
        Follower::new(self.store.clone(), FEED, Hashes)
    }
}

fn settle(follower: &mut Follower<Hashes>) -> usize {
    (0..).take_while(|_| follower.step().unwrap() != StageProgress::Idle).count()
}

proptest! {
    /// Whatever happens to a chain, and however seldom the stage is taken along: it says what is held,
    /// its cursor only grows, and no row is skipped or changed.
    #[test]
    fn a_stage_says_what_is_held_however_far_it_was_behind(
        life in proptest::collection::vec((0..4_u8, 1..5_u64, 0..8_u8), 1..60),
    ) {
        let mut chain = Life::new();
        let (mut seen, mut cursor) = (BTreeMap::new(), 0);
        for (what, much, steps) in life {
            chain.happens(what, much);
            let bounds = load_bounds(&*chain.store, CHAIN).unwrap().unwrap();
            let rows = load_rows(&*chain.store, CHAIN, 0, usize::MAX).unwrap();
            prop_assert!(rows.iter().map(|(number, _)| *number).eq(bounds.oldest..bounds.next));
            for (number, row) in rows {
                let before = seen.insert(number, row.clone());
                prop_assert!(before.is_none_or(|before| before == row), "row {} changed", number);
            }
            prop_assert!(seen.keys().copied().eq(0..bounds.next), "a row was skipped");
            let mut follower = chain.follower(); // as after a restart
            for _ in 0..steps {
                if follower.step().unwrap() == StageProgress::Idle {
                    chain.check_said();
                }
            }
            if let Some(now) = follower.cursor().unwrap() {
                prop_assert!(cursor <= now, "the cursor fell");
                cursor = now;
            }
        }
        settle(&mut chain.follower());
        chain.check_said();
    }

    /// Rows that are applied again change nothing.
    #[test]
    fn a_replay_changes_nothing(
        life in proptest::collection::vec((0..3_u8, 1..5_u64), 1..30),
        back in 0..30_u64,
    ) {
        let mut chain = Life::new();
        let mut follower = chain.follower();
        for (what, much) in life {
            chain.happens(what, much);
            settle(&mut follower);
        }
        let bounds = load_bounds(&*chain.store, CHAIN).unwrap().unwrap();
        let cursor = bounds.next.saturating_sub(back).max(bounds.oldest);
        let mut batch = WriteBatch::new();
        let place = [&cursor.to_be_bytes()[..], &[0, 0]].concat();
        batch.put(Table::Stage, stage_key("hashes", FEED), place);
        chain.store.commit(batch).unwrap();
        settle(&mut follower);
        chain.check_said();
    }
}

/// A stage that nobody takes along keeps no row: when it is taken along again it is built anew, page by
/// page, out of what is held.
#[test]
fn a_stuck_stage_never_holds_pruning() {
    let mut chain = Life::new();
    let mut follower = chain.follower();
    chain.happens(0, 700);
    assert!(settle(&mut follower) > 2, "it is built in pages");
    chain.check_said();
    for _ in 0..40 {
        chain.now += KEPT_SECONDS + 1;
        chain.happens(1, 3);
        let bounds = load_bounds(&*chain.store, CHAIN).unwrap().unwrap();
        assert!(bounds.next - bounds.oldest <= 6, "{bounds:?}");
    }
    let before = follower.cursor().unwrap().unwrap();
    assert!(matches!(follower.step(), Ok(StageProgress::Rebuilt { .. })));
    assert_eq!(follower.cursor().unwrap(), None, "it is being built");
    settle(&mut follower);
    chain.check_said();
    assert!(follower.cursor().unwrap() > Some(before));
}

/// Two that take one stage along do not both write: each commit expects where the step began.
#[test]
fn one_of_two_followers_goes_on() {
    let chain = Life::new();
    let batch = |follower: &mut Follower<Hashes>| follower.step();
    assert!(batch(&mut chain.follower()).is_ok());
    let state = || chain.store.get(Table::Stage, &stage_key("hashes", FEED)).unwrap();
    let held = state();
    let mut late = WriteBatch::new();
    late.expect(Table::Stage, stage_key("hashes", FEED), None);
    assert!(matches!(chain.store.commit(late), Err(StoreError::Conflict { .. })));
    assert_eq!(state(), held);
}

/// Two writers of one feed do not both write a row.
#[test]
fn a_row_is_written_once() {
    let chain = Life::new();
    let prepare = || {
        let (mut batch, mut changes) = (WriteBatch::new(), Changes::default());
        changes.body(BlockNumber(0));
        append(&mut batch, &*chain.store, CHAIN, changes, UnixSeconds(100), KEPT_SECONDS).unwrap();
        batch
    };
    let (one, other) = (prepare(), prepare());
    chain.store.commit(one).unwrap();
    assert!(matches!(chain.store.commit(other), Err(StoreError::Conflict { table: Table::Feed })));
}

#[test]
fn nothing_that_changed_writes_no_row() {
    let chain = Life::new();
    let mut batch = WriteBatch::new();
    let nothing = Changes::default();
    append(&mut batch, &*chain.store, CHAIN, nothing, UnixSeconds(9_999), KEPT_SECONDS).unwrap();
    assert!(batch.is_empty());
    let other = ChainKey { id: ChainId(2), ..CHAIN };
    assert_eq!(load_bounds(&*chain.store, other).unwrap(), None);
    let mut follower = Follower::new(chain.store.clone(), Feed::Chain(other), Hashes);
    assert_eq!(follower.step().unwrap(), StageProgress::Idle);
}

/// A block costs its hash as a head, and next to nothing when it is final.
#[test]
fn a_block_costs_tens_of_bytes() {
    let mut chain = Life::new();
    chain.happens(0, 1);
    chain.happens(2, 1);
    let bytes = |number| {
        let key = crate::layout::feed_key(CHAIN, number);
        key.len() + chain.store.get(Table::Feed, &key).unwrap().unwrap().len()
    };
    assert_eq!((bytes(1), bytes(2)), (79, 51));
    assert_eq!(chain_key(CHAIN).len(), 9);
}

/// Publications have a feed of their own, numbered by sequence.
#[test]
fn publications_are_followed_from_the_first() {
    struct PublishedRoots(Vec<(Sequence, Hash)>);
    impl FeedStage for PublishedRoots {
        type Error = StoreError;
        fn name(&self) -> &'static str {
            "seen"
        }
        fn apply(
            &mut self,
            _: &dyn Store,
            feed: Feed,
            changes: &[FeedChange],
            _: &mut WriteBatch,
        ) -> Result<(), StoreError> {
            assert_eq!(feed, Feed::Publications);
            self.0.extend(changes.iter().map(|change| match change {
                FeedChange::Published { sequence, hash } => (*sequence, *hash),
                other => panic!("{other:?}"),
            }));
            Ok(())
        }
        fn clear(
            &mut self,
            _: &dyn Store,
            _: Feed,
            _: &mut WriteBatch,
        ) -> Result<bool, StoreError> {
            Ok(true)
        }
    }
    let chain = Life::new();
    let hash = |sequence: Sequence| Hash([sequence.0 as u8; 32]);
    for sequence in (0..100).map(Sequence) {
        let mut batch = WriteBatch::new();
        put_publication(&mut batch, sequence, &hash(sequence));
        chain.store.commit(batch).unwrap();
    }
    let mut follower =
        Follower::new(chain.store.clone(), Feed::Publications, PublishedRoots(Vec::new()));
    while follower.step().unwrap() != StageProgress::Idle {}
    let expected: Vec<_> =
        (0..100).map(Sequence).map(|sequence| (sequence, hash(sequence))).collect();
    assert_eq!(follower.stage().0, expected);
    assert_eq!(follower.cursor().unwrap(), Some(100));
}
