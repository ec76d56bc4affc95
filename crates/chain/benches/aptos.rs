//! What recomputing a block of Aptos costs, against its bare hashes: infos, events, both accumulators.

#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use divan::{Bencher, black_box};
use ratio::Ratios;
use sha3::{Digest, Sha3_256};
use superroot_chain::ledger::aptos::{RawAptosBlock, RawVersions};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, verify};
use superroot_proof::ledger::aptos::{
    ExecutionStatus, Frozen, Info, PLACEHOLDER, event_root, info_hash,
};
use superroot_types::{BlockNumber, Hash};

/// Versions of a usual block.
const USUAL: usize = 100;
/// Events of each.
const EVENTS: usize = 5;
/// Bytes of one: the deposit of a coin has about as many.
const EVENT_BYTES: usize = 160;
/// Versions of the chain before the block.
const BEFORE: u64 = 3_456_789_012;

fn main() {
    divan::main();
    let ratios = Ratios::of("chain");
    let raw = made();
    let seeds = Seeds::new();
    assert_eq!(bare(&seeds, &raw), (raw.hash.0, raw.parent_hash.0));
    let untrusted = UntrustedBlock::Aptos(Box::new(raw.clone()));
    let ours = |()| verify(row(), &untrusted).unwrap();
    let name = format!("aptos_verify/n={USUAL}");
    ratios.print(&name, "sha3's hashes of the same bytes", || (), ours, || bare(&seeds, &raw));
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("aptos").expect("Aptos is in the registry")
}

fn made() -> RawAptosBlock {
    let byte = |at: usize| u8::try_from(at % 256).unwrap();
    let roots = (0..BEFORE.count_ones()).map(|at| Hash([u8::try_from(at).unwrap(); 32]));
    let before = Frozen::new(BEFORE, roots.collect()).unwrap();
    let event =
        |version, at: usize| [&[1, 2, byte(version), byte(at)], &[9; EVENT_BYTES][..]].concat();
    let events: Vec<Vec<Vec<u8>>> =
        (0..USUAL).map(|version| (0..EVENTS).map(|at| event(version, at)).collect()).collect();
    let info = |(version, events): (usize, &Vec<Vec<u8>>)| {
        let info = Info {
            gas_used: 700,
            status: ExecutionStatus::Success,
            transaction_hash: Hash([byte(version); 32]),
            event_root: event_root(events),
            state_change_hash: Hash([5; 32]),
            state_checkpoint_hash: None,
            auxiliary_hash: Some(Hash([6; 32])),
        };
        info.encode()
    };
    let infos: Vec<Vec<u8>> = events.iter().enumerate().map(info).collect();
    let leaves: Vec<Hash> = infos.iter().map(|info| info_hash(info)).collect();
    RawAptosBlock {
        number: BlockNumber(400_000_000),
        hash: before.with(&leaves).unwrap().root(),
        parent_hash: before.root(),
        ledger_info: None,
        timestamp_us: 1_780_000_000_000_000,
        versions: Some(RawVersions {
            first_version: BEFORE,
            frozen: before.roots().to_vec(),
            infos,
            events: events.into_iter().map(Some).collect(),
        }),
    }
}

/// What the hashes of each type begin with.
struct Seeds {
    info: [u8; 32],
    event: [u8; 32],
    transactions: [u8; 32],
    events: [u8; 32],
}

impl Seeds {
    fn new() -> Self {
        let of = |name: &str| hash(&[b"APTOS::", name.as_bytes()]);
        Self {
            info: of("TransactionInfo"),
            event: of("ContractEvent"),
            transactions: of("TransactionAccumulator"),
            events: of("EventAccumulator"),
        }
    }
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    parts.iter().fold(Sha3_256::new(), |hasher, part| hasher.chain_update(part)).finalize().into()
}

/// The least that has to be computed of a block: the roots of all events, and those after and before it.
fn bare(seeds: &Seeds, raw: &RawAptosBlock) -> ([u8; 32], [u8; 32]) {
    let versions = raw.versions.as_ref().unwrap();
    for events in versions.events.iter().flatten() {
        let leaves = events.iter().map(|event| hash(&[&seeds.event, event]));
        black_box(bare_root(&seeds.events, 0, &[], leaves.collect()));
    }
    let leaves = versions.infos.iter().map(|info| hash(&[&seeds.info, info])).collect();
    let (count, roots) = (versions.first_version, &versions.frozen);
    let root = |leaves| bare_root(&seeds.transactions, count, roots, leaves);
    (root(leaves), root(Vec::new()))
}

/// Root of an accumulator with these leaves behind those of the perfect subtrees.
fn bare_root(seed: &[u8; 32], count: u64, roots: &[Hash], leaves: Vec<[u8; 32]>) -> [u8; 32] {
    let (mut before, mut start, mut row) = (roots.iter().rev(), count, leaves);
    while start > 0 || row.len() > 1 {
        if start & 1 == 1 {
            row.insert(0, before.next().unwrap().0);
        }
        start >>= 1;
        if start == 0 && row.len() == 1 {
            break;
        }
        let right = |pair: &[[u8; 32]]| *pair.get(1).unwrap_or(&PLACEHOLDER.0);
        row = row.chunks(2).map(|pair| hash(&[seed, &pair[0], &right(pair)])).collect();
    }
    row[0]
}

#[divan::bench(name = "aptos_verify/n=100")]
fn verify_block(bencher: Bencher<'_, '_>) {
    let untrusted = UntrustedBlock::Aptos(Box::new(made()));
    bencher.bench_local(|| verify(row(), black_box(&untrusted)).unwrap());
}
