//! Transactions and events of every recorded block of every chain of the EVM family: collected,
//! committed, proven, encoded, decoded and verified, in process.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::support::Expected;
use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::{Prover, Which};
use superroot_chain::{ChainRow, Registry};
use superroot_collect::{Collector, Config, Progress};
use superroot_proof::bundle::{Bundle, Facts, Policy, verify_anchored};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::evm::{Receipt, Tries};
use superroot_source::Recordings;
use superroot_store::{MemoryStore, Store, read};
use superroot_types::{BlockNumber, ChainId, ChainKey, Hash, UnixSeconds};
use superroot_wire::{Shape, render};

/// Sizes of one kind of proof, in bytes.
#[derive(Default)]
struct Sizes {
    file: Vec<usize>,
    json: Vec<usize>,
}

impl Sizes {
    fn print(&mut self, what: &str) {
        self.file.sort_unstable();
        self.json.sort_unstable();
        if self.file.is_empty() {
            return;
        }
        let at = |sizes: &[usize], part: usize| sizes[(sizes.len() - 1) * part / 100];
        eprintln!(
            "{what}: {} proven and verified; file bytes median {} p99 {}; JSON (a sample) median {} p99 {}",
            self.file.len(),
            at(&self.file, 50),
            at(&self.file, 99),
            at(&self.json, 50),
            at(&self.json, 99),
        );
    }
}

/// The tries that are held of a block; none where its header is held alone.
fn tries(body: Option<Body>) -> Tries {
    match body {
        Some(Body::Evm(tries)) => tries,
        Some(Body::Bitcoin(_)) => panic!("a body of another ledger"),
        None => Tries::default(),
    }
}

/// Whether an entry is looked at: the first two of each list and every eighth of the others,
/// every one with `SUPERROOT_TEST_ALL=1`.
fn is_chosen(number: BlockNumber, index: u64) -> bool {
    let all = std::env::var("SUPERROOT_TEST_ALL").is_ok_and(|value| value == "1");
    all || index < 2 || (number.0 + index).is_multiple_of(8)
}

struct Check {
    prover: Prover,
    root: Hash,
}

impl Check {
    /// Encodes, decodes and verifies as a stranger would.
    fn check(&self, bundle: Bundle, sizes: &mut Sizes) -> Facts {
        let file = bundle.encode();
        let read = Bundle::decode(&file).unwrap();
        assert_eq!(read, bundle);
        let policy = Policy::strict(Registry::builtin().proof_registry());
        let facts = verify_anchored(&read, &policy, &self.root).unwrap();
        if sizes.file.len() < 200 || sizes.file.len().is_multiple_of(50) {
            sizes.json.push(render(&bundle, &facts, Shape::V5).to_string().len());
        }
        sizes.file.push(file.len());
        facts.into_inner()
    }

    fn transactions(&self, chain: ChainKey, number: BlockNumber, body: &Tries, sizes: &mut Sizes) {
        let Some(trie) = &body.transactions else { return };
        for index in (0_u64..).map_while(|index| trie.leaf(index).unwrap().map(|_| index)) {
            if !is_chosen(number, index) {
                continue;
            }
            let leaf = trie.leaf(index).unwrap().unwrap();
            let hash = superroot_proof::ledger::evm::transaction_hash(leaf);
            let bundle = self.prover.prove_transaction(chain, &hash, Which::Latest).unwrap();
            assert_eq!(bundle.statement.number, number);
            let facts = self.check(bundle, sizes);
            assert_eq!(facts.transaction.unwrap().raw, leaf);
        }
    }

    fn events(&self, chain: ChainKey, number: BlockNumber, body: &Tries, sizes: &mut Sizes) {
        let Some(trie) = &body.receipts else { return };
        for index in (0_u32..).map_while(|i| trie.leaf(u64::from(i)).unwrap().map(|_| i)) {
            let leaf = trie.leaf(u64::from(index)).unwrap().unwrap();
            let logs = Receipt::decode(leaf).unwrap().logs;
            let chosen = |log_index| {
                is_chosen(number, index.into()) && is_chosen(number, u64::from(log_index))
            };
            for (log_index, log) in (0_u32..).zip(&logs).filter(|(at, _)| chosen(*at)) {
                let at = Which::Latest;
                let bundle = self.prover.prove_event(chain, number, index, log_index, at).unwrap();
                let facts = self.check(bundle, sizes);
                assert_eq!(&facts.log().unwrap().log, log);
            }
        }
    }
}

/// A log of everything that is recorded of these chains.
async fn log_of(folder: &std::path::Path, chains: &[ChainRow]) -> (Arc<dyn Store>, Check) {
    let recordings =
        Arc::new(Recordings::open(&[folder], superroot_chain::Registry::builtin()).unwrap());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    // a log is named before it holds a block
    let registry = Registry::builtin().proof_registry().clone();
    let mut accumulator =
        Accumulator::open(store.clone(), registry, "recorded/every-entry").unwrap();
    for row in chains {
        let source = Arc::new(recordings.source(row.key()).unwrap());
        let mut collector = Collector::new(store.clone(), source, row.clone(), Config::default());
        while collector.step(UnixSeconds(0)).await.unwrap().progress != Progress::Idle {}
    }
    accumulator.step(UnixSeconds(1_800_000_000)).unwrap();
    let prover = Prover::new(store.clone(), accumulator.board());
    let root = prover.latest().unwrap().hash;
    (store, Check { prover, root })
}

/// Which parts of a block are held.
fn parts(body: &Tries) -> (bool, bool) {
    (body.transactions.is_some(), body.receipts.is_some())
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_of_every_recorded_block_are_proven() {
    let Some(folder) = crate::support::recordings() else { return };
    let (expected, left_out) = crate::support::expected_blocks(&folder);
    let ids: BTreeSet<u64> = expected.iter().map(|block| block.chain_id).collect();
    let chains: Vec<ChainRow> =
        ids.iter().map(|id| Registry::builtin().by_id(ChainId(*id)).unwrap().clone()).collect();
    let (store, check) = log_of(&folder, &chains).await;
    let mut held = 0;
    for row in &chains {
        let chain = row.key();
        let (mut blocks, mut transactions, mut events) =
            (Sizes::default(), Sizes::default(), Sizes::default());
        let of_chain: Vec<&Expected> =
            expected.iter().filter(|block| block.chain_id == chain.id.0).collect();
        let all = BlockNumber(0)..BlockNumber(u64::MAX);
        let found = read::load_blocks(&*store, chain, all, usize::MAX).unwrap();
        let numbers: Vec<u64> = found.iter().map(|(number, _)| number.0).collect();
        let wanted: Vec<u64> = of_chain.iter().map(|block| block.number).collect();
        assert_eq!(numbers, wanted, "blocks of {}", row.name);
        for (expected, (number, found)) in of_chain.iter().zip(found) {
            assert_eq!(found.hash.to_string(), expected.hash);
            let proof = check.prover.prove_block(chain, number, Which::Latest).unwrap();
            check.check(proof, &mut blocks);
            let body = tries(read::load_body(&*store, chain, number).unwrap());
            let wanted = (expected.transactions, expected.receipts);
            assert_eq!(parts(&body), wanted, "{} {number}", row.name);
            check.transactions(chain, number, &body, &mut transactions);
            check.events(chain, number, &body, &mut events);
            held += 1;
        }
        eprintln!("{}:", row.name);
        blocks.print("  blocks");
        transactions.print("  transactions");
        events.print("  events");
    }
    eprintln!("left out: {left_out:?}");
    assert_eq!(held, expected.len());
    assert!(chains.len() >= 13 && held >= 575, "{held} blocks of {} chains", chains.len());
}
