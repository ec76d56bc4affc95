//! One row of each kind of key, pinned: a change of any of these bytes is a new layout.

use crate::support;

use superroot_chain::Extent;
use superroot_proof::finality::{
    ConflictStatements, ConsensusEvidence, FinalityConflict, FinalityKind,
};
use superroot_proof::ledger::evm::{HistoryProof, StateNodes};
use superroot_proof::perfect::PerfectTree;
use superroot_store::coverage::{CoverageRun, put_coverage};
use superroot_store::feed::{Changes, append, put_publication};
use superroot_store::layout::{
    BackfillRow, BlockTip, ChainState, HaltRow, HeldRun, KeptEntries, MiniMmrLeafRow, RefusedRow,
    RetractionRow, TwigNodes, WatchFilter,
};
use superroot_store::{MemoryStore, Table, WriteBatch, golden, write};
use superroot_types::{
    BlockNumber, ChainId, ChainKey, Family, Hash, LeafIndex, LogSize, Sequence, TWIG_HEIGHT,
    TwigIndex, UnixSeconds,
};

use self::support::{Recipe, as_final, evidence};

const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };
const NUMBER: BlockNumber = BlockNumber(7);

/// Tables that other crates write, and pin.
const OF_OTHERS: [Table; 23] = [
    Table::Meta,
    Table::Stage,
    Table::Account,
    Table::AccountKey,
    Table::KeyHash,
    Table::Wallet,
    Table::Challenge,
    Table::Subscription,
    Table::Usage,
    Table::Journal,
    Table::Invoice,
    Table::Audit,
    Table::Event,
    Table::EventPlace,
    Table::Bloom,
    Table::Stream,
    Table::Webhook,
    Table::KeyWatch,
    Table::Market,
    Table::Order,
    Table::Token,
    Table::Outbox,
    Table::EvmSignature,
];

fn tip(byte: u8) -> BlockTip {
    BlockTip { number: NUMBER, hash: Hash([byte; 32]) }
}

fn blocks(batch: &mut WriteBatch, store: &MemoryStore) {
    let block = as_final(&Recipe::new(NUMBER.0, 1).verified());
    write::put_final(batch, store, &block, &KeptEntries::Some(vec![0])).unwrap();
    let (indexed, head, checked_to) = (Some(tip(1)), Some(tip(2)), Some(NUMBER));
    let state = ChainState { start: NUMBER, indexed, head, block_count: 1, checked_to };
    write::put_chain_state(batch, CHAIN, &state);
    let row = RefusedRow { reason: "bad".into(), source: "node".into() };
    write::put_refused(batch, CHAIN, NUMBER, &row);
    let held = HeldRun::Partial { extent: Extent { transactions: true, receipts: false } };
    put_coverage(batch, store, CHAIN, &[CoverageRun { from: NUMBER, to: NUMBER, held }]).unwrap();
    let (held_hash, other_hash) = (Hash([1; 32]), Hash([2; 32]));
    let (noticed_at, other_header) = (UnixSeconds(9), Some(vec![3]));
    let evidence = evidence();
    let row = RetractionRow { held_hash, other_hash, evidence, noticed_at, other_header };
    write::put_retraction(batch, store, CHAIN, NUMBER, &row).unwrap();
    let row = HaltRow { number: NUMBER, since: UnixSeconds(9), reason: "contradicted".into() };
    write::put_halt(batch, CHAIN, &row);
    write::put_backfill(batch, CHAIN, Some(&BackfillRow { lowest: tip(1), block_count: 2 }));
    write::put_watch(batch, CHAIN, &WatchFilter::nothing());
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Checkpoint,
        number: NUMBER,
        hash: Hash([1; 32]),
        body: vec![5, 6],
    };
    write::put_evidence(batch, CHAIN, &evidence);
    write::put_set_step(batch, CHAIN, 4, vec![7]);
    let statements = ConflictStatements::Sets([vec![1], vec![2]]);
    let conflict = FinalityConflict { set: vec![3], statements };
    write::put_conflict(batch, store, CHAIN, &conflict).unwrap();
    let nodes = |byte| StateNodes(vec![vec![byte]]);
    let proof = HistoryProof { account: nodes(1), words: vec![(BlockNumber(2), nodes(3))] };
    write::put_ancestors(batch, CHAIN, NUMBER, &proof);
    let mut changes = Changes::default();
    changes.taken(tip(1));
    changes.made_final(NUMBER);
    append(batch, store, CHAIN, changes, UnixSeconds(9), 60).unwrap();
}

fn roots(batch: &mut WriteBatch) {
    let row =
        MiniMmrLeafRow { chain_id: CHAIN.id, twig_index: TwigIndex(3), twig_root: Hash([4; 32]) };
    write::put_mini_mmr_leaf(batch, CHAIN.family, LeafIndex(5), &row);
    let twig = PerfectTree::new(TWIG_HEIGHT, vec![Hash([9; 32])]);
    write::put_twig_nodes(batch, CHAIN, TwigIndex(3), &TwigNodes::of(&twig).unwrap());
    write::put_mini_mmr_node(batch, CHAIN.family, 1, 2, &Hash([5; 32]));
    write::put_history_node(batch, 1, 2, &Hash([6; 32]));
    write::put_super_root(batch, Sequence(11), &Hash([7; 32]), *b"preimage");
    write::put_registry(batch, &Hash([8; 32]), *b"rows");
    write::put_note(batch, LogSize(12), *b"note");
    put_publication(batch, Sequence(11), &Hash([7; 32]));
}

#[test]
fn a_row_of_each_kind_has_the_pinned_bytes() {
    let (store, mut batch) = (MemoryStore::new(), WriteBatch::new());
    blocks(&mut batch, &store);
    roots(&mut batch);
    let lines = golden::lines(&batch);
    let is_of = |line: &String, table: Table| line.starts_with(&format!("{table} "));
    for table in Table::ALL.into_iter().filter(|table| !OF_OTHERS.contains(table)) {
        assert!(lines.iter().any(|line| is_of(line, table)), "no row of {table} is pinned");
    }
    // how a body is compressed is the compressor's own affair
    let lines: Vec<_> = lines.into_iter().filter(|line| !is_of(line, Table::Body)).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
