//! What recomputing a block of Polkadot costs, against the bare hashing of what its tries hold.

#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use divan::{Bencher, black_box};
use ratio::Ratios;
use superroot_chain::ledger::polkadot::{BlockPlan, build_block, timestamp_extrinsic};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, VerifiedBlock, verify};
use superroot_proof::hash::blake2b_256;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::polkadot::StateVersion;
use superroot_types::{BlockNumber, Hash};

/// Extrinsics of a busy block.
const EXTRINSICS: usize = 200;
/// Bytes of one.
const EXTRINSIC_BYTES: usize = 180;
/// Events of such a block, five for each extrinsic.
const EVENTS: usize = 5 * EXTRINSICS;
/// Bytes of one.
const EVENT_BYTES: usize = 90;

fn main() {
    divan::main();
    let ratios = Ratios::of("chain");
    for version in [StateVersion::V0, StateVersion::V1] {
        let untrusted = block(version);
        let verified = verify(row(), &untrusted).unwrap();
        let name = format!("polkadot/verify/{version:?}/n={EXTRINSICS}");
        let peer = "BLAKE2b of header, nodes, values and extrinsics that are there already";
        let ours = |()| verify(row(), &untrusted).unwrap();
        ratios.print(&name, peer, || (), ours, || bare(&verified));
    }
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("polkadot").expect("Polkadot is in the registry")
}

fn block(version: StateVersion) -> UntrustedBlock {
    let byte = |at: usize| u8::try_from(at % 256).unwrap_or(0);
    let mut extrinsics = vec![timestamp_extrinsic(3, 1_780_000_006_000)];
    extrinsics.extend((1..EXTRINSICS).map(|at| vec![byte(at); EXTRINSIC_BYTES]));
    let plan = BlockPlan {
        number: BlockNumber(31_500_000),
        parent_hash: Hash([3; 32]),
        version,
        extrinsics,
        events: (0..EVENTS).map(|at| vec![byte(at); EVENT_BYTES]).collect(),
        digest: vec![vec![8]],
    };
    UntrustedBlock::Polkadot(Box::new(build_block(&plan)))
}

/// The least that has to be hashed of a block.
fn bare(block: &VerifiedBlock) {
    black_box(blake2b_256(block.header()));
    block.transactions().into_iter().flatten().for_each(|leaf| _ = black_box(blake2b_256(leaf)));
    if let Some(Body::Polkadot(tries)) = block.body() {
        let events = tries.events.iter().flatten().map(Vec::as_slice);
        tries.extrinsics.nodes().chain(events).for_each(|node| _ = black_box(blake2b_256(node)));
    }
}

#[divan::bench(name = "polkadot/verify/n=200")]
fn verify_block(bencher: Bencher<'_, '_>) {
    let untrusted = block(StateVersion::V1);
    bencher.bench_local(|| verify(row(), black_box(&untrusted)).unwrap());
}
