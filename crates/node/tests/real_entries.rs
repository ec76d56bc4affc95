//! Every transaction and every event of every recorded Ethereum block: collected, committed, proven,
//! encoded, decoded and verified, in process.

mod support;

use std::sync::Arc;

use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::{Prover, Which};
use superroot_chain::Registry;
use superroot_collect::{Collector, Config, Progress};
use superroot_proof::bundle::{Bundle, Facts, Policy, verify_anchored};
use superroot_proof::ledger::evm::Receipt;
use superroot_source::Recordings;
use superroot_store::layout::BodyRow;
use superroot_store::{MemoryStore, Store, read};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};
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

    fn transactions(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        body: &BodyRow,
        sizes: &mut Sizes,
    ) {
        let Some(trie) = &body.transactions else { return };
        for index in (0_u64..).map_while(|index| trie.leaf(index).unwrap().map(|_| index)) {
            let leaf = trie.leaf(index).unwrap().unwrap();
            let hash = superroot_proof::ledger::evm::transaction_hash(leaf);
            let bundle = self.prover.prove_transaction(chain, &hash, Which::Latest).unwrap();
            assert_eq!(bundle.statement.number, number);
            let facts = self.check(bundle, sizes);
            assert_eq!(facts.transaction.unwrap().raw, leaf);
        }
    }

    fn events(&self, chain: ChainKey, number: BlockNumber, body: &BodyRow, sizes: &mut Sizes) {
        let Some(trie) = &body.receipts else { return };
        for index in (0_u32..).map_while(|i| trie.leaf(u64::from(i)).unwrap().map(|_| i)) {
            let leaf = trie.leaf(u64::from(index)).unwrap().unwrap();
            let logs = Receipt::decode(leaf).unwrap().logs;
            for (log_index, log) in (0_u32..).zip(&logs) {
                let at = Which::Latest;
                let bundle = self.prover.prove_event(chain, number, index, log_index, at).unwrap();
                let facts = self.check(bundle, sizes);
                assert_eq!(&facts.log().unwrap().log, log);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_recorded_transaction_and_event_is_proven() {
    let Some(folder) = support::recordings() else { return };
    let row = Registry::builtin().find("ethereum").unwrap();
    let chain = row.key();
    let recordings = Arc::new(Recordings::open(&folder).unwrap());
    let source = Arc::new(recordings.source(chain).unwrap());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut collector = Collector::new(store.clone(), source, row.clone(), Config::default());
    while collector.step(UnixSeconds(0)).await.unwrap().progress != Progress::Idle {}
    let registry = Registry::builtin().proof_registry().clone();
    let mut accumulator =
        Accumulator::open(store.clone(), registry, "recorded/every-entry").unwrap();
    accumulator.step(UnixSeconds(1_800_000_000)).unwrap();
    let prover = Prover::new(store.clone(), accumulator.board());
    let root = prover.latest().unwrap().hash;
    let check = Check { prover, root };
    let (mut blocks, mut transactions, mut events) =
        (Sizes::default(), Sizes::default(), Sizes::default());
    let all = BlockNumber(0)..BlockNumber(u64::MAX);
    for (number, _) in read::load_blocks(&*store, chain, all, usize::MAX).unwrap() {
        check.check(check.prover.prove_block(chain, number, Which::Latest).unwrap(), &mut blocks);
        let body = read::load_body(&*store, chain, number).unwrap().unwrap_or_default();
        check.transactions(chain, number, &body, &mut transactions);
        check.events(chain, number, &body, &mut events);
    }
    blocks.print("blocks");
    transactions.print("transactions");
    events.print("events");
    assert_eq!(blocks.file.len(), 134);
    assert!(transactions.file.len() > 18_000 && events.file.len() > 16_000);
}
