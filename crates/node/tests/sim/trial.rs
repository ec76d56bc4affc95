//! A stage for trial: which hash stands under each number, by the feed alone. It must say what the store
//! holds, whether it is taken along step by step, falls behind, dies, or is built anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_index::{BlockEvent, EventBlock, EventFilter, EventIndex, EventQuery, Views};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::evm::Receipt;
use superroot_store::feed::{self, Feed, FeedChange, FeedRow, FeedStage, Follower, StageProgress};
use superroot_store::layout::{chain_key, end_of_prefix};
use superroot_store::{MemoryStore, ScanOrder, Store, StoreError, Table, WriteBatch, read};
use superroot_types::{BlockNumber, ChainKey, Hash};

use crate::dice::Dice;
use crate::disk::{Death, Process};

/// Steps within which a stage has caught up.
const STEPS_MAX: usize = 10_000;

/// Number to hash and whether it is final, of each chain.
struct Hashes(&'static str);

impl Hashes {
    fn prefix(&self, feed: Feed) -> Vec<u8> {
        let Feed::Chain(chain) = feed else { unreachable!("it follows chains") };
        [self.0.as_bytes(), &chain_key(chain)].concat()
    }

    fn key(&self, feed: Feed, number: BlockNumber) -> Vec<u8> {
        [&self.prefix(feed)[..], &number.0.to_be_bytes()].concat()
    }

    /// The row as the batch leaves it.
    fn held(&self, store: &dyn Store, batch: &WriteBatch, key: &[u8]) -> Option<Vec<u8>> {
        match batch.written(Table::Meta, key) {
            Some(written) => written.map(<[u8]>::to_vec),
            None => store.get(Table::Meta, key).unwrap(),
        }
    }

    /// Everything it says of a chain.
    fn all(&self, store: &dyn Store, chain: ChainKey) -> Vec<(u64, Hash, bool)> {
        let prefix = self.prefix(Feed::Chain(chain));
        let end = end_of_prefix(&prefix);
        let rows = store
            .scan(Table::Meta, &prefix, end.as_deref(), usize::MAX, ScanOrder::Rising)
            .unwrap();
        let said = rows.iter().map(|(key, value)| {
            let number = key[prefix.len()..].try_into().map(u64::from_be_bytes).unwrap();
            (number, Hash(value[..32].try_into().unwrap()), value[32] == 1)
        });
        said.collect()
    }
}

impl FeedStage for Hashes {
    type Error = StoreError;

    fn name(&self) -> &'static str {
        self.0
    }

    fn apply(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        changes: &[FeedChange],
        batch: &mut WriteBatch,
    ) -> Result<(), StoreError> {
        let Feed::Chain(chain) = feed else { unreachable!("it follows chains") };
        for change in changes {
            match change {
                FeedChange::Taken { from, hashes } => {
                    for (number, hash) in (from.0..).map(BlockNumber).zip(hashes) {
                        let row = read::load_block(store, chain, number)?;
                        if row.is_some_and(|row| row.hash == *hash) {
                            let value = [&hash.0[..], &[0]].concat();
                            batch.put(Table::Meta, self.key(feed, number), value);
                        }
                    }
                }
                FeedChange::Undone { from, hashes } => {
                    for (number, hash) in (from.0..).map(BlockNumber).zip(hashes) {
                        let key = self.key(feed, number);
                        let held = self.held(store, batch, &key);
                        if held.is_some_and(|held| held[..32] == hash.0) {
                            batch.delete(Table::Meta, key);
                        }
                    }
                }
                FeedChange::Final { from, to } => {
                    let numbers = *from..BlockNumber(to.0 + 1);
                    for (number, row) in read::load_blocks(store, chain, numbers, usize::MAX)? {
                        assert!(row.is_final(), "block {number} is said to be final");
                        let value = [&row.hash.0[..], &[1]].concat();
                        batch.put(Table::Meta, self.key(feed, number), value);
                    }
                }
                FeedChange::Body { .. } | FeedChange::Retracted { .. } => {}
                FeedChange::Published { .. } => panic!("a publication in the feed of a chain"),
            }
        }
        Ok(())
    }

    fn clear(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        batch: &mut WriteBatch,
    ) -> Result<bool, StoreError> {
        let prefix = self.prefix(feed);
        let end = end_of_prefix(&prefix);
        let rows = store.scan(Table::Meta, &prefix, end.as_deref(), 16, ScanOrder::Rising)?;
        for (key, _) in &rows {
            batch.delete(Table::Meta, key.clone());
        }
        Ok(rows.len() < 16)
    }
}

/// Stages for trial over the chains of a run.
pub(crate) struct Trial {
    disk: Arc<MemoryStore>,
    chains: Vec<ChainKey>,
    prompt: Vec<Follower<Hashes>>,
    /// Taken along now and then, by a process of its own that dies now and then.
    lagging: Vec<Follower<Hashes>>,
    /// The index of events, taken along in the same way.
    events: Vec<Follower<EventIndex>>,
    process: Arc<Process>,
    dice: Dice,
    /// Rows that were read, and must stay as they are.
    rows: BTreeMap<ChainKey, BTreeMap<u64, FeedRow>>,
    cursors: BTreeMap<ChainKey, u64>,
    /// Times that a stage that was behind was built anew.
    pub(crate) rebuilt: u64,
    /// Events that the index had in the end.
    pub(crate) found: u64,
}

impl Trial {
    pub(crate) fn over(disk: &Arc<MemoryStore>, chains: Vec<ChainKey>, seed: u64) -> Self {
        let process = Process::on(disk.clone());
        let follower = |name, chain: &ChainKey, store: Arc<dyn Store>| {
            Follower::new(store, Feed::Chain(*chain), Hashes(name))
        };
        let prompt = chains.iter().map(|chain| follower("prompt", chain, disk.clone())).collect();
        let lagging =
            chains.iter().map(|chain| follower("lagging", chain, process.clone())).collect();
        let events = chains.iter().map(|chain| indexing(chain, process.clone())).collect();
        let (rows, cursors) = (BTreeMap::new(), BTreeMap::new());
        let (disk, dice) = (disk.clone(), Dice::new(seed, "trial"));
        let (rebuilt, found) = (0, 0);
        Self { disk, chains, prompt, lagging, events, process, dice, rows, cursors, rebuilt, found }
    }

    /// Some steps of stages that fall behind; now and then they die at a commit.
    pub(crate) fn lag(&mut self) {
        if self.dice.percent(60) {
            return;
        }
        if self.dice.percent(30) {
            let (commits, death) =
                (self.dice.below(3), self.dice.pick(&[Death::Before, Death::After]));
            self.process.dies_after(commits, death);
        }
        for index in 0..self.lagging.len() {
            for _ in 0..self.dice.below(4) {
                let before = self.lagging[index].cursor().unwrap();
                match self.lagging[index].step() {
                    Ok(StageProgress::Rebuilt { .. }) if before.is_some() => self.rebuilt += 1,
                    Ok(_) => {}
                    Err(error) => {
                        assert!(self.process.is_dead(), "a stage failed: {error}");
                        self.reopen();
                    }
                }
            }
            for _ in 0..self.dice.below(4) {
                if let Err(error) = self.events[index].step() {
                    assert!(self.process.is_dead(), "the index of events failed: {error}");
                    self.reopen();
                }
            }
            if self.dice.percent(3) {
                self.check_events(index);
            }
        }
    }

    fn reopen(&mut self) {
        self.process = Process::on(self.disk.clone());
        let follower = |chain: &ChainKey| {
            let store: Arc<dyn Store> = self.process.clone();
            Follower::new(store, Feed::Chain(*chain), Hashes("lagging"))
        };
        self.lagging = self.chains.iter().map(follower).collect();
        let events = self.chains.iter().map(|chain| indexing(chain, self.process.clone()));
        self.events = events.collect();
    }

    /// The feed only grows, and the stage that keeps up says what is held.
    pub(crate) fn check(&mut self) {
        for index in 0..self.chains.len() {
            self.check_rows(self.chains[index]);
            settle(&mut self.prompt[index]);
            self.check_said(index, "prompt");
            let cursor = self.prompt[index].cursor().unwrap();
            if let Some(cursor) = cursor {
                let before = self.cursors.insert(self.chains[index], cursor);
                assert!(before.is_none_or(|before| before <= cursor), "a cursor fell");
            }
        }
    }

    /// No row is skipped, exchanged, or gone but by its age.
    fn check_rows(&mut self, chain: ChainKey) {
        let Some(bounds) = feed::load_bounds(&*self.disk, chain).unwrap() else {
            assert!(!self.rows.contains_key(&chain), "a feed is gone");
            return;
        };
        let known = self.rows.entry(chain).or_default();
        let next = known.last_key_value().map_or(0, |(number, _)| number + 1);
        assert!(next <= bounds.next, "rows of a feed are gone");
        known.retain(|number, _| *number >= bounds.oldest);
        let rows = feed::load_rows(&*self.disk, chain, 0, usize::MAX).unwrap();
        assert!(rows.iter().map(|(number, _)| *number).eq(bounds.oldest..bounds.next));
        for (number, row) in rows {
            let before = known.insert(number, row.clone());
            assert!(before.is_none_or(|before| before == row), "row {number} was exchanged");
        }
    }

    fn check_said(&self, index: usize, name: &'static str) {
        let chain = self.chains[index];
        let start = read::load_chain_state(&*self.disk, chain).unwrap().map(|state| state.start);
        let held = start.map_or(Vec::new(), |start| {
            let numbers = start..BlockNumber(u64::MAX);
            read::load_blocks(&*self.disk, chain, numbers, usize::MAX).unwrap()
        });
        let held = held.into_iter().map(|(number, row)| (number.0, row.hash, row.is_final()));
        let said = Hashes(name).all(&*self.disk, chain);
        assert!(held.eq(said), "the {name} stage says something else than is held");
    }

    /// The index of events says which blocks it has not taken; of all others it has what is held. Gives how
    /// many events that are.
    fn check_events(&self, index: usize) -> usize {
        let chain = self.chains[index];
        let state = read::load_chain_state(&*self.disk, chain).unwrap();
        let from = state.map_or(BlockNumber(0), |state| state.start);
        let query = EventQuery {
            chain,
            filter: EventFilter::default(),
            from,
            to: BlockNumber(u64::MAX),
            direction: ScanOrder::Rising,
            at: None,
            limit: usize::MAX,
            examined_max: usize::MAX,
            data_bytes_max: usize::MAX,
        };
        let found = superroot_index::find(&*self.disk, &query).unwrap();
        let is_taken = |number: BlockNumber| {
            !found.pending.iter().any(|(first, last)| (*first..=*last).contains(&number))
        };
        let mut held = Vec::new();
        for (number, block) in
            read::load_blocks(&*self.disk, chain, from..query.to, usize::MAX).unwrap()
        {
            let Some(Body::Evm(tries)) = read::load_body(&*self.disk, chain, number).unwrap()
            else {
                continue;
            };
            let Some(receipts) = tries.receipts.filter(|_| is_taken(number)) else { continue };
            let count = block.tx_count.unwrap_or(0);
            for tx_index in (0..count).filter(|tx_index| block.kept.holds(*tx_index)) {
                let leaf = receipts.leaf(tx_index.into()).unwrap().unwrap();
                let logs = Receipt::decode(leaf).unwrap().logs;
                held.extend((0_u32..).zip(logs).map(|(log_index, log)| {
                    (number, block.hash, tx_index, log_index, log.address.0.to_vec(), log.data)
                }));
            }
        }
        let said =
            found.events.into_iter().filter(|hit| is_taken(hit.position.number)).map(|hit| {
                let BlockEvent { tx_index, log_index, mut addresses, data, .. } = hit.event;
                let number = hit.position.number;
                (number, hit.block_hash, tx_index, log_index, addresses.remove(0), data.unwrap())
            });
        assert!(said.eq(held.iter().cloned()), "the index has other events than are held");
        held.len()
    }

    /// Pools and orders have the rows that the events of the blocks held make, and no others.
    fn check_views(&self, index: usize) {
        let chain = self.chains[index];
        let all = |number: BlockNumber| EventQuery {
            chain,
            filter: EventFilter::default(),
            from: number,
            to: number,
            direction: ScanOrder::Rising,
            at: None,
            limit: usize::MAX,
            examined_max: usize::MAX,
            data_bytes_max: usize::MAX,
        };
        let (mut rows, views) = (Vec::new(), views());
        let numbers = BlockNumber(0)..BlockNumber(u64::MAX);
        for (number, block) in read::load_blocks(&*self.disk, chain, numbers, usize::MAX).unwrap() {
            let found = superroot_index::find(&*self.disk, &all(number)).unwrap().events;
            let events: Vec<BlockEvent> = found.into_iter().map(|hit| hit.event).collect();
            let (hash, timestamp) = (block.hash, block.timestamp);
            let block = EventBlock { chain, number, hash, timestamp, events: &events };
            views.iter().for_each(|view| view.put(&block, &mut rows));
        }
        rows.sort();
        let mut held = Vec::new();
        for (table, prefix) in views.iter().flat_map(|view| view.prefixes(chain)) {
            let end = end_of_prefix(&prefix);
            let direction = ScanOrder::Rising;
            let found = self.disk.scan(table, &prefix, end.as_deref(), usize::MAX, direction);
            held.extend(found.unwrap().into_iter().map(|(key, value)| (table, key, value)));
        }
        held.sort();
        assert!(held == rows, "rows of pools or orders that no block held makes, or too few");
    }

    /// Everybody catches up, and it comes to the same.
    pub(crate) fn end(&mut self) {
        self.reopen();
        self.check();
        for index in 0..self.chains.len() {
            settle(&mut self.lagging[index]);
            self.check_said(index, "lagging");
            settle(&mut self.events[index]);
            self.found += self.check_events(index) as u64;
            self.check_views(index);
        }
    }
}

fn indexing(chain: &ChainKey, store: Arc<dyn Store>) -> Follower<EventIndex> {
    Follower::new(store, Feed::Chain(*chain), EventIndex::with(views()))
}

fn views() -> Views {
    Arc::from([
        Box::new(superroot_market::PoolView) as _,
        Box::new(superroot_order::OrderView) as _,
    ])
}

fn settle<S: FeedStage>(follower: &mut Follower<S>)
where
    S::Error: std::fmt::Debug,
{
    for _ in 0..STEPS_MAX {
        if follower.step().unwrap() == StageProgress::Idle {
            return;
        }
    }
    panic!("a stage never catches up");
}
