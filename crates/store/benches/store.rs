//! Blocks from memory into a durable store: recomputed, put, committed. The peer is what cannot be
//! avoided: `alloy`'s roots, keccaks and blooms, and the same bytes in a file.

#[path = "../../chain/benches/fixture/mod.rs"]
mod fixture;
#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use alloy_primitives::BloomInput;
use alloy_trie::root::ordered_trie_root_encoded;
use fixture::Shape;
use ratio::Ratios;
use superroot_chain::finality::{AgreeingNode, FinalityAnchor, NodeQuorum, check};
use superroot_chain::ledger::evm::raw::RawEvmBlock;
use superroot_chain::{
    ChainRegistry, ChainSpec, EvidenceVerdict, FinalityEvidence, UntrustedBlock, VerifiedBlock,
    verify,
};
use superroot_store::layout::{BlockTip, ChainState, KeptEntries};
use superroot_store::{EmbeddedConfig, EmbeddedStore, ScanOrder, Store, Table, WriteBatch, write};
use superroot_types::{BlockNumber, ChainId, UnixSeconds};
use tempfile::TempDir;

/// Transactions of a block; each has two events.
const TRANSACTIONS: usize = 200;
/// Events of a block.
const EVENTS: usize = 2 * TRANSACTIONS;
/// Blocks of one commit.
const BATCH: usize = 100;
/// Blocks of one sample.
const BLOCKS: usize = 200;

fn main() {
    let ratios = Ratios::of("store");
    let chain = Chain::new();
    let name = |what: &str| format!("{what}/n={BLOCKS}");
    let peer = "alloy's roots, keccaks and blooms, and a file with a sync per batch";
    let ours = |store: Opened| chain.verified_and_stored(store);
    ratios.print(&name("verify_and_store"), peer, Opened::new, ours, || chain.bare_and_written());
    let peer = "alloy's roots, keccaks and blooms";
    ratios.print(&name("verify"), peer, || (), |()| chain.verified(), || chain.bare());
    let peer = "the same bytes in a file with a sync per batch";
    let ours = |store: Opened| chain.stored(store);
    ratios.print(&name("put_and_commit"), peer, Opened::new, ours, || chain.written());
    chain.print_sizes();
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().by_id(ChainId(1)).expect("Ethereum is in the registry")
}

/// An empty store in a folder of its own.
struct Opened {
    store: EmbeddedStore,
    folder: TempDir,
}

impl Opened {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap();
        Self { store, folder }
    }
}

/// Blocks as they were sent, and as they were recomputed.
struct Chain {
    untrusted: Vec<UntrustedBlock>,
    raw: Vec<RawEvmBlock>,
    verified: Vec<VerifiedBlock>,
}

impl Chain {
    fn new() -> Self {
        let raw = fixture::chain(Shape::ethereum(TRANSACTIONS), BLOCKS as u64);
        let untrusted = raw.iter().map(|raw| UntrustedBlock::Evm(Box::new(raw.clone())));
        let untrusted: Vec<_> = untrusted.collect();
        let verified = untrusted.iter().map(|block| verify(row(), block).unwrap()).collect();
        Self { untrusted, raw, verified }
    }

    fn evidence(&self, last: &VerifiedBlock) -> FinalityEvidence {
        let witness = |name: &str| AgreeingNode { name: name.into(), operator: name.into() };
        FinalityEvidence::NodeQuorum(NodeQuorum {
            sources: vec![witness("a"), witness("b")],
            needed: 2,
            of: 2,
            rule: "finalized tag".into(),
            number: last.number(),
            hash: last.hash(),
            agreed_at: UnixSeconds(0),
        })
    }

    fn verified_and_stored(&self, opened: Opened) -> Opened {
        for batch in self.untrusted.chunks(BATCH) {
            let verified: Vec<_> =
                batch.iter().map(|block| verify(row(), block).unwrap()).collect();
            self.commit(&opened.store, &verified);
        }
        opened
    }

    fn verified(&self) {
        self.untrusted.iter().for_each(|block| _ = black_box(verify(row(), block).unwrap()));
    }

    fn stored(&self, opened: Opened) -> Opened {
        self.verified.chunks(BATCH).for_each(|batch| self.commit(&opened.store, batch));
        opened
    }

    /// What a step of the collector commits.
    fn commit(&self, store: &EmbeddedStore, blocks: &[VerifiedBlock]) {
        let mut batch = WriteBatch::new();
        let last = blocks.last().expect("a batch has blocks");
        let line = blocks.iter().map(|block| block.clone().into()).collect();
        let evidence = self.evidence(last);
        let trusted = FinalityAnchor::Operators { needed: 2, of: 2 };
        let EvidenceVerdict::Final(line) = check(evidence, line, &trusted, UnixSeconds(0)) else {
            panic!("the blocks are one line");
        };
        for block in &line {
            write::put_final(&mut batch, store, block, &KeptEntries::All).unwrap();
        }
        let indexed = Some(BlockTip { number: last.number(), hash: last.hash() });
        let block_count = last.number().0 + 1;
        let state = ChainState { indexed, block_count, ..ChainState::empty(BlockNumber(0)) };
        write::put_chain_state(&mut batch, row().key(), &state);
        store.commit(batch).unwrap();
    }

    fn bare(&self) {
        self.raw.iter().zip(&self.verified).for_each(|(raw, block)| bare(raw, block));
    }

    fn bare_and_written(&self) -> TempDir {
        let folder = TempDir::new().unwrap();
        let mut file = File::create(folder.path().join("blocks")).unwrap();
        let blocks: Vec<_> = self.raw.iter().zip(&self.verified).collect();
        for batch in blocks.chunks(BATCH) {
            batch.iter().for_each(|(raw, block)| bare(raw, block));
            batch.iter().for_each(|(_, block)| append(&mut file, block));
            file.sync_all().unwrap();
        }
        folder
    }

    fn written(&self) -> TempDir {
        let folder = TempDir::new().unwrap();
        let mut file = File::create(folder.path().join("blocks")).unwrap();
        for batch in self.verified.chunks(BATCH) {
            batch.iter().for_each(|block| append(&mut file, block));
            file.sync_all().unwrap();
        }
        folder
    }

    /// What the rows of a block and of an event take, and how many blocks pass a second.
    fn print_sizes(&self) {
        let opened = Opened::new();
        let begun = Instant::now();
        let opened = self.verified_and_stored(opened);
        let rate = BLOCKS as f64 / begun.elapsed().as_secs_f64();
        let of = |table| -> usize {
            let rows = opened.store.scan(table, &[], None, usize::MAX, ScanOrder::Rising);
            rows.unwrap().iter().map(|(key, value)| key.len() + value.len()).sum()
        };
        let tables =
            [Table::Block, Table::Body, Table::Transaction].map(|table| (table, of(table)));
        let total: usize = tables.iter().map(|(_, bytes)| bytes).sum();
        let of_leaves: usize = self.verified.iter().flat_map(parts).map(<[u8]>::len).sum();
        let of_tables = tables.map(|(table, bytes)| format!("{table:?} {}", bytes / BLOCKS));
        println!(
            "figure store/bytes: {} a block of {TRANSACTIONS} transactions and {EVENTS} events ({}), \
             {} an event; header and leaves have {}; on disk {}; {rate:.0} blocks a second",
            total / BLOCKS,
            of_tables.join(", "),
            total / BLOCKS / EVENTS,
            of_leaves / BLOCKS,
            folder_bytes(opened.folder.path()) / BLOCKS as u64,
        );
    }
}

/// The least that has to be computed of a block.
fn bare(raw: &RawEvmBlock, block: &VerifiedBlock) {
    let (transactions, receipts) = (block.transactions().unwrap(), block.receipts().unwrap());
    black_box(ordered_trie_root_encoded(transactions));
    black_box(ordered_trie_root_encoded(receipts));
    black_box(alloy_primitives::keccak256(block.header()));
    transactions.iter().for_each(|leaf| _ = black_box(alloy_primitives::keccak256(leaf)));
    for receipt in raw.receipts.iter().flatten() {
        let mut bloom = alloy_primitives::Bloom::ZERO;
        for log in &receipt.logs {
            bloom.accrue(BloomInput::Raw(&log.address.0));
            log.topics.iter().for_each(|topic| bloom.accrue(BloomInput::Raw(&topic.0)));
        }
        black_box(bloom);
    }
}

fn parts(block: &VerifiedBlock) -> impl Iterator<Item = &[u8]> {
    let leaves = [block.transactions(), block.receipts()].into_iter().flatten().flatten();
    std::iter::once(block.header()).chain(leaves.map(Vec::as_slice))
}

fn append(file: &mut File, block: &VerifiedBlock) {
    file.write_all(&parts(block).collect::<Vec<_>>().concat()).unwrap();
}

/// What a folder takes on the disk, in bytes.
fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => folder_bytes(&entry.path()),
        Ok(data) => std::os::unix::fs::MetadataExt::blocks(&data) * 512,
        Err(_) => 0,
    });
    bytes.sum()
}
