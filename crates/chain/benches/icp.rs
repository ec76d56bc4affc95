//! What recomputing a block of the ICP ledger costs, and a run of them, against the bare hashes: that of the
//! block, and that of its transaction in the form that the ledger names it by.
//!
//! It takes four to five times as long as they do: with the processor's own instructions both hashes of
//! some 200 bytes take a quarter of a microsecond, and the rest is about as much each: reading the nested
//! messages, the checksums of the accounts, and what the block is kept in.

#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use divan::{Bencher, black_box};
use ratio::Ratios;
use sha2::{Digest, Sha256};
use superroot_chain::ledger::icp::{RawIcpBlock, encode_block};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, verify};
use superroot_proof::ledger::icp::{DEFAULT_FEE_E8S, IcpAccount, Operation, Transaction};
use superroot_types::{BlockNumber, Hash};

/// Blocks of a run.
const RUN: u64 = 1_000;
/// Bytes of a transfer's form that its hash is of: two accounts in hex, and numbers.
const IDENTITY_BYTES: usize = 176;
/// Number of the first block.
const FIRST: u64 = 9_840_566;

fn main() {
    divan::main();
    let ratios = Ratios::of("chain");
    for count in [1, RUN] {
        let run: Vec<_> = made(count);
        let row = row();
        let ours = |()| run.iter().map(|one| verify(row, one).unwrap()).collect::<Vec<_>>();
        let name = format!("icp_verify/n={count}");
        ratios.print(&name, "sha2's hashes of as many bytes", || (), ours, || bare(&run));
    }
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("icp").expect("the ICP ledger is in the registry")
}

/// Transfers, each block on the one before.
fn made(count: u64) -> Vec<UntrustedBlock> {
    let mut parent = Hash([7; 32]);
    let block = |at| {
        let nanos = 1_700_000_000_000_000_000 + at;
        let account = |what: u64| IcpAccount([u8::try_from((at + what) % 256).unwrap(); 28]);
        let (from, to, amount_e8s, fee_e8s) =
            (account(3), account(90), 100_000_000 + at, DEFAULT_FEE_E8S);
        let operation = Operation::Transfer { from, to, amount_e8s, fee_e8s, spender: None };
        let created_at_nanos = Some(nanos);
        let transaction = Transaction { operation, memo: at, created_at_nanos, icrc1_memo: None };
        let bytes = encode_block(Some(&parent), nanos, &transaction);
        parent = Hash(Sha256::digest(&bytes).into());
        let raw =
            RawIcpBlock { number: BlockNumber(FIRST + at), hash: parent, bytes, certificate: None };
        UntrustedBlock::Icp(Box::new(raw))
    };
    (0..count).map(block).collect()
}

/// The least that has to be computed of blocks.
fn bare(run: &[UntrustedBlock]) {
    for block in run {
        let UntrustedBlock::Icp(raw) = block else { continue };
        black_box(Sha256::digest(&raw.bytes));
        black_box(Sha256::digest(black_box([7; IDENTITY_BYTES])));
    }
}

#[divan::bench(name = "icp_verify/n=1")]
fn verify_block(bencher: Bencher<'_, '_>) {
    let run = made(1);
    let row = row();
    bencher.bench_local(|| verify(row, black_box(&run[0])).unwrap());
}
