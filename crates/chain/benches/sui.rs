//! What recomputing a checkpoint of Sui costs, against its bare hashes: summary, contents, transactions,
//! effects, events. The built-in row knows no committee, so no signature is checked.

#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};
use divan::{Bencher, black_box};
use ratio::Ratios;
use superroot_chain::ledger::sui::{
    CheckpointPlan, RawSuiBlock, TransactionPlan, build_checkpoint,
};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, verify};
use superroot_types::Hash;

/// Transactions of a usual checkpoint.
const USUAL: usize = 100;
/// Bytes of what a transaction is given.
const INPUT_BYTES: usize = 300;
/// Events of a transaction.
const EVENTS: usize = 3;
/// Bytes of the contents of one.
const EVENT_BYTES: usize = 120;

fn main() {
    divan::main();
    let ratios = Ratios::of("chain");
    let raw = made();
    let untrusted = UntrustedBlock::Sui(Box::new(raw.clone()));
    let ours = |()| verify(row(), &untrusted).unwrap();
    let name = format!("sui_verify/n={USUAL}");
    ratios.print(&name, "blake2's hashes of the same bytes", || (), ours, || bare(&raw));
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("sui").expect("Sui is in the registry")
}

fn made() -> RawSuiBlock {
    let byte = |at: usize| u8::try_from(at % 256).unwrap();
    let transaction = |at: usize| TransactionPlan {
        sender: Hash([byte(at); 32]),
        input: vec![byte(at); INPUT_BYTES],
        is_success: true,
        events: (0..EVENTS).map(|event| vec![byte(event); EVENT_BYTES]).collect(),
    };
    build_checkpoint(&CheckpointPlan {
        epoch: 900,
        sequence_number: 200_000_000,
        previous_digest: Hash([7; 32]),
        transactions_before: 4_000_000_000,
        timestamp_ms: 1_780_000_000_000,
        transactions: (0..USUAL).map(transaction).collect(),
        next_committee: None,
    })
}

/// The least that has to be computed of a checkpoint.
fn bare(raw: &RawSuiBlock) {
    let hash = |name: &[u8], bytes: &[u8]| {
        let hasher = Blake2b::<U32>::new().chain_update(name).chain_update(bytes);
        black_box::<[u8; 32]>(hasher.finalize().into());
    };
    hash(b"CheckpointSummary::", &raw.summary);
    let Some(contents) = &raw.contents else { return };
    hash(b"CheckpointContents::", &contents.contents);
    for one in &contents.transactions {
        hash(b"TransactionData::", &one.transaction);
        hash(b"TransactionEffects::", &one.effects);
        one.events.iter().for_each(|events| hash(b"TransactionEvents::", events));
    }
}

#[divan::bench(name = "sui_verify/n=100")]
fn verify_block(bencher: Bencher<'_, '_>) {
    let untrusted = UntrustedBlock::Sui(Box::new(made()));
    bencher.bench_local(|| verify(row(), black_box(&untrusted)).unwrap());
}
