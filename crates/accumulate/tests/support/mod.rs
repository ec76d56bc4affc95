//! A store that fills with blocks of simulated chains, as a collector would fill it.
#![allow(dead_code, unreachable_pub)]

use std::sync::Arc;

use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::Prover;
use superroot_chain::finality::{FinalityAnchor, OneSource, check};
use superroot_chain::{
    ChainRegistry, ChainSpec, Encoding, EvidenceVerdict, FinalBlock, FinalityEvidence,
    VerifiedBlock,
};
use superroot_source::BlockSource;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_store::layout::{BlockTip, ChainState, HaltRow, KeptEntries, RetractionRow};
use superroot_store::{MemoryStore, Store, WriteBatch, read, write};
use superroot_types::{BlockNumber, ChainKey, ManualClock, UnixSeconds};

pub const ORIGIN: &str = "simulated/accumulate-tests";
pub const GENESIS: u64 = 1_700_000_000;

pub struct Chain {
    pub row: ChainSpec,
    source: Arc<SimulatedChain>,
}

/// A simulated chain whose clock stands far ahead, so that every block is there.
pub fn chain(slug: &str, quiet_until: u64) -> Chain {
    chain_of(slug, quiet_until, 5)
}

/// The same with blocks of its own.
pub fn chain_of(slug: &str, quiet_until: u64, seed: u64) -> Chain {
    chain_until(slug, quiet_until, seed, 100_000).unwrap()
}

/// The same with that many blocks; `None` of a chain that cannot be simulated in Ethereum's form.
pub fn chain_until(slug: &str, quiet_until: u64, seed: u64, blocks: u64) -> Option<Chain> {
    let row = ChainRegistry::builtin().find(slug).unwrap().clone().read_as(Encoding::Ethereum);
    let config = SimulatedConfig {
        seed,
        genesis_time: UnixSeconds(GENESIS),
        block_time_seconds: 1,
        finality_depth: 8,
        reorgs: false,
        quiet_until,
        transactions: None,
    };
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + blocks)));
    let source = Arc::new(SimulatedChain::new(&row, config, clock).ok()?);
    Some(Chain { row, source })
}

impl Chain {
    pub fn key(&self) -> ChainKey {
        self.row.key()
    }

    pub fn block(&self, number: u64) -> VerifiedBlock {
        self.blocks(number..number + 1).next().unwrap()
    }

    pub fn blocks(&self, numbers: std::ops::Range<u64>) -> impl Iterator<Item = VerifiedBlock> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        numbers.map(move |number| {
            let block = runtime.block_on(self.source.fetch_whole(BlockNumber(number)));
            superroot_chain::verify(&self.row, &block.unwrap().unwrap()).unwrap()
        })
    }
}

pub fn evidence() -> FinalityEvidence {
    FinalityEvidence::OneSource(OneSource { name: "test".into(), rule: "test".into() })
}

pub fn as_final(block: &VerifiedBlock) -> FinalBlock {
    match check(evidence(), vec![block.clone().into()], &FinalityAnchor::OneSource, UnixSeconds(0))
    {
        EvidenceVerdict::Final(mut blocks) => blocks.remove(0),
        refused => panic!("{refused:?}"),
    }
}

pub struct Log {
    pub store: Arc<dyn Store>,
    pub accumulator: Accumulator,
}

impl Log {
    pub fn new() -> Self {
        Self::over(Arc::new(MemoryStore::new()))
    }

    pub fn over(store: Arc<dyn Store>) -> Self {
        let registry = ChainRegistry::builtin().proof_registry().clone();
        let accumulator = Accumulator::open(store.clone(), registry, ORIGIN).unwrap();
        Self { store, accumulator }
    }

    /// Stores final blocks of these numbers; numbers left out are skipped.
    pub fn extend(&self, chain: &Chain, numbers: impl IntoIterator<Item = u64>) {
        let key = chain.key();
        let mut batch = WriteBatch::new();
        let mut state = read::load_chain_state(&*self.store, key).unwrap();
        for number in numbers {
            let block = chain.block(number);
            let start = BlockNumber(number - number % 2048);
            let state = state.get_or_insert_with(|| ChainState::empty(start));
            write::put_final(&mut batch, &*self.store, &as_final(&block), &KeptEntries::All)
                .unwrap();
            let tip = BlockTip { number: block.number(), hash: block.hash() };
            (state.indexed, state.head) = (Some(tip), Some(tip));
            state.checked_to = Some(tip.number);
            state.block_count += 1;
        }
        write::put_chain_state(&mut batch, key, &state.unwrap());
        self.store.commit(batch).unwrap();
    }

    /// Stores older final blocks, down to `start`, and lets the run begin there.
    pub fn fill_down(&self, chain: &Chain, start: u64) {
        let key = chain.key();
        let mut state = read::load_chain_state(&*self.store, key).unwrap().unwrap();
        let mut batch = WriteBatch::new();
        for number in start..state.start.0 {
            let block = chain.block(number);
            write::put_final(&mut batch, &*self.store, &as_final(&block), &KeptEntries::All)
                .unwrap();
            state.block_count += 1;
        }
        state.start = BlockNumber(start);
        write::put_chain_state(&mut batch, key, &state);
        self.store.commit(batch).unwrap();
    }

    /// Stores the next final block with these of its entries.
    pub fn extend_kept(&self, chain: &Chain, number: u64, kept: &[u32]) {
        let (key, block) = (chain.key(), chain.block(number));
        let mut batch = WriteBatch::new();
        let state = read::load_chain_state(&*self.store, key).unwrap();
        let mut state = state.unwrap_or_else(|| ChainState::empty(BlockNumber(number)));
        let kept = KeptEntries::Some(kept.to_vec());
        write::put_final(&mut batch, &*self.store, &as_final(&block), &kept).unwrap();
        let tip = BlockTip { number: block.number(), hash: block.hash() };
        (state.indexed, state.head) = (Some(tip), Some(tip));
        state.checked_to = Some(tip.number);
        state.block_count += 1;
        write::put_chain_state(&mut batch, key, &state);
        self.store.commit(batch).unwrap();
    }

    /// Notes that nodes agree on another block there, and halts the chain.
    pub fn take_back(&self, chain: &Chain, number: u64) {
        let (key, number, mut batch) = (chain.key(), BlockNumber(number), WriteBatch::new());
        let held = read::load_block(&*self.store, key, number).unwrap().unwrap();
        let row = RetractionRow {
            held_hash: held.hash,
            other_hash: superroot_types::Hash([7; 32]),
            evidence: evidence(),
            noticed_at: UnixSeconds(1),
            other_header: None,
        };
        write::put_retraction(&mut batch, &*self.store, key, number, &row).unwrap();
        let (since, reason) = (UnixSeconds(1), "taken back".to_owned());
        write::put_halt(&mut batch, key, &HaltRow { number, since, reason });
        self.store.commit(batch).unwrap();
    }

    pub fn step(&mut self, now: u64) -> superroot_accumulate::AccumulateProgress {
        self.accumulator.step(UnixSeconds(now)).unwrap()
    }

    pub fn prover(&self) -> Prover {
        Prover::new(self.store.clone(), self.accumulator.board())
    }
}
