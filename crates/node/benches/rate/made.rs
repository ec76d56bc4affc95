//! Chains made up beforehand, each with as many blocks as it has in the time that is measured.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_source::{BlockSource, Recorder};
use superroot_types::{BlockNumber, Family, ManualClock, UnixSeconds};

/// Blocks of each chain that are there at first.
pub(crate) const AT_START: usize = 8;
/// First id of the run's own rows.
const OWN_ID: u64 = 40_001;
/// Transactions a second of a chain with Ethereum's rules.
const EVM_PER_SECOND: u64 = 50;
/// Transactions of a block, of chains that have rows.
const ETHEREUM: (&str, u16) = ("ethereum", 600);
const OTHERS: [(&str, u16); 7] = [
    ("solana", 1_000),
    ("polkadot", 30),
    ("tron", 250),
    ("aptos", 20),
    ("sui", 20),
    ("icp", 1),
    ("cosmoshub", 15),
];

/// A chain, as it was recorded.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) id: u64,
    pub(crate) block_time_ms: u64,
    /// Bytes of its recordings.
    pub(crate) bytes: u64,
    /// Number of the first block.
    first: u64,
    /// Number of the last block.
    pub(crate) last: u64,
    transactions: u16,
}

impl Chain {
    pub(crate) fn transactions_per_second(&self) -> f64 {
        f64::from(self.transactions) * 1_000.0 / self.block_time_ms as f64
    }

    /// When a block appeared, where nodes began then; `None` of those that were there.
    pub(crate) fn appeared(&self, number: u64, began: Instant) -> Option<Instant> {
        let after = (number + 1).checked_sub(self.first + AT_START as u64)?;
        (after > 0).then(|| began + Duration::from_millis(after * self.block_time_ms))
    }
}

/// Rows with Ethereum's rules and the block times of the EVM family's others.
pub(crate) fn own_rows() -> String {
    let rows = ChainRegistry::builtin().rows().iter();
    let rows = rows.filter(|row| row.family() == Family::Evm && row.slug != "ethereum");
    let row = |(id, row): (u64, &ChainSpec)| {
        crate::support::anvil::rows([id])
            .replace("block_time_ms = 1000", &format!("block_time_ms = {}", row.block_time_ms))
    };
    (OWN_ID..).zip(rows).map(row).collect()
}

/// Makes and records the chains.
pub(crate) async fn record(folder: &Path, seconds: u64) -> Vec<Chain> {
    let mut chains = record_evm(folder, seconds).await;
    for (slug, transactions) in OTHERS {
        chains.push(record_one(folder, &builtin(slug), transactions, seconds).await);
    }
    chains
}

/// Makes and records those with Ethereum's rules.
pub(crate) async fn record_evm(folder: &Path, seconds: u64) -> Vec<Chain> {
    let (own, (slug, transactions)) = (ChainRegistry::parse(&own_rows()).unwrap(), ETHEREUM);
    let mut chains = vec![record_one(folder, &builtin(slug), transactions, seconds).await];
    for row in own.rows() {
        let transactions = row.block_time_ms * EVM_PER_SECOND / 1_000;
        let transactions = u16::try_from(transactions).unwrap_or(u16::MAX).max(1);
        chains.push(record_one(folder, row, transactions, seconds).await);
    }
    chains
}

fn builtin(slug: &str) -> ChainSpec {
    ChainRegistry::builtin().find(slug).unwrap().clone().as_simulated()
}

async fn record_one(folder: &Path, row: &ChainSpec, transactions: u16, seconds: u64) -> Chain {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let count = AT_START as u64 + seconds * 1_000 / row.block_time_ms + 1;
    let config = SimulatedConfig {
        block_time_seconds: 1,
        reorgs: false,
        transactions: Some(transactions),
        ..SimulatedConfig::new(1, UnixSeconds(now - count + 1))
    };
    let clock = Arc::new(ManualClock::at(UnixSeconds(now)));
    let source = SimulatedChain::new(row, config, clock).unwrap();
    let last = source.fetch_tip().await.unwrap().head.number.0;
    let first = last + 1 - count;
    let mut recorder = Recorder::open(folder, row).unwrap();
    let (numbers, bytes_before) = ((first..=last).map(BlockNumber), folder_bytes(folder));
    recorder.record(&source, numbers, |_| {}).await.unwrap();
    assert_eq!(recorder.block_count() as u64, count, "{}", row.name);
    let (id, block_time_ms) = (row.id.0, row.block_time_ms);
    let bytes = folder_bytes(folder) - bytes_before;
    Chain { id, block_time_ms, bytes, first, last, transactions }
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => folder_bytes(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    });
    bytes.sum()
}
