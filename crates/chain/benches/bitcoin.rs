//! What recomputing a block of Bitcoin costs, against the `bitcoin` crate that reads the same bytes and computes
//! their ids and roots.

#[path = "../tests/mined/mod.rs"]
mod mined;
#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use bitcoin::consensus::deserialize;
use divan::{Bencher, black_box};
use ratio::Ratios;
use superroot_chain::ledger::bitcoin::RawBitcoinBlock;
use superroot_chain::{UntrustedBlock, verify};

const NUMBER: u64 = 500_000;
/// Transactions besides the coinbase's, every other with a witness.
const OTHERS: u8 = 255;

fn main() {
    divan::main();
    let ratios = Ratios::of("chain");
    let (row, raw) = (mined::row(), made());
    let untrusted = UntrustedBlock::Bitcoin(Box::new(raw.clone()));
    let ours = |()| verify(&row, &untrusted).unwrap();
    let name = "bitcoin_verify/n=256";
    ratios.print(name, "the bitcoin crate's ids and roots", || (), ours, || peer(&raw));
}

fn made() -> RawBitcoinBlock {
    mined::mine(mined::block(NUMBER, OTHERS, true), NUMBER)
}

/// Reads the block and computes what it commits to.
fn peer(raw: &RawBitcoinBlock) {
    let block: bitcoin::Block = deserialize(&raw.bytes).unwrap();
    assert!(block.check_merkle_root() && block.check_witness_commitment());
    black_box(block.block_hash());
}

#[divan::bench(name = "bitcoin_verify/n=256")]
fn verify_block(bencher: Bencher<'_, '_>) {
    let (row, untrusted) = (mined::row(), UntrustedBlock::Bitcoin(Box::new(made())));
    bencher.bench_local(|| verify(&row, black_box(&untrusted)).unwrap());
}
