//! What recomputing a block of Tron costs, against its bare hashes: leaves, transaction hashes, tree, header.

#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use divan::{Bencher, black_box};
use ratio::Ratios;
use sha2::{Digest, Sha256};
use superroot_chain::ledger::tron::build::{Transfer, block};
use superroot_chain::ledger::tron::{HttpBlock, RawTronBlock};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, verify};
use superroot_proof::ledger::tron::Transaction;
use superroot_types::{BlockNumber, Hash};

/// Transactions of a usual block.
const USUAL: u16 = 600;

fn main() {
    divan::main();
    let ratios = Ratios::of("chain");
    let raw = made();
    let untrusted = UntrustedBlock::Tron(Box::new(raw.clone()));
    let ours = |()| verify(row(), &untrusted).unwrap();
    let name = format!("tron_verify/n={USUAL}");
    ratios.print(&name, "sha2's hashes of the same bytes", || (), ours, || bare(&raw));
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("tron").expect("Tron is in the registry")
}

fn made() -> RawTronBlock {
    let transfer = |at: u16| Transfer {
        owner: [0x41; 21],
        to: [u8::try_from(at % 256).unwrap(); 21],
        amount: i64::from(at) + 1,
        timestamp_ms: 1_700_000_000_000,
        signature: [7; 65],
    };
    let transactions = (0..USUAL).map(|at| transfer(at).encode()).collect();
    let (number, parent) = (BlockNumber(79_000_000), Hash([7; 32]));
    block(number, parent, 1_700_000_000_000, &[0x41; 21], transactions).unwrap()
}

/// The least that has to be computed of a block.
fn bare(raw: &RawTronBlock) {
    let hash = |bytes: &[u8]| -> [u8; 32] { Sha256::digest(bytes).into() };
    let mut row = Vec::new();
    for leaf in raw.transactions.iter().flatten() {
        black_box(hash(Transaction::decode(leaf).unwrap().raw_data));
        row.push(hash(leaf));
    }
    while row.len() > 1 {
        row = row
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => hash(&[*left, *right].concat()),
                alone => alone[0],
            })
            .collect();
    }
    black_box(row);
    black_box(hash(&raw.header));
}

#[divan::bench(name = "tron_verify/n=600")]
fn verify_block(bencher: Bencher<'_, '_>) {
    let untrusted = UntrustedBlock::Tron(Box::new(made()));
    bencher.bench_local(|| verify(row(), black_box(&untrusted)).unwrap());
}

/// From the JSON of a node.
#[divan::bench(name = "tron_read_and_verify/n=600")]
fn read_and_verify(bencher: Bencher<'_, '_>) {
    let json = serde_json::to_vec(&HttpBlock::show(&made()).unwrap()).unwrap();
    bencher.bench_local(|| {
        let block: HttpBlock = serde_json::from_slice(black_box(&json)).unwrap();
        let untrusted = UntrustedBlock::Tron(Box::new(block.into_raw(true).unwrap()));
        verify(row(), &untrusted).unwrap()
    });
}
