//! A simulated chain behind nodes that do what a test says, and a collector over them.
#![allow(dead_code, unreachable_pub)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use superroot_chain::ledger::evm::raw::RawTransactions;
use superroot_chain::{
    ChainRegistry, ChainSpec, Encoding, FinalityEvidence, UntrustedBlock, VerifiedBlock,
};
use superroot_collect::{
    CollectConfig, CollectError, CollectProgress, CollectStep, Collector, Repaired,
};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, ClaimedBlock, FetchedBlock, Fetching, FinalityAgreement,
    LiveNodes, MissingBody, NodesReport, QuorumSize, SourceDescription, SourceError, SourceTip,
};
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::layout::{BlockRow, ChainState, HeldRun, StoredRow};
use superroot_store::{MemoryStore, Row, ScanOrder, Store, Table, read};
use superroot_types::*;

pub const GENESIS: u64 = 1_700_000_000;
pub const NOW: UnixSeconds = UnixSeconds(1_800_000_000);

pub fn row() -> ChainSpec {
    ChainRegistry::builtin().find("ethereum").unwrap().clone().read_as(Encoding::Ethereum)
}

pub fn simulated(seed: u64, clock: &Arc<ManualClock>) -> Arc<SimulatedChain> {
    simulated_with(seed, clock, true, 0)
}

pub fn simulated_with(
    seed: u64,
    clock: &Arc<ManualClock>,
    reorgs: bool,
    quiet_until: u64,
) -> Arc<SimulatedChain> {
    let config = SimulatedConfig {
        seed,
        genesis_time: UnixSeconds(GENESIS),
        block_time_seconds: 1,
        finality_depth: 8,
        reorgs,
        quiet_until,
        transactions: None,
    };
    Arc::new(SimulatedChain::new(&row(), config, clock.clone()).unwrap())
}

pub fn small() -> CollectConfig {
    let watch = superroot_collect::WatchFilter::All;
    CollectConfig {
        blocks_per_step_max: 7,
        fetches_max: 3,
        head_blocks_max: 64,
        watch,
        ..CollectConfig::default()
    }
}

/// What a node does when it is asked for a block.
#[derive(Clone)]
pub enum Act {
    Honest,
    /// It gives the block under that number of another chain.
    Other(Arc<SimulatedChain>),
    Bend(Bender),
    Withhold,
    Fail,
    /// As many operators as must agree give the block without its receipts, and say that instead.
    NoReceipts(Option<MissingBody>),
    /// Its file of the block cannot be read.
    Unreadable,
    /// It takes so long.
    Slow(Duration),
}

/// What the nodes agree on.
#[derive(Clone)]
pub enum Agree {
    Honest,
    /// They speak for themselves.
    Unnamed,
    Other(Arc<SimulatedChain>),
    Fail,
}

/// What makes another block of one.
pub type Bender = fn(UntrustedBlock) -> UntrustedBlock;

type ActOf = dyn Fn(BlockAt, u32) -> Act + Send + Sync;
type AgreeOf = dyn Fn(BlockNumber) -> Agree + Send + Sync;

/// Nodes of one chain. `act` is told what is asked for, and how often that number was asked for.
pub struct Nodes {
    pub chain: Arc<SimulatedChain>,
    /// Of a recording: the numbers that are in it.
    pub numbers: Option<Vec<u64>>,
    pub act: Mutex<Box<ActOf>>,
    pub agree: Mutex<Box<AgreeOf>>,
    pub asked: Mutex<Vec<(BlockAt, BlockParts)>>,
    pub blamed: Mutex<Vec<String>>,
    /// The head that they name instead of the chain's.
    pub head: Mutex<Option<ClaimedBlock>>,
    /// What other nodes than those asked first send; honest ones do unless this is set.
    pub others: Mutex<Option<Bender>>,
    /// They do not agree on how far the chain is.
    pub no_tip: Mutex<bool>,
    counts: Mutex<BTreeMap<u64, u32>>,
}

impl Nodes {
    pub fn new(chain: Arc<SimulatedChain>) -> Arc<Self> {
        Self::over(chain, None)
    }

    /// A recording of some of the chain's blocks.
    pub fn recorded(chain: Arc<SimulatedChain>, numbers: &[u64]) -> Arc<Self> {
        Self::over(chain, Some(numbers.to_vec()))
    }

    fn over(chain: Arc<SimulatedChain>, numbers: Option<Vec<u64>>) -> Arc<Self> {
        Arc::new(Self {
            chain,
            numbers,
            act: Mutex::new(Box::new(|_, _| Act::Honest)),
            agree: Mutex::new(Box::new(|_| Agree::Honest)),
            asked: Mutex::default(),
            blamed: Mutex::default(),
            head: Mutex::default(),
            others: Mutex::default(),
            no_tip: Mutex::default(),
            counts: Mutex::default(),
        })
    }

    pub fn act(&self, act: impl Fn(BlockAt, u32) -> Act + Send + Sync + 'static) {
        *self.act.lock().unwrap() = Box::new(act);
    }

    pub fn agree(&self, agree: impl Fn(BlockNumber) -> Agree + Send + Sync + 'static) {
        *self.agree.lock().unwrap() = Box::new(agree);
    }

    pub fn asked(&self) -> Vec<(BlockAt, BlockParts)> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    pub fn blamed(&self) -> Vec<String> {
        std::mem::take(&mut *self.blamed.lock().unwrap())
    }
}

impl Nodes {
    async fn block_of_others(
        &self,
        at: BlockAt,
        parts: BlockParts,
        not_of: &[Arc<str>],
    ) -> Result<Option<FetchedBlock>, SourceError> {
        let bend = *self.others.lock().unwrap();
        let name = ["second", "third"].into_iter().find(|name| !not_of.contains(&(*name).into()));
        let Some(name) = name else { return Ok(None) };
        let fetched = self.chain.fetch_block(at, parts, &[]).await?;
        Ok(fetched.map(|fetched| {
            let block = bend.map_or(fetched.block.clone(), |bend| bend(fetched.block));
            FetchedBlock { block: cut(block, parts), sender: name.into(), body_fault: None }
        }))
    }
}

/// What the chain itself has under that number.
pub async fn honest(chain: &SimulatedChain, number: u64) -> VerifiedBlock {
    let block = chain.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
    superroot_chain::verify(&row(), &block).unwrap()
}

fn unavailable() -> SourceError {
    SourceError::ShuttingDown
}

impl BlockSource for Nodes {
    fn about(&self) -> SourceDescription<'_> {
        let network = if self.numbers.is_some() { Network::Recorded } else { Network::Live };
        SourceDescription { name: "nodes", network, ..self.chain.about() }
    }

    fn fetch_tip(&self) -> Fetching<'_, SourceTip> {
        let (named, fails) = (*self.head.lock().unwrap(), *self.no_tip.lock().unwrap());
        Box::pin(async move {
            if fails {
                return Err(unavailable());
            }
            let tip = self.chain.fetch_tip().await?;
            if let Some(last) = self.numbers.as_ref().and_then(|numbers| numbers.last()) {
                let id = ClaimedBlock { number: BlockNumber(*last), hash: Hash::ZERO };
                return Ok(SourceTip { head: id, safe: None, finalized: id });
            }
            Ok(SourceTip { head: named.unwrap_or(tip.head), ..tip })
        })
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: BlockParts,
        not_of: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>> {
        if !not_of.is_empty() {
            return Box::pin(self.block_of_others(at, parts, not_of));
        }
        self.asked.lock().unwrap().push((at, parts));
        let count = {
            let mut counts = self.counts.lock().unwrap();
            let count = counts.entry(at.number().0).or_default();
            *count += 1;
            *count
        };
        let act = (self.act.lock().unwrap())(at, count);
        Box::pin(async move {
            let (chain, sender) = match &act {
                Act::Withhold => return Ok(None),
                Act::Fail => return Err(unavailable()),
                Act::Unreadable => {
                    let (path, why) = ("/srv/recordings/x.json".into(), "is no recording".into());
                    return Err(SourceError::Recording { path, why });
                }
                Act::Other(other) => (other, "liar"),
                Act::Bend(_) => (&self.chain, "liar"),
                Act::Honest | Act::NoReceipts(_) => (&self.chain, "honest"),
                Act::Slow(time) => {
                    tokio::time::sleep(*time).await;
                    (&self.chain, "honest")
                }
            };
            let fetched = chain.fetch_block(at, parts, &[]).await?;
            Ok(fetched.map(|fetched| {
                let (block, body_fault) = match act {
                    Act::Bend(bend) => (bend(fetched.block), None),
                    Act::NoReceipts(fault) => (without_receipts(fetched.block), fault),
                    _ => (fetched.block, None),
                };
                let body_fault = body_fault.filter(|_| parts == BlockParts::Whole);
                FetchedBlock { block: cut(block, parts), sender: sender.into(), body_fault }
            }))
        })
    }

    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, FinalityAgreement> {
        let agree = (self.agree.lock().unwrap())(number);
        Box::pin(async move {
            let hash = match agree {
                Agree::Fail => return Err(unavailable()),
                Agree::Unnamed => None,
                Agree::Honest => Some(honest(&self.chain, number.0).await.hash()),
                Agree::Other(other) => Some(honest(&other, number.0).await.hash()),
            };
            let sources = vec!["one".to_owned(), "two".to_owned()];
            Ok(FinalityAgreement { hash, sources, of: 3, rule: "finalized tag".to_owned() })
        })
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
        let listed = self.numbers.as_ref().map(|numbers| {
            let numbers = numbers.iter().filter(|number| **number >= from.0).take(limit);
            numbers.copied().map(BlockNumber).collect()
        });
        Box::pin(std::future::ready(Ok(listed)))
    }

    fn nodes(&self) -> Option<&dyn LiveNodes> {
        self.numbers.is_none().then_some(self)
    }
}

impl LiveNodes for Nodes {
    fn blame(&self, sender: &str, _why: &str) {
        self.blamed.lock().unwrap().push(sender.to_owned());
    }

    fn report(&self) -> NodesReport {
        NodesReport { needed: QuorumSize { agree: 2, of: 3 }, ..NodesReport::default() }
    }
}

/// What a node answers to a question for that much.
fn cut(block: UntrustedBlock, parts: BlockParts) -> UntrustedBlock {
    let UntrustedBlock::Evm(mut evm) = block else { unreachable!("it is of the EVM family") };
    if parts == BlockParts::Header {
        evm.receipts = None;
        evm.block.transactions = RawTransactions::default();
        evm.block.withdrawals = None;
    }
    UntrustedBlock::Evm(evm)
}

pub fn with_other_gas(block: UntrustedBlock) -> UntrustedBlock {
    let UntrustedBlock::Evm(mut evm) = block else { unreachable!("it is of the EVM family") };
    evm.block.gas_used += 1;
    UntrustedBlock::Evm(evm)
}

/// With an entry of a type that the row may call unprovable.
pub fn with_unprovable_entry(block: UntrustedBlock) -> UntrustedBlock {
    let UntrustedBlock::Evm(mut evm) = block else { unreachable!("it is of the EVM family") };
    if let RawTransactions::Full(list) = &mut evm.block.transactions
        && let Some(last) = list.last_mut()
    {
        (last.tx_type, last.hash) = (Some(0x7f), Hash([0x7f; 32]));
    }
    if let Some(last) = evm.receipts.as_mut().and_then(|list| list.last_mut()) {
        (last.tx_type, last.transaction_hash) = (Some(0x7f), Some(Hash([0x7f; 32])));
    }
    UntrustedBlock::Evm(evm)
}

pub fn without_receipts(block: UntrustedBlock) -> UntrustedBlock {
    let UntrustedBlock::Evm(mut evm) = block else { unreachable!("it is of the EVM family") };
    evm.receipts = None;
    UntrustedBlock::Evm(evm)
}

pub fn run(from: u64, to: u64, held: HeldRun) -> CoverageRun {
    CoverageRun { from: BlockNumber(from), to: BlockNumber(to), held }
}

pub struct Bench {
    pub clock: Arc<ManualClock>,
    pub store: Arc<dyn Store>,
    pub collector: Collector,
}

impl Bench {
    pub fn over(source: Arc<dyn BlockSource>, clock: Arc<ManualClock>) -> Self {
        Self::with(Arc::new(MemoryStore::new()), source, clock, small())
    }

    pub fn with(
        store: Arc<dyn Store>,
        source: Arc<dyn BlockSource>,
        clock: Arc<ManualClock>,
        config: CollectConfig,
    ) -> Self {
        let collector = Collector::new(store.clone(), source, row(), config);
        Self { clock, store, collector }
    }

    /// A collector over that store anew, as after a restart.
    pub fn restart(&mut self, source: Arc<dyn BlockSource>, config: CollectConfig) {
        self.collector = Collector::new(self.store.clone(), source, row(), config);
    }

    pub fn new(seed: u64) -> Self {
        let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 30)));
        Self::over(simulated(seed, &clock), clock)
    }

    /// Over nodes whose chain's clock stands at that many blocks.
    pub fn live(seed: u64, blocks: u64, config: CollectConfig) -> (Self, Arc<Nodes>) {
        let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + blocks)));
        let nodes = Nodes::new(simulated_with(seed, &clock, true, 0));
        (Self::with(Arc::new(MemoryStore::new()), nodes.clone(), clock, config), nodes)
    }

    pub async fn step(&mut self) -> Result<CollectStep, CollectError> {
        self.collector.step(NOW).await
    }

    /// Steps until there is nothing to take.
    pub async fn settle(&mut self) -> Result<CollectStep, CollectError> {
        loop {
            let step = self.step().await?;
            if step.progress == CollectProgress::Idle {
                return Ok(step);
            }
        }
    }

    /// Repairs a range in as many steps as it takes; what all of them did.
    pub async fn repair(&mut self, from: u64, to: u64) -> Repaired {
        let (mut all, mut next) = (Repaired::default(), Some(BlockNumber(from)));
        while let Some(from) = next {
            let one = self.collector.repair_step(from, BlockNumber(to), NOW).await.unwrap();
            next = one.next;
            all.examined += one.examined;
            all.repaired += one.repaired;
            all.asked += one.asked;
            all.bare += one.bare;
            all.left.extend(one.left);
        }
        all
    }

    pub fn state(&self) -> ChainState {
        read::load_chain_state(&*self.store, row().key()).unwrap().unwrap()
    }

    pub fn coverage(&self) -> Vec<CoverageRun> {
        coverage::load_coverage(&*self.store, row().key()).unwrap()
    }

    pub fn evidence(&self, number: u64) -> Option<FinalityEvidence> {
        let row = self.block(number);
        read::load_evidence(&*self.store, self.collector.chain(), row.agreed?).unwrap()
    }

    pub fn hash(&self, number: u64) -> Hash {
        self.block(number).hash
    }

    pub fn block(&self, number: u64) -> BlockRow {
        read::load_block(&*self.store, row().key(), BlockNumber(number)).unwrap().unwrap()
    }

    /// What is held is one line: each block names the one below, the tips are the blocks held, what
    /// is said of each run is what is held, and the index names what is kept and nothing else.
    pub fn check(&self) {
        let state = self.state();
        let (indexed, head) = (state.indexed.unwrap(), state.head.unwrap());
        let numbers = state.start..BlockNumber(u64::MAX);
        let blocks = read::load_blocks(&*self.store, row().key(), numbers, 100_000).unwrap();
        let last = blocks.last().unwrap();
        assert_eq!((last.0, last.1.hash), (head.number, head.hash));
        assert_eq!(blocks[0].0, state.start);
        for pair in blocks.windows(2) {
            assert_eq!(pair[0].0.0 + 1, pair[1].0.0, "no gap");
            assert_eq!(pair[0].1.hash, pair[1].1.parent_hash, "one line");
        }
        let mut places = BTreeSet::new();
        for (number, block) in &blocks {
            assert_eq!(block.is_final(), *number <= indexed.number, "block {number}");
            let Some(body) = read::load_body(&*self.store, row().key(), *number).unwrap() else {
                continue;
            };
            for index in (0..block.tx_count.unwrap()).filter(|index| block.kept.holds(*index)) {
                let hash = body.transaction_hash(index).unwrap().unwrap();
                let found = read::find_transaction(&*self.store, row().key(), &hash).unwrap();
                assert!(found.iter().any(|place| place.number == *number), "indexed once");
                assert_eq!(found.len(), 1, "transactions of undone blocks are gone");
                places.insert((number.0, index));
            }
        }
        let indexed_rows = self.rows(Table::Transaction).len();
        let filling = read::load_backfill(&*self.store, row().key()).unwrap().is_some();
        assert!(filling || indexed_rows == places.len(), "rows of the index without a block");
        let said: u64 = self
            .coverage()
            .iter()
            .filter(|run| !matches!(run.held, HeldRun::Refused | HeldRun::Skipped))
            .map(|run| run.to.0 - run.from.0 + 1)
            .sum();
        assert_eq!(said, indexed.number.0 - state.start.0 + 1, "every final block is in a run");
        assert_eq!(state.block_count, said);
    }

    pub fn rows(&self, table: Table) -> Vec<Row> {
        self.store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap()
    }

    /// Everything that is held, but for how it came: by which evidence a block is final, and what was
    /// told of it in which commit.
    pub fn facts(&self) -> Vec<(Table, Vec<Row>)> {
        let mut tables = self.everything();
        tables.retain(|(table, _)| !matches!(table, Table::Evidence | Table::Feed));
        for (table, rows) in &mut tables {
            for (key, value) in rows.iter_mut().filter(|_| *table == Table::Block) {
                let row = BlockRow::decode(key, value).unwrap();
                let agreed = row.agreed.map(|_| BlockNumber(0));
                *value = format!("{:?}", BlockRow { agreed, ..row }).into_bytes();
            }
        }
        tables
    }

    /// Everything that is held, to compare two stores.
    pub fn everything(&self) -> Vec<(Table, Vec<Row>)> {
        Table::ALL.into_iter().map(|table| (table, self.rows(table))).collect()
    }
}

/// The block's id, as asked for.
pub fn is_by_id(at: BlockAt) -> bool {
    matches!(at, BlockAt::Id(ClaimedBlock { .. }))
}
