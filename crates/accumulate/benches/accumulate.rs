//! What a step and a proof cost on a store in memory, against bare hashing and against the check.

#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;
#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::{Arc, OnceLock};

use divan::{Bencher, black_box};
use ratio::Ratios;
use superroot_accumulate::prove::Prover;
use superroot_accumulate::{AccumulateProgress, Accumulator, Board, recompute};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{Bundle, Policy, verify};
use superroot_proof::hash::keccak256;
use superroot_proof::scan::{SCAN_BYTES_MAX, Scan, ScanFilter, ScanStatement};
use superroot_store::{MemoryStore, ScanOrder, Store, Table, WriteBatch};
use superroot_types::{Address, BlockNumber, ChainKey, Hash, SuperRootRef, UnixSeconds};
use support::{Log, ORIGIN};

/// Blocks of one step: a whole twig, which the step seals.
const BLOCKS: u64 = 2_048;
/// The first of them with transactions; those before are there for their hashes.
const BUSY_FROM: u64 = 4_080;
/// Twigs without a block between two blocks, and hashes of one: itself and what it ends in the MMR.
const SKIPPED: usize = 500;
const SKIPPED_HASHES: usize = 3;
/// Hashes of a twig: a leaf a block and what is above.
const TWIG_HASHES: usize = 4_095;
/// Bytes of an inner node before hashing.
const NODE_BYTES: usize = 65;
/// Time of the SuperRoot.
const NOW: UnixSeconds = UnixSeconds(1_700_100_000);

fn main() {
    divan::main();
    let ratios = Ratios::of("accumulate");
    let bare = || bare_keccaks(TWIG_HASHES);
    let (keccaks, none) = (format!("{TWIG_HASHES} bare keccaks"), || ());
    ratios.print(&format!("step/n={BLOCKS}"), &keccaks, before_step, step, bare);
    let name = format!("step_over_skipped_twigs/n={SKIPPED}");
    let hashes = SKIPPED_HASHES * SKIPPED;
    let far = || bare_keccaks(hashes);
    ratios.print(&name, &format!("{hashes} bare keccaks"), before_gap, step_over_gap, far);
    let name = format!("recompute/n={BLOCKS}");
    ratios.print(&name, &keccaks, none, |()| again(), bare);
    let cold = |prover| prove(&prover);
    ratios.print(&format!("prove_transaction_cold/n={BLOCKS}"), &keccaks, prover, cold, bare);
    let hot = prover();
    let bundle = prove(&hot);
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let check = || verify(&bundle, &policy).unwrap();
    let name = format!("prove_transaction_hot/n={BLOCKS}");
    ratios.print(&name, "its check by a client", none, |()| prove(&hot), check);
    let page = scan(&hot);
    let check = || superroot_proof::scan::verify(&page, &policy).unwrap();
    let name = format!("prove_scan/n={BLOCKS}");
    ratios.print(&name, "its check by a client", none, |()| scan(&hot), check);
}

/// A twig of final blocks before and after the step over it, and a transaction in one of them.
struct Fixture {
    before: Arc<dyn Store>,
    after: Arc<dyn Store>,
    board: Board,
    chain: ChainKey,
    transaction: Hash,
}

fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let (log, ethereum) = (Log::new(), support::chain("ethereum", BUSY_FROM));
        log.extend(&ethereum, BLOCKS..2 * BLOCKS);
        let hashes = ethereum.block(2 * BLOCKS - 1).transaction_hashes().unwrap().to_vec();
        let transaction = *hashes.first().expect("the last block has a transaction");
        let after = copy(&*log.store);
        let mut accumulator = open(after.clone());
        accumulator.step(NOW).unwrap();
        let (before, board) = (log.store, accumulator.board());
        Fixture { before, after, board, chain: ethereum.key(), transaction }
    })
}

/// A page of absence over the twig.
fn scan(prover: &Prover) -> Scan {
    let filter = ScanFilter::new(vec![Address([0xee; 20])], Default::default(), Vec::new());
    let (from, to) = (BlockNumber(BLOCKS), BlockNumber(2 * BLOCKS - 1));
    let statement = ScanStatement { chain: fixture().chain, from, to, filter: filter.unwrap() };
    prover.prove_scan(statement, SuperRootRef::Latest, SCAN_BYTES_MAX).unwrap()
}

fn copy(from: &dyn Store) -> Arc<dyn Store> {
    let mut batch = WriteBatch::new();
    for table in Table::ALL {
        for (key, value) in from.scan(table, &[], None, usize::MAX, ScanOrder::Rising).unwrap() {
            batch.put(table, key, value);
        }
    }
    let to = MemoryStore::new();
    to.commit(batch).unwrap();
    Arc::new(to)
}

fn open(store: Arc<dyn Store>) -> Accumulator {
    let registry = ChainRegistry::builtin().proof_registry().clone();
    Accumulator::open(store, registry, ORIGIN).unwrap()
}

/// A copy of the store before the step, opened.
fn before_step() -> Accumulator {
    open(copy(&*fixture().before))
}

/// The step, and what it was taken on, so that dropping it is not timed.
fn step(mut accumulator: Accumulator) -> Accumulator {
    let progress = accumulator.step(NOW).unwrap();
    assert!(matches!(progress, AccumulateProgress::Advanced { sealed_twigs: 1, .. }));
    accumulator
}

/// All that the step published, computed anew from the blocks.
fn again() -> u64 {
    let done = recompute(&*fixture().after, &mut |_, _| ()).unwrap();
    assert!(done.blocks >= BLOCKS && done.sealed_twigs >= 1, "{done:?}");
    done.super_roots
}

/// Two blocks with many twigs between them.
fn before_gap() -> Accumulator {
    static BEFORE: OnceLock<Arc<dyn Store>> = OnceLock::new();
    let before = BEFORE.get_or_init(|| {
        let far = SKIPPED as u64 * BLOCKS + 1;
        let (log, chain) = (Log::new(), support::chain_until("ethereum", far, 5, far + 100));
        log.extend(&chain.expect("its chain"), [5, far]);
        log.store
    });
    open(copy(&**before))
}

/// As [`step`].
fn step_over_gap(mut accumulator: Accumulator) -> Accumulator {
    let progress = accumulator.step(NOW).unwrap();
    assert!(
        matches!(progress, AccumulateProgress::Advanced { sealed_twigs: SKIPPED, .. }),
        "{progress:?}"
    );
    accumulator
}

/// A prover that keeps nothing yet.
fn prover() -> Prover {
    Prover::new(fixture().after.clone(), fixture().board.clone())
}

fn prove(prover: &Prover) -> Bundle {
    let Fixture { chain, transaction, .. } = fixture();
    prover.prove_transaction(*chain, transaction, Some(SuperRootRef::Latest)).unwrap()
}

/// The limit of this machine: that many hashes, each over the one before.
fn bare_keccaks(count: usize) -> Hash {
    let mut preimage = [1; NODE_BYTES];
    for _ in 0..count {
        let hash = keccak256(black_box(&preimage));
        preimage[1..33].copy_from_slice(&hash.0);
    }
    keccak256(&preimage)
}

#[divan::bench(name = "step/n=2048", sample_count = 20)]
fn step_over_a_twig(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(before_step).bench_local_values(step);
}

#[divan::bench(name = "prove_transaction_cold/n=2048")]
fn prove_transaction_cold(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(prover).bench_local_refs(|prover| prove(prover));
}

#[divan::bench(name = "prove_transaction_hot/n=2048")]
fn prove_transaction_hot(bencher: Bencher<'_, '_>) {
    let prover = prover();
    prove(&prover);
    bencher.bench_local(|| prove(&prover));
}
