//! Laws of simulated chains.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use alloy_consensus::{Transaction, TxEnvelope};
use alloy_eips::Decodable2718;
use alloy_primitives::U256;
use proptest::prelude::*;
use superroot_chain::ledger::evm::raw::{RawEvmBlock, RawLog, RawTransactions};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, verify};
use superroot_proof::hash::keccak256;
use superroot_source::simulated::{
    FACTORY, SimulatedChain, SimulatedConfig, USDC, WETH, pair_address,
};
use superroot_source::{BlockSource, SourceTip};
use superroot_types::{Address, BlockNumber, ErrorKind, Family, Hash, ManualClock, UnixSeconds};

const GENESIS: u64 = 1_700_000_000;

fn ethereum() -> &'static ChainSpec {
    ChainRegistry::builtin().find("ethereum").unwrap()
}

fn of_seed(seed: u64) -> SimulatedConfig {
    SimulatedConfig::new(seed, UnixSeconds(GENESIS))
}

/// A chain whose head is at a number that the test sets.
struct Chain {
    source: SimulatedChain,
    clock: Arc<ManualClock>,
    block_time: u64,
}

impl Chain {
    fn new(config: SimulatedConfig) -> Self {
        let clock = Arc::new(ManualClock::at(config.genesis_time));
        let source = SimulatedChain::new(ethereum(), config, clock.clone()).unwrap();
        Self { source, clock, block_time: config.block_time_seconds }
    }

    fn of_seed(seed: u64) -> Self {
        Self::new(of_seed(seed))
    }

    fn set_head(&self, head: u64) {
        self.clock.set(UnixSeconds(GENESIS + head * self.block_time));
    }

    async fn tip(&self) -> SourceTip {
        self.source.fetch_tip().await.unwrap()
    }

    async fn block(&self, number: u64) -> RawEvmBlock {
        let block = self.source.fetch_whole(BlockNumber(number)).await.unwrap();
        let UntrustedBlock::Evm(block) = block.expect("the block is there") else { unreachable!() };
        *block
    }

    async fn hash(&self, number: u64) -> Hash {
        self.block(number).await.block.hash.unwrap()
    }
}

fn on_a_thread<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

/// Pins the generator: a chain of a seed must be the same in every release, or say so.
#[tokio::test]
async fn seed_7_has_these_hashes() {
    let chain = Chain::of_seed(7);
    chain.set_head(300);
    let hashes = [chain.hash(0).await, chain.hash(1).await, chain.hash(200).await];
    assert_eq!(hashes.map(|hash| hash.to_string()), GOLDEN);
}

const GOLDEN: [&str; 3] = [
    "0x6995d9fa15b385b60b14eb4dbb15a621c85d1e736c0febe06a8c9ca72b2aa03e",
    "0xda8b0631dd5272f3ab04cb5bf244f817d31b89206bcc15517d682f781129b2b4",
    "0x0d8634fcaee40e319f9390209e02c925cf4034b6a542c42bbbe5a0b97ba2e0ca",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn one_seed_gives_one_chain_and_another_seed_another(seed: u64, other: u64, head in 2_u64..90) {
        prop_assume!(seed != other);
        on_a_thread(async {
            let (one, same, another) =
                (Chain::of_seed(seed), Chain::of_seed(seed), Chain::of_seed(other));
            for chain in [&one, &same, &another] {
                chain.set_head(head);
            }
            // asked in another order, so that what is kept does not matter
            let early = same.block(head / 2).await;
            prop_assert_eq!(one.tip().await, same.tip().await);
            prop_assert_eq!(one.block(head / 2).await, early);
            prop_assert_ne!(one.tip().await.head.hash, another.tip().await.head.hash);
            Ok(())
        })?;
    }

    /// On both branches, in quiet and in busy times.
    #[test]
    fn every_block_verifies_and_names_the_one_before(seed: u64, quiet_until in 0_u64..400) {
        on_a_thread(async {
            let chain = Chain::new(SimulatedConfig { quiet_until, ..of_seed(seed) });
            for head in [5, 31, 62, 63, 64, 65] {
                chain.set_head(head);
                let mut parent = Hash::ZERO;
                for number in 0..=head {
                    let block = UntrustedBlock::Evm(Box::new(chain.block(number).await));
                    let block = verify(ethereum(), &block).unwrap();
                    prop_assert_eq!(block.number(), BlockNumber(number));
                    prop_assert_eq!(block.parent_hash(), parent);
                    prop_assert_eq!(block.timestamp().0, GENESIS + number * 12);
                    prop_assert_eq!(block.extent().to_string(), "header+transactions+receipts");
                    parent = block.hash();
                }
                prop_assert_eq!(chain.tip().await.head.hash, parent);
            }
            Ok(())
        })?;
    }
}

/// Follows a chain block by block: what was final stays, and what is replaced was not safe.
#[tokio::test]
async fn reorgs_replace_up_to_three_blocks_and_never_a_safe_one() {
    let mut depths = [0_u32; 4];
    for seed in 0..3 {
        let chain = Chain::new(SimulatedConfig { finality_depth: 6, ..of_seed(seed) });
        let mut shown: HashMap<u64, Hash> = HashMap::new();
        let (mut safe, mut finalized) = (0, 0);
        for head in 0..200 {
            chain.set_head(head);
            let tip = chain.tip().await;
            assert_eq!(tip.head.number, BlockNumber(head));
            let mut depth = 0;
            for number in head.saturating_sub(8)..=head {
                let hash = chain.hash(number).await;
                if shown.insert(number, hash).is_some_and(|before| before != hash) {
                    assert!(number > safe && number > finalized, "block {number} at {head}");
                    depth += 1;
                }
            }
            depths[depth] += 1;
            let safe_block = tip.safe.unwrap();
            assert!(finalized <= tip.finalized.number.0 && safe <= safe_block.number.0);
            (safe, finalized) = (safe_block.number.0, tip.finalized.number.0);
            assert_eq!(tip.finalized.hash, shown[&finalized]);
            assert_eq!(safe_block.hash, shown[&safe]);
        }
    }
    assert!(depths[1] > 0 && depths[2] > 0 && depths[3] > 0, "depths seen: {depths:?}");
}

#[tokio::test]
async fn without_reorgs_nothing_is_replaced() {
    let chain = Chain::new(SimulatedConfig { reorgs: false, ..of_seed(1) });
    let mut shown = Vec::new();
    for head in 0..100 {
        chain.set_head(head);
        shown.push(chain.tip().await.head.hash);
    }
    for (number, hash) in (0..).zip(shown) {
        assert_eq!(chain.hash(number).await, hash);
    }
}

#[tokio::test]
async fn a_block_is_there_when_its_time_has_come() {
    let chain = Chain::of_seed(1);
    chain.set_head(3);
    assert_eq!(chain.source.fetch_whole(BlockNumber(4)).await.unwrap(), None);
    assert_eq!(chain.source.fetch_whole(BlockNumber(u64::MAX)).await.unwrap(), None);
    chain.clock.advance(11);
    assert_eq!(chain.source.fetch_whole(BlockNumber(4)).await.unwrap(), None);
    chain.clock.advance(1);
    assert_eq!(chain.block(4).await.block.number, 4);
    chain.clock.set(UnixSeconds(0));
    assert_eq!(chain.tip().await.head.number, BlockNumber(0));
}

/// Every transaction is signed by an account whose nonces count up, of types 0 and 2, on this chain.
#[tokio::test]
async fn signatures_and_nonces_are_real() {
    let chain = Chain::new(SimulatedConfig { reorgs: false, ..of_seed(3) });
    chain.set_head(60);
    let (mut nonces, mut types) = (HashMap::new(), [0_u32; 3]);
    for number in 0..=60 {
        let block = UntrustedBlock::Evm(Box::new(chain.block(number).await));
        let verified = verify(ethereum(), &block).unwrap();
        for leaf in verified.transactions().unwrap() {
            let envelope = TxEnvelope::decode_2718_exact(leaf).unwrap();
            let signature = envelope.signature();
            assert_eq!(signature.normalize_s(), None, "EIP-2: a low s");
            let sender =
                signature.recover_address_from_prehash(&envelope.signature_hash()).unwrap();
            let expected = nonces.entry(sender).or_insert(0);
            assert_eq!((envelope.nonce(), envelope.chain_id()), (*expected, Some(1)));
            *expected += 1;
            types[envelope.tx_type() as usize] += 1;
        }
    }
    assert!(nonces.len() > 10 && types[0] > 20 && types[2] > 20 && types[1] == 0, "{types:?}");
}

fn topic(event: &str) -> Hash {
    keccak256(event.as_bytes())
}

fn word(log: &RawLog, index: usize) -> U256 {
    U256::from_be_slice(&log.data[index * 32..index * 32 + 32])
}

fn indexed_address(log: &RawLog, index: usize) -> Address {
    Address(log.topics[index].0[12..].try_into().unwrap())
}

/// Reads the logs as an indexer would: pools are created before they trade, each `Swap` follows its
/// `Sync`, explains the reserves, and leaves the product no smaller.
#[tokio::test]
async fn logs_tell_the_story_of_pools_that_lose_nothing() {
    let chain = Chain::new(SimulatedConfig { reorgs: false, ..of_seed(11) });
    chain.set_head(250);
    let mut pools: HashMap<Address, Option<[U256; 2]>> = HashMap::new();
    let (mut swaps, mut failures, mut transfers) = (0, 0, 0);
    for number in 0..=250 {
        for receipt in chain.block(number).await.receipts.unwrap() {
            failures += u32::from(receipt.status == Some(0));
            assert!(receipt.status == Some(1) || receipt.logs.is_empty());
            for (index, log) in receipt.logs.iter().enumerate() {
                if log.topics[0] == topic("PairCreated(address,address,address,uint256)") {
                    let (token0, token1) = (indexed_address(log, 1), indexed_address(log, 2));
                    let pair = Address(log.data[12..32].try_into().unwrap());
                    assert!(log.address == FACTORY && token0 < token1);
                    assert_eq!(pair, pair_address(token0, token1));
                    assert_eq!(pools.insert(pair, None), None, "a pair is created once");
                    assert_eq!(word(log, 1), U256::from(pools.len()));
                } else if log.topics[0] == topic("Sync(uint112,uint112)") {
                    let reserves = [word(log, 0), word(log, 1)];
                    let known = pools.get_mut(&log.address).expect("the pool was created");
                    let before = known.replace(reserves);
                    let next = &receipt.logs[index + 1];
                    assert_eq!(next.address, log.address);
                    let Some(before) = before else { continue };
                    assert!(reserves[0] * reserves[1] >= before[0] * before[1]);
                    for side in 0..2 {
                        let (paid, got) = (word(next, side), word(next, side + 2));
                        assert_eq!(before[side] + paid, reserves[side] + got);
                    }
                    swaps += 1;
                } else if log.topics[0] == topic("Transfer(address,address,uint256)") {
                    assert_eq!((log.topics.len(), log.data.len()), (3, 32));
                    transfers += 1;
                }
            }
        }
    }
    assert!(pools.contains_key(&pair_address(USDC, WETH)));
    assert!(pools.len() > 5 && swaps > 100 && failures > 5 && transfers > swaps * 2);
}

/// Fees fall while nothing happens and are back at their height when the quiet time ends.
#[tokio::test]
async fn a_twig_of_quiet_blocks_is_mostly_empty_and_fees_come_back() {
    let chain = Chain::new(SimulatedConfig { quiet_until: 2_048, reorgs: false, ..of_seed(2) });
    chain.set_head(2_100);
    let (mut empty, mut fees) = (0, Vec::new());
    for number in 0..=2_100 {
        let RawEvmBlock { block, .. } = chain.block(number).await;
        let RawTransactions::Full(transactions) = &block.transactions else { unreachable!() };
        empty += u32::from(transactions.is_empty());
        fees.push(block.base_fee_per_gas.unwrap());
        assert!(Some(block.gas_used) <= block.gas_limit);
    }
    assert!(empty > 1_600, "{empty} of 2101 blocks are empty");
    assert!(fees[1_000] < 1_000_000, "a quiet block costs {} wei", fees[1_000]);
    let busy = &fees[2_048..];
    assert!(busy.iter().all(|fee| (2_000_000_000..40_000_000_000).contains(fee)), "{busy:?}");
}

#[test]
fn values_out_of_range_are_refused_by_name() {
    let refused = |config| {
        let clock = Arc::new(ManualClock::at(UnixSeconds(0)));
        let error = SimulatedChain::new(ethereum(), config, clock).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Bug);
        error.to_string()
    };
    let good = of_seed(1);
    let told = refused(SimulatedConfig { block_time_seconds: 0, ..good });
    assert_eq!(told, "block_time_seconds is 0, expected 1 to 86400");
    let told = refused(SimulatedConfig { finality_depth: 2, ..good });
    assert_eq!(told, "finality_depth is 2, expected at least 3");
    let told = refused(SimulatedConfig { genesis_time: UnixSeconds(u64::MAX), ..good });
    assert!(told.starts_with("genesis_time is 18446744073709551615"), "{told}");
}

/// One row of each family: a ledger that is read can be shown.
fn rows_of_families() -> impl Iterator<Item = ChainSpec> {
    let mut seen = HashSet::new();
    let rows = ChainRegistry::builtin().rows().iter();
    rows.filter(move |row| seen.insert(row.family())).map(|row| row.clone().as_simulated())
}

#[tokio::test]
async fn blocks_of_every_family_hold_and_stand_on_each_other_also_when_they_are_replaced() {
    for row in rows_of_families() {
        let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS)));
        let config = SimulatedConfig { finality_depth: 4, quiet_until: 20, ..of_seed(7) };
        let source = SimulatedChain::new(&row, config, clock.clone()).unwrap();
        let first = source.fetch_tip().await.unwrap().head.number.0;
        let numbers = source.fetch_numbers(BlockNumber(0), 1).await.unwrap();
        let is_evm = row.family() == Family::Evm;
        assert_eq!(numbers, (!is_evm).then(|| vec![BlockNumber(first)]), "{}", row.slug);
        assert!(first.is_multiple_of(2_048) && first >= row.rules[0].from_number, "{}", row.slug);
        let (mut finals, mut transactions, mut replaced) = (HashMap::new(), 0, 0);
        let mut shown: HashMap<u64, Hash> = HashMap::new();
        for head in 0..70 {
            clock.set(UnixSeconds(GENESIS + head * config.block_time_seconds));
            let tip = source.fetch_tip().await.unwrap();
            assert_eq!(tip.head.number.0, first + head, "{}", row.slug);
            let mut parent = tip.head.hash;
            for number in (tip.finalized.number.0..=tip.head.number.0).rev() {
                let block = source.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
                let block = verify(&row, &block)
                    .unwrap_or_else(|error| panic!("{} {number}: {error}", row.slug));
                assert_eq!((block.number().0, block.hash()), (number, parent), "{}", row.slug);
                assert_eq!(
                    block.timestamp().0,
                    GENESIS + (number - first) * config.block_time_seconds
                );
                parent = block.parent_hash();
                transactions += block.tx_count().expect("a whole block");
                replaced += usize::from(
                    shown.insert(number, block.hash()).is_some_and(|before| before != block.hash()),
                );
            }
            let last = *finals.entry(tip.finalized.number).or_insert(tip.finalized.hash);
            assert_eq!(last, tip.finalized.hash, "{}: a final block stays", row.slug);
        }
        assert!(transactions > 100 && replaced > 0, "{}: {transactions}, {replaced}", row.slug);
        assert_eq!(source.fetch_whole(BlockNumber(first + 70)).await.unwrap(), None);
        let other =
            SimulatedChain::new(&row, SimulatedConfig { seed: 8, ..config }, clock).unwrap();
        assert_ne!(
            other.fetch_tip().await.unwrap().head.hash,
            source.fetch_tip().await.unwrap().head.hash
        );
    }
}

#[test]
fn a_chain_with_other_rules_is_not_simulated() {
    let clock = Arc::new(ManualClock::at(UnixSeconds(0)));
    for slug in ["bitcoin", "avalanche", "base"] {
        let row = ChainRegistry::builtin().find(slug).unwrap();
        let result = SimulatedChain::new(row, of_seed(1), clock.clone());
        assert!(
            result
                .unwrap_err()
                .to_string()
                .starts_with(&format!("{} cannot be simulated", row.key()))
        );
    }
}
