//! Fees of Bitcoin: of a real block, whose true size is known, and of blocks that are bent.

use bitcoin::consensus::deserialize;
use superroot_chain::ledger::bitcoin::RawBitcoinBlock;
use superroot_chain::ledger::bitcoin::{block_rate, subsidy_sats};
use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::bitcoin::BitcoinTransactionTree;
use superroot_types::{BlockNumber, Hash};

const FILE: &str =
    "mainnet_block_000000000000000000000c835b2adcaedc20fdf6ee440009c249452c726dafae.raw";
const NUMBER: u64 = 702_861;

/// The block with its witnesses, and what is held of it.
fn real_block() -> Option<(bitcoin::Block, BitcoinTransactionTree)> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no block of Bitcoin was read");
        return None;
    };
    let path = std::path::PathBuf::from(data).join("other/bitcoin/btc").join(FILE);
    let bytes = std::fs::read(path).unwrap();
    let mut hash: [u8; 32] = const_hex::decode(&FILE[14..14 + 64]).unwrap().try_into().unwrap();
    hash.reverse();
    let raw =
        RawBitcoinBlock { number: BlockNumber(NUMBER), hash: Hash(hash), bytes: bytes.clone() };
    let row = ChainRegistry::builtin().find("bitcoin").unwrap();
    let block = verify(row, &UntrustedBlock::Bitcoin(Box::new(raw))).unwrap();
    let Some(Body::Bitcoin(tree)) = block.body() else { panic!("no tree") };
    Some((deserialize(&bytes).unwrap(), tree.clone()))
}

/// The true rate, by the size with witnesses that the block does not commit to, is within the bounds.
#[test]
fn the_rate_of_a_real_block_is_within_its_bounds() {
    let Some((block, tree)) = real_block() else { return };
    let rate = block_rate(NUMBER, &tree).unwrap();
    let paid: u64 = block.txdata[0].output.iter().map(|output| output.value.to_sat()).sum();
    let fees = paid - 625_000_000;
    let size = block.weight().to_vbytes_ceil();
    let exact = fees as f64 / size as f64;
    assert!(rate.at_least <= exact && exact <= rate.at_most, "{rate:?} {exact}");
    assert!(exact > 0.5 && rate.at_most < rate.at_least * 2.0, "{rate:?} {exact}");
    assert!((rate.at_least - fees as f64 / 1e6).abs() < 1e-9);
}

/// A miner that takes less than it may hides what was paid; a block of a coinbase alone was paid nothing.
#[test]
fn where_fees_do_not_show_there_is_no_rate() {
    let Some((_, tree)) = real_block() else { return };
    let alone = BitcoinTransactionTree::build(tree.leaves()[..1].to_vec());
    assert!(block_rate(NUMBER, &alone).unwrap_err().contains("no transaction"));
    assert!(block_rate(0, &tree).unwrap_err().contains("took less"));
    let turned = BitcoinTransactionTree::build(tree.leaves().iter().rev().cloned().collect());
    assert!(block_rate(NUMBER, &turned).unwrap_err().contains("no coinbase"));
    assert!(block_rate(NUMBER, &BitcoinTransactionTree::build(Vec::new())).is_err());
}

#[test]
fn what_a_block_may_make_is_halved_and_ends() {
    for (number, sats) in [
        (0, 5_000_000_000),
        (209_999, 5_000_000_000),
        (210_000, 2_500_000_000),
        (840_000, 312_500_000),
        (6_929_999, 1),
        (6_930_000, 0),
        (u64::MAX, 0),
    ] {
        assert_eq!(subsidy_sats(number), sats, "{number}");
    }
    let all: u64 = (0..33).map(|halving| subsidy_sats(halving * 210_000) * 210_000).sum();
    assert_eq!(all, 2_099_999_997_690_000, "all there will ever be");
}
